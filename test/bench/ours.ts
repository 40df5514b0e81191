/** mcp-edge, as its README has it. The server is passed in, with Ajv or another engine. */
import { createFetchHandler, type McpServer } from "../../src/core.ts";
import type { BenchTool } from "./tools.ts";

export function serve(server: McpServer, tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  for (const { name, description, inputSchema, run } of tools) {
    server.tool(name, { description, inputSchema }, (args, ctx) =>
      run(args, (progress, total) => ctx.progress(progress, total)),
    );
  }
  const handler = createFetchHandler(server);
  return (request) => handler.fetch(request);
}

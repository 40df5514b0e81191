/** mcp-lite, stateless: an older revision, and with JSON Schemas it checks no arguments. */
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { type BenchTool, SERVER_INFO } from "./tools.ts";

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  const server = new McpServer(SERVER_INFO);
  for (const { name, description, inputSchema, run } of tools) {
    server.tool(name, {
      description,
      inputSchema,
      handler: async (args: Record<string, unknown>, ctx) => {
        const text = await run(args, async (progress, total) => {
          await ctx.progress?.({ progress, total });
        });
        return { content: [{ type: "text", text }] };
      },
    });
  }
  return new StreamableHttpTransport().bind(server);
}

/** mcp-edge with the engine that generates no code: `mcp-edge/core` and `mcp-edge/interpreter`. */
import { McpServer } from "../../src/core.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { serve as serveWith } from "./ours.ts";
import { type BenchTool, SERVER_INFO } from "./tools.ts";

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  return serveWith(new McpServer(SERVER_INFO, { schemas: interpreterEngine() }), tools);
}

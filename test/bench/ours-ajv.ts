/** mcp-edge with Ajv: the entry `mcp-edge`. */
import { McpServer } from "../../src/index.ts";
import { serve as serveWith } from "./ours.ts";
import { type BenchTool, SERVER_INFO } from "./tools.ts";

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  return serveWith(new McpServer(SERVER_INFO), tools);
}

/** mcp-edge alone: an engine that checks nothing stands where checks compiled at build time would be. For sizes only. */
import { McpServer, type SchemaEngine } from "../../src/core.ts";
import { serve as serveWith } from "./ours.ts";
import { type BenchTool, SERVER_INFO } from "./tools.ts";

const engine: SchemaEngine = { name: "none", compile: () => () => undefined };

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  return serveWith(new McpServer(SERVER_INFO, { schemas: engine }), tools);
}

/**
 * The official SDK as a careful user writes it: schemas made once, and a factory that registers them on the server that
 * the SDK wants for each request.
 */
import { createMcpHandler, fromJsonSchema, McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { type BenchTool, SERVER_INFO } from "./tools.ts";

export type SchemaOf = (tool: BenchTool) => StandardSchemaWithJSON<Record<string, unknown>>;

export function serveWith(tools: readonly BenchTool[], schemaOf: SchemaOf): (request: Request) => Promise<Response> {
  const prepared = tools.map((tool) => ({ ...tool, inputSchema: schemaOf(tool) }));
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(SERVER_INFO, { capabilities: { tools: {} } });
      for (const { name, description, inputSchema, run } of prepared) {
        server.registerTool(name, { description, inputSchema }, async (args, { mcpReq }) => {
          const progressToken = mcpReq._meta?.progressToken;
          const text = await run(args, async (progress, total) => {
            if (progressToken === undefined) return;
            await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total } });
          });
          return { content: [{ type: "text", text }] };
        });
      }
      return server;
    },
    { legacy: "reject" },
  );
  return (request) => handler.fetch(request);
}

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  return serveWith(tools, ({ inputSchema }) => fromJsonSchema<Record<string, unknown>>(inputSchema));
}

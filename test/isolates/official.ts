/**
 * A server written with the official SDK, whose change events travel over the same hubs.
 */
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { sdkEventBus } from "../../src/cloudflare.ts";

const INPUT = fromJsonSchema<{ uri: string }>({
  type: "object",
  properties: { uri: { type: "string" } },
  required: ["uri"],
});

export const official = createMcpHandler(
  () => {
    const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };
    const server = new McpServer({ name: "official", version: "1.0.0" }, { capabilities });
    server.registerTool("publish", { description: "Says that a resource changed", inputSchema: INPUT }, ({ uri }) => {
      official.notify.resourceUpdated(uri);
      official.notify.toolsChanged();
      return { content: [{ type: "text", text: "published" }] };
    });
    return server;
  },
  { legacy: "reject", bus: sdkEventBus(), keepAliveMs: 1_000 },
);

/** The official SDK with its own bus, which keeps to one isolate. */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { KEEP_ALIVE_MS, listenWorker, MAX_STREAMS } from "./listen-worker.ts";
import { SERVER_INFO } from "./tools.ts";

const handler = createMcpHandler(
  () => new McpServer(SERVER_INFO, { capabilities: { resources: { subscribe: true } } }),
  { legacy: "reject", maxSubscriptions: MAX_STREAMS, keepAliveMs: KEEP_ALIVE_MS },
);

export default listenWorker({
  serve: (request) => handler.fetch(request),
  publish: (uri) => handler.notify.resourceUpdated(uri),
});

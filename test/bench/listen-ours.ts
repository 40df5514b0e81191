/** mcp-edge over any bus, as its README has it. */
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { type Bus, Subscriptions } from "../../src/subscriptions.ts";
import { KEEP_ALIVE_MS, listenWorker, MAX_STREAMS } from "./listen-worker.ts";
import { SERVER_INFO } from "./tools.ts";

export function listenOver(bus: Bus): ExportedHandler {
  const subscriptions = new Subscriptions({ bus, maxStreams: MAX_STREAMS });
  const server = new McpServer(SERVER_INFO, { subscriptions });
  server.resource("test://{name}", { name: "test" }, (uri) => uri);
  const handler = createFetchHandler(server, { keepAliveMs: KEEP_ALIVE_MS });
  return listenWorker({
    serve: (request, env) => handler.fetch(request, env),
    publish: (uri, env) => subscriptions.publisher(env).resourceUpdated(uri),
  });
}

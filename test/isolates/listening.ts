/**
 * What both Workers of this fixture serve: a tool that says that something changed, and subscriptions over the hub.
 */
import { hubBus } from "../../src/cloudflare.ts";
import { createFetchHandler, type FetchHandler, McpServer } from "../../src/index.ts";
import { Subscriptions } from "../../src/subscriptions.ts";

/** Often, so that a quiet minute sees many. */
const KEEP_ALIVE_MS = 1_000;

export const subscriptions = new Subscriptions({ bus: hubBus(), maxStreams: 6_000 });

export function listening(path: string): FetchHandler {
  const server = new McpServer({ name: "mcp-edge-isolates", version: "1.0.0" }, { subscriptions });
  server.tool(
    "publish",
    {
      description: "Says that resources changed",
      inputSchema: {
        type: "object",
        properties: { uris: { type: "array", items: { type: "string" } } },
        required: ["uris"],
      },
    },
    async ({ uris }, { notify }) => {
      await Promise.all(uris.map((uri) => notify.resourceUpdated(uri)));
      return "published";
    },
  );
  server.resource("test://{name}", { name: "test" }, (uri) => uri);
  return createFetchHandler(server, { path, keepAliveMs: KEEP_ALIVE_MS });
}

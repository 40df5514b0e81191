/**
 * The Worker that the field cases are run against: faults that people met with MCP servers, as tools that provoke them.
 *
 * `/api/mcp` is the open endpoint. `/lab/mcp` is a second server in the same isolate, with what single cases need
 * beyond that: long lists, large blobs, rich forms, handlers that misbehave.
 */
import { hubBus } from "../../src/cloudflare.ts";
import {
  type AuthInfo,
  createFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
  McpServer,
} from "../../src/index.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { addLab } from "./lab.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { addNotify, addTools } from "./tools.ts";

/** Known to everybody, so that every run can be repeated. A real server keeps its key in a secret. */
const FIXTURE_STATE_KEY = "11".repeat(32);

const OPTIONS: FetchHandlerOptions = {
  allowedOrigins: ["https://app.test", "loopback"],
  maxBodyBytes: 4 * 1024 * 1024,
  stateKeys: [FIXTURE_STATE_KEY],
};

const bus = hubBus();
const api = new McpServer(
  { name: "mcp-edge-field", version: "1.0.0" },
  { subscriptions: new Subscriptions({ bus, maxStreams: 100 }) },
);
addTools(api);
addResources(api);
addPrompts(api);

const lab = new McpServer(
  { name: "mcp-edge-field-lab", version: "1.0.0" },
  { pageSize: 10, subscriptions: new Subscriptions({ bus, tenant: () => "lab", maxLifetimeMs: 5_000, maxStreams: 3 }) },
);
addLab(lab);
addNotify(lab);

const open = createFetchHandler(api, { ...OPTIONS, path: "/api/mcp" });
const byPath: ReadonlyMap<string, FetchHandler> = new Map([
  [
    "/lab/mcp",
    createFetchHandler(lab, { ...OPTIONS, path: "/lab/mcp", openAfterMs: 50, keepAliveMs: 20, authenticate }),
  ],
]);

/** `Bearer <seconds since the epoch>`: a token that says when it expires. Without one the caller is nobody. */
function authenticate({ headers }: Request): AuthInfo | null | Response {
  const token = /^Bearer (\d+)$/.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined) return null;
  const expiresAt = Number(token);
  if (expiresAt * 1_000 <= Date.now()) return new Response("The token has expired\n", { status: 401 });
  return { subject: "holder", expiresAt };
}

export { SubscriptionHub } from "../../src/cloudflare.ts";

export default {
  fetch: (request, env, runtime) => (byPath.get(new URL(request.url).pathname) ?? open).fetch(request, env, runtime),
} satisfies FetchHandler;

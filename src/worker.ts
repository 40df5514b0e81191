/**
 * The deployable Worker: the pinboard at `/mcp`, its Durable Objects, and the settings that come from the environment.
 *
 * Everything else under the same host is the companion page, served as static assets without running this code.
 */
import { createFetchHandler } from "./index.ts";
import type { Env } from "./pinboard/env.ts";
import { server } from "./pinboard/server.ts";

export { SubscriptionHub } from "./cloudflare.ts";
export { Board } from "./pinboard/board.ts";
export { Directory } from "./pinboard/directory.ts";

export default createFetchHandler<Env>(server, {
  allowedHosts: ({ ALLOWED_HOSTS: hosts }) => (hosts === "loopback" ? hosts : list(hosts)),
  allowedOrigins: ({ ALLOWED_ORIGINS: origins }) => list(origins) ?? [],
  stateKeys: ({ STATE_KEY: keys }) => list(keys),
});

/** The entries of a comma-separated variable; undefined when it is unset or empty. */
function list(variable: string | undefined): string[] | undefined {
  const entries = (variable ?? "").split(",").flatMap((entry) => entry.trim() || []);
  return entries.length > 0 ? entries : undefined;
}

/**
 * Entry `mcp-edge/node`: a fetch handler behind `node:http`, and signing in from a terminal.
 */
export { loopbackRedirect, type LoopbackRedirectOptions } from "./node/loopback-redirect.ts";
export { type RunningServer, serve, type ServeOptions } from "./node/serve.ts";

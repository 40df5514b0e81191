/**
 * The Worker that the official conformance suite is run against: what its server scenarios call, and nothing else.
 *
 * A fixture, bound to this machine. Names and texts are the suite's.
 */
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { addInputTools } from "./input-tools.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { addTools } from "./tools.ts";

/** Known to everybody, so that every run can be repeated. A real server keeps its key in a secret. */
const FIXTURE_STATE_KEY = "00".repeat(32);

const server = new McpServer(
  { name: "mcp-edge-conformance", version: "1.0.0" },
  { subscriptions: new Subscriptions() },
);
addTools(server);
addInputTools(server);
addResources(server);
addPrompts(server);

export default createFetchHandler(server, {
  allowedHosts: "loopback",
  allowedOrigins: ["loopback"],
  stateKeys: [FIXTURE_STATE_KEY],
});

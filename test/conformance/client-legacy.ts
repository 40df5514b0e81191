/** The official client scenarios of revision 2025-11-25 that are not about signing in. */
import { legacyFallback } from "../../src/client-legacy.ts";
import type { Connection, Session } from "../../src/client/session.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

/** The tool that each scenario wants called, with what; one that only lists has none. */
const CALLS: Readonly<Record<string, (tools: readonly JsonObject[]) => JsonObject | undefined>> = {
  initialize: () => undefined,
  tools_call: () => ({ name: "add_numbers", arguments: { a: 5, b: 3 } }),
  "elicitation-sep1034-client-defaults": () => ({ name: "test_client_elicitation_defaults", arguments: {} }),
  "sse-retry": () => ({ name: "test_reconnection", arguments: {} }),
  "json-schema-2020-12-preservation": (tools) => ({
    name: "json_schema_echo",
    arguments: { schema: tools.find(({ name }) => name === "json_schema_2020_12_tool")?.["inputSchema"] },
  }),
};

export function isLegacyScenario(scenario: string): boolean {
  return Object.hasOwn(CALLS, scenario);
}

/** @throws when the server cannot be talked to, or refuses the call */
export async function runLegacyScenario(scenario: string, serverUrl: string, _context: unknown): Promise<void> {
  const session = await legacyFallback().connect(connectionTo(serverUrl), undefined);
  try {
    const { tools } = await request(session, "tools/list", {});
    const call = CALLS[scenario]?.(Array.isArray(tools) ? tools.filter(isObject) : []);
    if (call !== undefined) await request(session, "tools/call", call);
  } finally {
    await session.close();
  }
}

function request(session: Session, method: string, params: JsonObject): Promise<JsonObject> {
  return session.request({ method, params, options: { timeoutMs: 20_000 } });
}

function connectionTo(url: string): Connection {
  return {
    url,
    fetch: (input, init) => fetch(input, init),
    info: { name: "mcp-edge-conformance", version: "1.0.0" },
    capabilities: { elicitation: { form: {} } },
    // The user accepts the form as it is, so that what is sent is the defaults.
    input: { elicit: () => Promise.resolve({ action: "accept", content: {} }) },
    auth: undefined,
    signIns: { underWay: 0, failure: undefined },
    headers: {},
    limits: { maxMessageBytes: 16_777_216, maxStreamBytes: 268_435_456 },
    onWarning: (message) => console.error(message),
    now: () => Date.now(),
    random: () => Math.random(),
  };
}

/**
 * The client under test of the official suite: `node test/conformance/client.ts <server-url>`.
 *
 * It does in each scenario what the scenario's description asks of a client, with the public client alone.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { McpClient } from "../../src/client.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { runAuthScenario } from "./client-auth.ts";
import { isLegacyScenario, runLegacyScenario } from "./client-legacy.ts";

const REVISION = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2026-07-28";

type Scenario = (client: McpClient, context: JsonObject) => Promise<unknown>;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  tools_call: async (client) => {
    for (const { name } of await client.listTools()) await client.callTool(name, { a: 5, b: 3 });
  },
  "request-metadata": async (client) => {
    await client.discover();
    await client.listTools();
  },
  "http-standard-headers": async (client) => {
    const tools = await client.listTools();
    for (const { name } of tools) await client.callTool(name);
    for (const { uri } of await client.listResources()) await client.readResource(uri);
    for (const { name } of await client.listPrompts()) await client.getPrompt(name);
  },
  "http-custom-headers": async (client, { toolCalls }) => {
    await client.listTools();
    // As the scenario documents its context.
    for (const { name, arguments: args } of toolCalls as { name: string; arguments: JsonObject }[]) {
      await client.callTool(name, args);
    }
  },
  "http-invalid-tool-headers": async (client) => {
    for (const { name } of await client.listTools()) await client.callTool(name, { region: "us-west1" });
  },
  "json-schema-ref-no-deref": (client) => client.listTools(),
  "json-schema-2020-12-preservation": async (client) => {
    const tools = await client.listTools();
    const focal = tools.find(({ name }) => name === "json_schema_2020_12_tool");
    await client.callTool("json_schema_echo", { schema: focal?.inputSchema });
  },
  "sep-2322-client-request-state": async (client) => {
    const tools = (await client.listTools()).map(({ name }) => name);
    await Promise.all(tools.map((name) => client.callTool(name)));
  },
};

async function run(scenario: string, serverUrl: string, context: JsonObject): Promise<void> {
  if (scenario.startsWith("auth/")) return runAuthScenario(scenario, serverUrl, context);
  if (REVISION !== "2026-07-28" && isLegacyScenario(scenario)) return runLegacyScenario(scenario, serverUrl, context);
  const steps = SCENARIOS[scenario];
  if (steps === undefined) throw new Error(`No such scenario: ${scenario}`);
  const client = new McpClient(serverUrl, {
    info: { name: "mcp-edge-conformance", version: "1.0.0" },
    input: { elicit: () => Promise.resolve({ action: "accept", content: { confirmed: true } }) },
    onWarning: (message) => console.error(`warning: ${message}`),
  });
  try {
    await steps(client, context);
  } finally {
    await client.close();
  }
}

// The suite's servers are at `localhost`, which is two addresses. Node gives each 250 ms, counted by its own event loop, so a
// busy machine can miss both; and a call that did not get through is not made again.
setDefaultAutoSelectFamilyAttemptTimeout(10_000);

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
// The suite writes a JSON object there.
await run(scenario, process.argv.at(-1) ?? "", JSON.parse(context) as JsonObject);

/** The client beside the official one and a floor written by hand: bytes that a page loads, and CPU per call. */
import { bundleForBrowser } from "./bundle.ts";
import { benchClientCpu } from "./client-cpu.ts";
import { sizeCells } from "./sizes.ts";
import { printTable } from "./table.ts";

interface Bundle {
  readonly title: string;
  readonly source: string;
  /** In KB of 1,000 bytes, compressed. */
  readonly limit?: number;
}

const INFO = `{ name: "page", version: "1.0.0" }`;
const URL_OF_SERVER = `new URL("/mcp", location.href)`;
const CLIENT = `import { McpClient } from "../../src/client.ts";`;

const BUNDLES: readonly Bundle[] = [
  {
    title: "floor",
    source: `import { connect } from "./client-floor.ts";
      const client = await connect(${URL_OF_SERVER}.href, fetch);
      export const tools = await client.listTools();
      export const result = await client.callTool("echo", { text: "hello" });`,
  },
  {
    title: "mcp-edge/client, no schema engine",
    source: `${CLIENT} ${usedAs(`new McpClient(${URL_OF_SERVER}, { info: ${INFO} })`)}`,
    limit: 12,
  },
  {
    title: "mcp-edge/client, interpreter",
    source: `${CLIENT} import { interpreterEngine } from "../../src/schema/interpreter.ts";
      ${usedAs(`new McpClient(${URL_OF_SERVER}, { info: ${INFO}, schemas: interpreterEngine() })`)}`,
    limit: 20,
  },
  {
    title: "official",
    source: `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
      const client = new Client(${INFO}, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await client.connect(new StreamableHTTPClientTransport(${URL_OF_SERVER}));
      export const { tools } = await client.listTools();
      export const result = await client.callTool({ name: "echo", arguments: { text: "hello" } });`,
  },
  { title: "mcp-edge/client/oauth, all of it", source: `export * from "../../src/client-oauth.ts";` },
  { title: "mcp-edge/client/legacy, all of it", source: `export * from "../../src/client-legacy.ts";` },
];

function usedAs(client: string): string {
  return `const client = ${client};
    export const tools = await client.listTools();
    export const result = await client.callTool("echo", { text: "hello" });`;
}

export async function benchClient(options: { quick: boolean }): Promise<void> {
  const table = [["a page that lists tools and calls one", "minified", "gzip -9", "target", ""]];
  for (const { title, source, limit } of BUNDLES) {
    table.push([title, ...sizeCells(await bundleForBrowser(source), limit)]);
  }
  printTable("Size of a client bundle", table);
  await benchClientCpu(options);
}

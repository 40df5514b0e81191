/**
 * A call as code to take elsewhere: for curl, for fetch, and for the client of mcp-edge.
 *
 * Contract: the same request as the page sends, but for what is secret: headers of the person's own come with a placeholder
 * for their value.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#request-metadata
 */
import type { JsonObject } from "../../src/client.ts";
import { encodeHeaderValue } from "../../src/protocol/header-value.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_VERSION,
  MODERN_VERSION,
} from "../../src/protocol/versions.ts";

export interface CodeCall {
  readonly url: string;
  readonly name: string;
  readonly args: JsonObject;
  /** Encoded. */
  readonly paramHeaders: readonly (readonly [string, string])[];
  /** Names of what the person adds to each request. */
  readonly ownHeaders: readonly string[];
}

export type Language = "curl" | "fetch" | "client";

export function codeOf(language: Language, call: CodeCall): string {
  const { url, name, args, ownHeaders } = call;
  if (language === "client") {
    const headers = ownHeaders.map((own) => `${json(own)}: "…"`);
    const given = headers.length > 0 ? `, headers: { ${headers.join(", ")} }` : "";
    return `import { McpClient } from "mcp-edge/client";

const client = new McpClient(${json(url)}, { info: { name: "my-host", version: "1.0.0" }${given} });
await client.listTools();
console.log(await client.callTool(${json(name)}, ${json(args)}));
`;
  }
  const headers = headersOf(call);
  const body = bodyOf(call);
  if (language === "fetch") {
    return `const response = await fetch(${json(url)}, {
  method: "POST",
  headers: ${json(Object.fromEntries(headers), 2).replaceAll("\n", "\n  ")},
  body: JSON.stringify(${json(body, 2).replaceAll("\n", "\n  ")}),
});
console.log(await response.text());
`;
  }
  const lines = headers.map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`);
  return [`curl ${quoted(url)}`, ...lines, `--data-raw ${quoted(json(body))}`].join(" \\\n  ") + "\n";
}

function headersOf({ name, paramHeaders, ownHeaders }: CodeCall): [string, string][] {
  return [
    ...ownHeaders.map((own): [string, string] => [own, "…"]),
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
    ["MCP-Protocol-Version", MODERN_VERSION],
    ["Mcp-Method", "tools/call"],
    ["Mcp-Name", encodeHeaderValue(name)],
    ...paramHeaders.map(([header, value]): [string, string] => [header, value]),
  ];
}

function bodyOf({ name, args }: CodeCall): JsonObject {
  const _meta = {
    [META_VERSION]: MODERN_VERSION,
    [META_CLIENT_INFO]: { name: "my-host", version: "1.0.0" },
    [META_CLIENT_CAPABILITIES]: {},
  };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
}

function json(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

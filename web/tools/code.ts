/**
 * A call as code to take elsewhere: for curl, for fetch, and for the client of mcp-edge.
 *
 * Contract: the arguments and headers are those that the page would send. It is somebody else who asks, though, so client,
 * capabilities and whatever is secret are not the page's.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#request-metadata
 */
import type { JsonObject, Tool } from "../../src/client.ts";
import { encodeHeaderValue } from "../../src/protocol/header-value.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_VERSION,
  MODERN_VERSION,
} from "../../src/protocol/versions.ts";
import { type ParamHeader, planParamHeaders, valueAt } from "../../src/schema/param-headers.ts";

export type Header = readonly [name: string, value: string];

export interface CodeCall {
  readonly url: string;
  readonly name: string;
  readonly args: JsonObject;
  /** Encoded. */
  readonly headers: readonly Header[];
  /** Names of what the person adds to each request: the values stay here. */
  readonly secret: readonly string[];
}

export const LANGUAGES = ["curl", "fetch", "client code"] as const;
export type Language = (typeof LANGUAGES)[number];

const INFO = { name: "my-host", version: "1.0.0" };
/** Plain ASCII, as a header wants it. */
const PLACEHOLDER = "SECRET";

export function codeOf(language: Language, { url, name, args, headers, secret }: CodeCall): string {
  const own = secret.map((header): Header => [header, PLACEHOLDER]);
  if (language === "client code") {
    const options = { info: INFO, ...(own.length > 0 && { headers: Object.fromEntries(own) }) };
    return `import { McpClient } from "mcp-edge/client";

const client = new McpClient(${literal(url)}, ${literal(options)});
await client.listTools();
console.log(await client.callTool(${literal(name)}, ${literal(args)}));
`;
  }
  const all = [...own, ...headers];
  const _meta = { [META_VERSION]: MODERN_VERSION, [META_CLIENT_INFO]: INFO, [META_CLIENT_CAPABILITIES]: {} };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
  if (language === "fetch") {
    return `const response = await fetch(${literal(url)}, {
  method: "POST",
  headers: ${literal(Object.fromEntries(all), "  ")},
  body: JSON.stringify(${literal(body, "  ")}),
});
console.log(await response.text());
`;
  }
  // With a colon curl would take a header without a value away.
  const lines = all.map(([header, value]) => `-H ${quoted(value === "" ? `${header};` : `${header}: ${value}`)}`);
  // What comes is shown as it comes (-N), and brackets in the address are no patterns (-g).
  return [`curl -gN ${quoted(url)}`, ...lines, `--data-raw ${quoted(JSON.stringify(body))}`].join(" \\\n  ") + "\n";
}

/** The headers of a call, encoded. */
export function headersOf({ name, inputSchema }: Tool, args: JsonObject): Header[] {
  let paramHeaders: readonly ParamHeader[] = [];
  try {
    // The client mirrors whatever the dialect.
    paramHeaders = planParamHeaders({ ...inputSchema, $schema: undefined });
  } catch {
    // Beyond what can be read: then the client mirrors nothing either.
  }
  return [
    ["content-type", "application/json"],
    ["accept", "application/json, text/event-stream"],
    ["mcp-protocol-version", MODERN_VERSION],
    ["mcp-method", "tools/call"],
    ["mcp-name", encodeHeaderValue(name)],
    ...paramHeaders.flatMap(({ header, path }): Header[] => {
      const value = valueAt(args, path);
      // Null, lists and objects have no header form.
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
      return [[header, encodeHeaderValue(`${value}`)]];
    }),
  ];
}

/** As an expression of JavaScript, where `"__proto__":` would set the prototype in place of a property. */
function literal(value: unknown, indent = ""): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/(?<!\\)"__proto__":/g, '["__proto__"]:')
    .replaceAll("\n", `\n${indent}`);
}

/** For a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

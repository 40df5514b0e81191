/**
 * A call as code to take elsewhere: for curl, for fetch, and for the client of mcp-edge.
 *
 * Contract: the arguments and headers are those that the page would send. It is somebody else who asks, though, so client,
 * capabilities and whatever is secret are not the page's.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#request-metadata
 */
import type { JsonObject, Tool } from "../../src/client.ts";
import { requestHeaders } from "../../src/client/request-headers.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_VERSION,
  MODERN_VERSION,
} from "../../src/protocol/versions.ts";
import { type ParamHeader, planParamHeaders } from "../../src/schema/param-headers.ts";
import type { Field as Header } from "../wire/exchange.ts";
import { curlOf } from "../wire/exports.ts";
import { maskPairs } from "../wire/mask.ts";

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

const INFO = { name: "my-host", version: "1.0.0" };

/** By the name of the language. */
export function codesOf({ url: whole, name, args, headers, secret }: CodeCall) {
  const url = maskPairs(whole);
  // Plain ASCII, as a header wants it.
  const own = secret.map((header): Header => [header, "SECRET"]);
  const all = [...own, ...headers];
  const _meta = { [META_VERSION]: MODERN_VERSION, [META_CLIENT_INFO]: INFO, [META_CLIENT_CAPABILITIES]: {} };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
  return {
    curl: curlOf({ method: "POST", url, requestHeaders: all, requestBody: JSON.stringify(body) }),
    fetch: `const response = await fetch(${literal(url)}, {
  method: "POST",
  headers: ${literal(Object.fromEntries(all))},
  body: JSON.stringify(${literal(body)}),
});
console.log(await response.text());
`,
    "client code": `import { McpClient } from "mcp-edge/client";

const client = new McpClient(${literal(url)}, ${literal({ info: INFO, headers: Object.fromEntries(own) })});
await client.listTools();
console.log(await client.callTool(${literal(name)}, ${literal(args)}));
`,
  };
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
  const request = { method: "tools/call", params: { name, arguments: args }, paramHeaders };
  return Object.entries(requestHeaders(request, MODERN_VERSION));
}

/** As an expression of JavaScript. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

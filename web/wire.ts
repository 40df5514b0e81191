/**
 * The page's own client: one POST a request on revision 2026-07-28, and a record of what went over the wire.
 *
 * `request` never throws: whatever happens becomes one of the outcomes below.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http
 */
import { encodeHeaderValue } from "../src/protocol/header-value.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION, MODERN_VERSION } from "../src/protocol/versions.ts";
import type { Outcome, WireExchange } from "./exchange.ts";
import { readMessages } from "./read-messages.ts";

export interface RequestOptions {
  /** `Mcp-Param-*` by name, unencoded. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
  readonly progressToken?: string | number;
  readonly signal?: AbortSignal;
  readonly onNotification?: (method: string, params: JsonObject) => void;
  readonly onExchange?: (exchange: WireExchange) => void;
}

const CLIENT_INFO = { name: "mcp-edge-page", title: "mcp-edge companion page", version: "0.1.0" };
/** What the dialogs of this page can do. */
const CAPABILITIES = { elicitation: { form: {}, url: {} } };

export class WireClient {
  readonly endpoint: string;
  #lastId = 0;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<Outcome> {
    const id = ++this.#lastId;
    const { progressToken } = options;
    const _meta = {
      [META_VERSION]: MODERN_VERSION,
      [META_CLIENT_CAPABILITIES]: CAPABILITIES,
      [META_CLIENT_INFO]: CLIENT_INFO,
      ...(progressToken !== undefined && { progressToken }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    const headers = headersFor(method, params, options.paramHeaders);
    const exchange: WireExchange = { url: this.endpoint, requestHeaders: headers, requestBody: body, responseBody: "" };
    options.onExchange?.(exchange);
    try {
      const response = await fetch(this.endpoint, {
        method: "POST",
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        body,
        credentials: "omit",
        redirect: "error",
        signal: options.signal ?? null,
      });
      exchange.status = `${response.status} ${response.statusText}`.trim();
      exchange.responseHeaders = [...response.headers];
      return await readMessages(response, { id, exchange, onNotification: options.onNotification });
    } catch (error) {
      if (options.signal?.aborted === true) return { kind: "cancelled" };
      return { kind: "broken", reason: error instanceof Error ? error.message : "the request failed" };
    }
  }
}

function headersFor(
  method: string,
  params: JsonObject,
  paramHeaders: RequestOptions["paramHeaders"] = {},
): [string, string][] {
  const headers: [string, string][] = [
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
    ["MCP-Protocol-Version", MODERN_VERSION],
    ["Mcp-Method", method],
  ];
  const name = params[method === "resources/read" ? "uri" : "name"];
  if (typeof name === "string") headers.push(["Mcp-Name", encodeHeaderValue(name)]);
  for (const [header, value] of Object.entries(paramHeaders)) headers.push([header, encodeHeaderValue(value)]);
  return headers;
}

/**
 * A client of revision 2026-07-28 in its smallest form: requests that carry every header and `_meta` member the
 * specification asks for, built without the code under test.
 */
import { isObject, readReply, type WireObject, type WireReply } from "./wire.ts";

export const VERSION = "2026-07-28";
export const ENDPOINT = "https://server.test/mcp";

export interface PostOptions {
  /** Default 1. */
  id?: unknown;
  /** Default none at all. */
  capabilities?: WireObject;
  clientInfo?: WireObject;
  progressToken?: unknown;
  logLevel?: unknown;
  /** More members of `_meta`. */
  meta?: WireObject;
  /** More headers; null takes one away. */
  headers?: Readonly<Record<string, string | null>>;
  url?: string;
  signal?: AbortSignal;
  env?: unknown;
  runtime?: { waitUntil?(work: Promise<unknown>): void };
}

/** What `createFetchHandler` returns, as far as a caller needs it. */
export interface Fetcher {
  fetch(request: Request, env?: never, runtime?: PostOptions["runtime"]): Promise<Response>;
}

/** The request that asks for `method`. */
export function requestFor(method: string, params: WireObject = {}, options: PostOptions = {}): Request {
  const { id = 1, url = ENDPOINT, signal } = options;
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: metaOf(params, options) } });
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": encodeHeader(method),
  });
  const name = method === "resources/read" ? params["uri"] : params["name"];
  if (MIRRORED.has(method) && typeof name === "string") headers.set("mcp-name", encodeHeader(name));
  for (const [header, value] of Object.entries(options.headers ?? {})) {
    if (value === null) headers.delete(header);
    else headers.set(header, value);
  }
  return new Request(url, { method: "POST", headers, body, ...(signal && { signal }) });
}

/** Asks and reads the whole reply. */
export async function post(
  handler: Fetcher,
  method: string,
  params: WireObject = {},
  options: PostOptions = {},
): Promise<WireReply> {
  return readReply(await send(handler, requestFor(method, params, options), options));
}

/** Asks and leaves the reply unread, for tests of streams and of cancelling. */
export function send(handler: Fetcher, request: Request, { env, runtime }: PostOptions = {}): Promise<Response> {
  return handler.fetch(request, env as never, runtime); // The type of `env` is the business of the test that passes one.
}

/** `tools/call`. Without `args` the request has no `arguments`. */
export function call(handler: Fetcher, name: string, args?: unknown, options: PostOptions = {}): Promise<WireReply> {
  return post(handler, "tools/call", args === undefined ? { name } : { name, arguments: args }, options);
}

/** Mirrored by `Mcp-Name`. */
const MIRRORED: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

function metaOf(params: WireObject, options: PostOptions): WireObject {
  const { capabilities = {}, clientInfo, logLevel, progressToken, meta } = options;
  return {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(clientInfo !== undefined && { "io.modelcontextprotocol/clientInfo": clientInfo }),
    ...(logLevel !== undefined && { "io.modelcontextprotocol/logLevel": logLevel }),
    ...(progressToken !== undefined && { progressToken }),
    ...(isObject(params["_meta"]) ? params["_meta"] : {}),
    ...meta,
  };
}

/** Basic/transports/streamable-http#value-encoding, for names that a header cannot carry as they are. */
export function encodeHeader(value: string): string {
  const plain = /^[\x20-\x7e\t]*$/.test(value) && value === value.trim();
  if (plain && !/^=\?base64\?.*\?=$/.test(value)) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}

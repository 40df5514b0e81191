/**
 * The headers that mirror a request's body.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#request-metadata
 */
import { encodeHeaderValue } from "../protocol/header-value.ts";
import type { JsonObject } from "../protocol/types.ts";
import { type ParamHeader, valueAt } from "../schema/param-headers.ts";

/** Which member of the params `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

export interface MirroredRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly paramHeaders?: readonly ParamHeader[] | undefined;
}

export function requestHeaders({ method, params, paramHeaders = [] }: MirroredRequest, version: string) {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream", // MUST — #sending-messages: list both.
    "mcp-protocol-version": version,
    "mcp-method": encodeHeaderValue(method),
  };
  const member = NAMED.get(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  for (const { header, path } of paramHeaders) {
    const text = textOf(valueAt(params["arguments"], path));
    if (text !== undefined) headers[header.toLowerCase()] = encodeHeaderValue(text);
  }
  return headers;
}

/**
 * MUST — #server-behavior-for-custom-headers: no header for null or nothing. Lists and objects have no header form. A value
 * of another type than the schema's is mirrored as what it is, for the server to judge.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/**
 * Headers that repeat what the body says, and whether they do.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#request-metadata
 */
import { decodeHeaderValue } from "../../src/protocol/header-value.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { META_VERSION } from "../../src/protocol/versions.ts";
import { nameIn } from "./rpc.ts";

export interface Mirrored {
  /** What the value stands for; undefined when it is not what a client may send. */
  readonly plain: string | undefined;
  /** Undefined where the body does not say. */
  readonly agrees: boolean | undefined;
}

/** @returns undefined for a header that repeats nothing */
export function mirrored(name: string, value: string, body: unknown): Mirrored | undefined {
  if (!/^mcp-(?:protocol-version|method|name|param-.+)$/.test(name)) return undefined;
  const plain = decodeHeaderValue(value);
  if (!isObject(body)) return { plain, agrees: undefined };
  const { method, params } = body;
  const { _meta, arguments: given } = isObject(params) ? params : {};
  let said: unknown;
  if (name === "mcp-method") said = method;
  else if (name === "mcp-name") said = nameIn(params);
  else if (name === "mcp-protocol-version") said = isObject(_meta) ? _meta[META_VERSION] : undefined;
  // Which argument it is stands in the tool's schema, so any will do.
  else return { plain, agrees: plain !== undefined && holds(given, plain) };
  return { plain, agrees: said === undefined ? undefined : said === plain };
}

function holds(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((member) => holds(member, text));
  return String(value) === text;
}

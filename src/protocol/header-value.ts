/**
 * Values in `Mcp-Name` and `Mcp-Param-*`: plain where a header can carry them, the Base64 sentinel elsewhere.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#value-encoding
 */
import { decodeBase64, encodeBase64 } from "./base64.ts";

const PREFIX = "=?base64?";
const SUFFIX = "?=";
/** Visible ASCII, with space and tab inside but not at the ends. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;
const FIELD_VALUE = /^[\x20-\x7e\t]*$/;

/** A string as a header value. Lone surrogates become U+FFFD, as everywhere in UTF-8. */
export function encodeHeaderValue(value: string): string {
  // MUST — #value-encoding: also encode what starts and ends like the sentinel, even where the two markers overlap.
  if (PLAIN.test(value) && !(value.startsWith(PREFIX) && value.endsWith(SUFFIX))) return value;
  return `${PREFIX}${encodeBase64(new TextEncoder().encode(value))}${SUFFIX}`;
}

/** The string a header value stands for, or undefined when it holds characters or Base64 that no client may send. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!FIELD_VALUE.test(value)) return undefined;
  if (!isSentinel(value)) return value;
  const bytes = decodeBase64(value.slice(PREFIX.length, -SUFFIX.length));
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isSentinel(value: string): boolean {
  return value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX);
}

/**
 * Standard padded Base64 (RFC 4648 section 4), the only alphabet MCP puts on the wire.
 *
 * `Uint8Array.prototype.toBase64` does the work where the runtime has it. Elsewhere the bytes go through `btoa` in
 * slices, since spreading a large array into one call overflows the stack.
 *
 * @see spec 2026-07-28 server/resources#binary-content
 */

/** Bytes per `String.fromCharCode` call: far below every engine's argument limit, and a multiple of three. */
const SLICE_BYTES = 0x6000;
const DIGITS = /^[A-Za-z0-9+/]*$/;
/** Four digits, or fewer and padding; then the digit before it has bits to spare, and those are zero. */
const LAST_GROUP = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

interface NativeBase64 {
  toBase64?(): string;
}

export function encodeBase64(bytes: Uint8Array): string {
  // TypeScript's ES2024 library does not know toBase64 yet.
  const native: Uint8Array & NativeBase64 = bytes;
  if (native.toBase64 !== undefined) return native.toBase64();
  let encoded = "";
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    encoded += btoa(String.fromCharCode(...bytes.subarray(start, start + SLICE_BYTES)));
  }
  return encoded;
}

/** The bytes, or undefined unless the text is canonical: right alphabet, padded, no white space. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  // One expression over groups of four would remember every group, and run out of stack within megabytes.
  if (text.length % 4 !== 0 || !LAST_GROUP.test(text.slice(-4)) || !DIGITS.test(text.slice(0, -4))) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** The URL-safe alphabet without padding (RFC 4648 section 5): for this side's own tokens, never for MCP content. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes, or undefined unless the text is unpadded and of the URL-safe alphabet. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/[+/=]/.test(text)) return undefined;
  const padding = "=".repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding);
}

/**
 * `Mcp-Param-*` against the arguments of a call.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#server-behavior-for-custom-headers
 */
import { headerMismatch } from "../protocol/errors.ts";
import { decodeHeaderValue } from "../protocol/header-value.ts";
import type { JsonObject } from "../protocol/types.ts";
import { type ParamHeader, valueAt } from "../schema/param-headers.ts";
import type { HeaderReader } from "./classify.ts";

/** @throws {ProtocolError} −32020 for the first header that is missing, malformed, or not what the body says */
export function checkParamHeaders(headers: readonly ParamHeader[], args: JsonObject, header: HeaderReader): void {
  for (const { header: name, path } of headers) {
    const value = valueAt(args, path);
    const sent = header(name);
    if (value === undefined || value === null) {
      // MUST NOT expect the header; one that is there all the same says something the body does not.
      if (sent !== null) throw headerMismatch(`Header mismatch: ${name} is set, but ${path.join(".")} is not`);
      continue;
    }
    if (sent === null) throw headerMismatch(`Header mismatch: ${name} is missing, but ${path.join(".")} is set`);
    const decoded = decodeHeaderValue(sent);
    if (decoded === undefined)
      throw headerMismatch(`Header mismatch: ${name} holds characters or Base64 that are not valid`);
    if (!agrees(decoded, value)) throw headerMismatch(`Header mismatch: ${name} does not match ${path.join(".")}`);
  }
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Values that have no header form (objects, arrays) agree with nothing; the schema refuses them anyway. */
function agrees(header: string, value: unknown): boolean {
  if (typeof value === "string") return header === value;
  if (typeof value === "boolean") return header === String(value);
  if (typeof value !== "number") return false;
  // Beyond 2^53 two different integers compare equal, so those never agree.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return DECIMAL.test(header) && Number(header) === value; // SHOULD — #server-validation: numerically.
}

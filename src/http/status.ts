/**
 * The one table from outcome to HTTP status.
 *
 * What is wrong with the message as such is 4xx. What a handler says about a message that was in order is 200: the HTTP
 * exchange succeeded, and a dual-era client that falls back on a bare 400 must not do so because a prompt is unknown.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http
 */
import { ErrorCode, type ProtocolError, UnavailableError } from "../protocol/errors.ts";

/** Where an error arose: while judging the message, or while serving it. */
export type Origin = "ladder" | "server";

const LADDER: ReadonlyMap<number, number> = new Map([
  [ErrorCode.ParseError, 400],
  [ErrorCode.InvalidRequest, 400],
  [ErrorCode.InvalidParams, 400], // MUST — basic/index#meta
  [ErrorCode.HeaderMismatch, 400], // MUST — #server-validation
  [ErrorCode.UnsupportedProtocolVersion, 400], // MUST — #protocol-version-header
]);

const SERVER: ReadonlyMap<number, number> = new Map([
  [ErrorCode.MethodNotFound, 404], // MUST — #protocol-version-header
  [ErrorCode.HeaderMismatch, 400], // MUST — #server-behavior-for-custom-headers
  [ErrorCode.MissingRequiredClientCapability, 400], // MUST — basic/index#meta
]);

/** Of an error that arose while serving. */
export function statusOfFailure(error: ProtocolError): number {
  if (error instanceof UnavailableError) return error.reason === "too-many" ? 429 : 503;
  return statusOf("server", error.code);
}

export function statusOf(origin: Origin, code: number): number {
  return origin === "ladder" ? (LADDER.get(code) ?? 400) : (SERVER.get(code) ?? 200);
}

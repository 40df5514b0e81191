/**
 * What HTTP said about a request that failed, kept as the `cause` of the error that the caller sees. It holds nothing of a
 * body or of a header's value but the wait, so it may be logged.
 */
import { McpError, ProtocolError } from "../protocol/errors.ts";
import { parseRetryAfter } from "./back-off.ts";

export class HttpFailure {
  readonly status: number;
  /** From `Retry-After`, in milliseconds from when the response came. */
  readonly retryAfterMs: number | undefined;
  /** Whether a server of an older revision answers like this. */
  readonly legacy: boolean;
  constructor({ status, headers }: Response, legacy: boolean, now: number) {
    this.status = status;
    this.retryAfterMs = parseRetryAfter(headers.get("retry-after"), now);
    this.legacy = legacy;
  }
}

/** What HTTP said when `error` came about, if it was HTTP's doing. */
export function httpFailureOf(error: unknown): HttpFailure | undefined {
  const known = error instanceof McpError || error instanceof ProtocolError;
  return known && error.cause instanceof HttpFailure ? error.cause : undefined;
}

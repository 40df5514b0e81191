/**
 * The one place where an unknown throw becomes a response: a fixed message for the caller, the detail for the operator.
 *
 * @see spec 2026-07-28 basic/index#error-codes
 */
import { ErrorCode, invalidParams, ProtocolError } from "../protocol/errors.ts";
import type { Exchange } from "./exchange.ts";

const MCP_CODES: ReadonlySet<number> = new Set(Object.values(ErrorCode));

/** Reports `error` and returns what the caller may know of it. */
export function internalError(exchange: Pick<Exchange, "report">, error: unknown): ProtocolError {
  exchange.report(error);
  return new ProtocolError(ErrorCode.InternalError, "Internal error");
}

/** A `ProtocolError` that may go out as it is; anything else is reported and hidden. */
export function toProtocolError(exchange: Pick<Exchange, "report" | "params">, error: unknown): ProtocolError {
  if (error instanceof ProtocolError && mayEmit(error.code) && isWritable(error.data)) return error;
  return tooDeep(exchange, error) ?? internalError(exchange, error);
}

/** Parsing knows no depth, but writing recurses: some thousand levels end it. */
const MAX_DEPTH = 500;

/** What to say when a stack overflowed and the caller's nesting is why: not a fault of this side, nor one to report. */
export function tooDeep({ params }: Pick<Exchange, "params">, error: unknown): ProtocolError | undefined {
  if (!(error instanceof RangeError)) return undefined;
  let level: unknown[] = [params];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
    if (level.length === 0) return undefined;
  }
  return invalidParams("Invalid params: nested too deeply");
}

/** Data with a BigInt or a cycle would throw where the response is written, too late to answer with anything else. */
function isWritable(data: unknown): boolean {
  try {
    JSON.stringify(data);
    return true;
  } catch {
    return false;
  }
}

/** MUST NOT — basic/index#error-codes: codes from the reserved range that the specification does not define. */
function mayEmit(code: number): boolean {
  return Number.isSafeInteger(code) && (MCP_CODES.has(code) || code < -32768 || code > -32000);
}

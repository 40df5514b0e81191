/**
 * Whether an answer to a modern request gives its server away as one of an older era, which wants `initialize` first.
 *
 * Contract: pure, never throws. The body decides, not one status: the same 400 and 404 come from modern servers, with one
 * of the errors listed here. An answer that says nothing of eras, such as 401, 429 or 503, is no signal at all, and neither
 * is a result. A server that turns out not to know `initialize` either has the first answer stand.
 *
 * @see spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions,
 *   basic/transports/streamable-http#backward-compatibility
 */
import { ErrorCode } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import { MODERN_VERSION } from "../protocol/versions.ts";
import { errorIn } from "./reply.ts";

/**
 * What legacy servers say to a POST without a session, in a shape they do not know, or to a path that takes only GET. 422
 * is what web frameworks make of a body that fails their own validation. Other statuses of 400 to 499 are about the
 * caller (401, 403, 429) or the message's size.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 415, 422]);

/**
 * The official Python servers reject a method that they do not know as invalid parameters, in exactly these words and with
 * status 200; stateful ones say the same to all that comes before `initialize`.
 */
const PYTHON_REFUSAL = "Invalid request parameters";

/** @param body a response of JSON-RPC; anything else has no meaning here */
export function isLegacyAnswer(status: number, body: unknown): boolean {
  const accepted = status >= 200 && status < 300;
  if (!accepted && !REFUSALS.has(status)) return false;
  const error = isObject(body) ? errorIn(body) : undefined;
  if (error === undefined) return !accepted;
  switch (error["code"]) {
    case ErrorCode.HeaderMismatch:
    case ErrorCode.MissingRequiredClientCapability:
      return false;
    case ErrorCode.UnsupportedProtocolVersion:
      return namesOnlyLegacy(error["data"]);
    case ErrorCode.MethodNotFound:
      // MUST — basic/transports/streamable-http#server-validation: a modern server says so with 404.
      return status !== 404;
    case ErrorCode.InvalidParams:
      // MUST — basic/index#meta: a modern server says so of `_meta` with 400; with 200 it is about the arguments.
      return status === 400 ? false : !accepted || error["message"] === PYTHON_REFUSAL;
    case ErrorCode.InvalidRequest:
      return true;
    default:
      return !accepted;
  }
}

/** A dual-era server may know this era's error without speaking this era. */
function namesOnlyLegacy(data: unknown): boolean {
  const supported = isObject(data) ? data["supported"] : undefined;
  if (!Array.isArray(supported) || supported.length === 0) return false;
  // Revisions are dates, so they compare as text.
  return supported.every((version) => typeof version === "string" && version < MODERN_VERSION);
}

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
import type { JsonObject } from "../protocol/types.ts";
import { MODERN_VERSION } from "../protocol/versions.ts";

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

/** @param bodyText JSON, or an event stream that was read to its end. Anything else has no meaning here. */
export function isLegacyAnswer(status: number, contentType: string | null, bodyText: string): boolean {
  const accepted = status >= 200 && status < 300;
  if (!accepted && !REFUSALS.has(status)) return false;
  const error = errorIn(contentType, bodyText);
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

/** The error of the first JSON-RPC error response in the body. */
function errorIn(contentType: string | null, bodyText: string): JsonObject | undefined {
  const isStream = contentType !== null && /^\s*text\/event-stream\s*(;|$)/i.test(contentType);
  for (const text of isStream ? dataOf(bodyText) : [bodyText]) {
    const message = parsed(text);
    if (!isObject(message) || message["jsonrpc"] !== "2.0") continue;
    const error = message["error"];
    if (isObject(error) && Number.isInteger(error["code"])) return error;
  }
  return undefined;
}

function dataOf(stream: string): string[] {
  return stream
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Web servers put pages of their own here, or nothing.
  }
}

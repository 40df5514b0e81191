/**
 * JSON-RPC 2.0 envelopes: text to a message, and results and errors to text.
 *
 * Ids travel as the JSON text they arrived as. That is what lets `0`, `""` and integers beyond 2^53 come back exactly,
 * and it saves serialising them again.
 *
 * @see spec 2026-07-28 basic/index#messages
 */
import { ErrorCode, ProtocolError } from "./errors.ts";
import type { JsonObject } from "./types.ts";

export interface JsonRpcRequest {
  readonly kind: "request";
  /** The id as JSON text, ready to be put into a response. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
}
export interface JsonRpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject | undefined;
}
export interface InvalidMessage {
  readonly kind: "invalid";
  readonly error: ProtocolError;
  /** The id where it could be read, as JSON text. */
  readonly id: string | undefined;
}
export type ParsedMessage = JsonRpcRequest | JsonRpcNotification | InvalidMessage;

/** Judges one message. Never throws. */
export function parseMessage(text: string): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid(ErrorCode.ParseError, "Parse error: the body is not valid JSON");
  }
  if (Array.isArray(value)) {
    // MUST — basic/transports/streamable-http#sending-messages: one message a POST.
    return invalid(ErrorCode.InvalidRequest, "Invalid request: batches are not supported, send one message per POST");
  }
  if (!isObject(value)) return invalid(ErrorCode.InvalidRequest, "Invalid request: a message is a JSON object");

  const hasId = Object.hasOwn(value, "id");
  const id = hasId ? idText(value["id"], text) : undefined;
  if (value["jsonrpc"] !== "2.0")
    return invalid(ErrorCode.InvalidRequest, 'Invalid request: jsonrpc must be "2.0"', id);
  const method = value["method"];
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return invalid(ErrorCode.InvalidRequest, "Invalid request: a server takes no responses");
  }
  if (typeof method !== "string")
    return invalid(ErrorCode.InvalidRequest, "Invalid request: method must be a string", id);
  if (hasId && id === undefined) {
    return invalid(ErrorCode.InvalidRequest, "Invalid request: id must be a string or an integer");
  }
  const params = value["params"];
  if (params !== undefined && !isObject(params)) {
    return invalid(ErrorCode.InvalidRequest, "Invalid request: params must be an object", id);
  }
  return id === undefined ? { kind: "notification", method, params } : { kind: "request", id, method, params };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A complete response around a result that is already JSON text. */
export function encodeResult(id: string, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultJson}}`;
}

/** A complete error response; without an id where none could be read. */
export function encodeError(id: string | undefined, error: ProtocolError): string {
  const member = JSON.stringify({ code: error.code, message: error.message, data: error.data });
  return id === undefined ? `{"jsonrpc":"2.0","error":${member}}` : `{"jsonrpc":"2.0","id":${id},"error":${member}}`;
}

export function encodeNotification(method: string, params: JsonObject): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

function invalid(code: number, message: string, id?: string): InvalidMessage {
  return { kind: "invalid", error: new ProtocolError(code, message), id };
}

/** The id as JSON text, or undefined when it is not a string or an integer that can be echoed exactly. */
function idText(id: unknown, source: string): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number" || !Number.isInteger(id)) return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  return sourceOfId(source);
}

type SourceReviver = (this: object, key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * The digits of a top-level integer id too large for a double. Reached only for such ids, so the second parse is rare.
 * Where a runtime lacks source text access, the id is refused instead of changed.
 */
function sourceOfId(source: string): string | undefined {
  const digits = new Map<object, string>();
  const reviver: SourceReviver = function (key, value, context) {
    if (key === "id" && context?.source !== undefined) digits.set(this, context.source);
    return value;
  };
  let root: unknown;
  try {
    root = JSON.parse(source, reviver);
  } catch {
    return undefined; // Nested deeper than a reviver can follow: it recurses, where plain parsing does not.
  }
  const found = digits.get(root as object); // Only an object has an id, and only an object gets here.
  return found !== undefined && /^-?\d{1,400}$/.test(found) ? found : undefined;
}

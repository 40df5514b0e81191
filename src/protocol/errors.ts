/**
 * Errors that cross the wire, and the one place that lists their codes.
 *
 * A `ProtocolError` becomes the `error` member of a JSON-RPC response as it stands, so its message and data must be fit
 * for a stranger to read. Local failures are `McpError`s and never serialised.
 *
 * @see spec 2026-07-28 basic/index#error-codes
 */
import type { ClientCapabilities } from "./types.ts";

// By themselves as well, for clients: what uses one member of an object has all of it in its bundle.
export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;

export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  HeaderMismatch: HEADER_MISMATCH,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: UNSUPPORTED_VERSION,
} as const;

/** A failure to report to the peer. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  /** An integer from the JSON-RPC or MCP ranges, or an application's own outside −32768 … −32000. */
  readonly code: number;
  /** Any JSON value with more about the failure. */
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The request was in order, and may well be served a little later. */
export class UnavailableError extends ProtocolError {
  /** `too-many`: it is this caller who has enough. `busy`: nobody is served just now. */
  readonly reason: "too-many" | "busy";
  readonly retryAfterMs: number;
  constructor(reason: "too-many" | "busy", message: string, retryAfterMs: number) {
    super(ErrorCode.InternalError, message, { retryAfterMs });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A failure of this side alone, told apart by a stable `code`; `cause` holds what led to it. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Thrown by a tool to tell the model what went wrong: the call ends with `isError: true` and this message. Any other
 * error a tool throws is reported without its message, because messages tend to hold paths, queries and secrets.
 *
 * @see spec 2026-07-28 server/tools#error-handling
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ErrorCode.InvalidParams, message, data);
}

export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(ErrorCode.MethodNotFound, `Method not found: ${clip(method)}`);
}

export function headerMismatch(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.HeaderMismatch, message);
}

/** MUST — basic/index#meta: name what the client would have had to declare. */
export function missingCapability(requiredCapabilities: ClientCapabilities): ProtocolError {
  const names = Object.keys(requiredCapabilities).join(", ");
  return new ProtocolError(
    ErrorCode.MissingRequiredClientCapability,
    `This request needs a client capability that was not declared: ${names}`,
    { requiredCapabilities },
  );
}

/** MUST — basic/versioning#protocol-version-negotiation. */
export function unsupportedVersion(requested: string, supported: readonly string[]): ProtocolError {
  return new ProtocolError(
    ErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version: this server speaks ${supported.join(", ")}`,
    { supported, requested },
  );
}

/** Longest stretch of a peer's own text repeated in a message: enough to recognise it, too little to flood a log. */
const CLIP_LENGTH = 128;

/** Shortens text that came from the peer before it goes into a message, without cutting a surrogate pair. */
export function clip(text: string, length: number = CLIP_LENGTH): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

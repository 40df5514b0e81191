/**
 * What a transport hands the server for one request, and what the server hands back: the seam that keeps HTTP, stdio
 * and custom transports interchangeable.
 */
import type { RequestMeta } from "../protocol/meta.ts";
import type { Change } from "../protocol/subscription.ts";
import type { JsonObject } from "../protocol/types.ts";
import type { ParamHeader } from "../schema/param-headers.ts";
import type { StateSealer } from "./sealed-state.ts";

/** Who is calling, as the transport's authentication established it. */
export interface AuthInfo {
  /** Identifies the principal; sealed state and private caches are bound to it. */
  readonly subject: string;
  readonly scopes?: readonly string[];
  readonly clientId?: string;
  readonly claims?: JsonObject;
  /** Seconds since the epoch. */
  readonly expiresAt?: number;
}

/** The parts of a request that a list or a permission may depend on. */
export interface Caller<Env = unknown> {
  readonly auth: AuthInfo | null;
  readonly env: Env;
  /** The Web-standard request, where the transport has one. */
  readonly request: Request | undefined;
  readonly meta: RequestMeta;
}

export interface Exchange<Env = unknown> extends Caller<Env> {
  /** The request's id as JSON text. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly sealer: StateSealer;
  /** Aborts when the caller cancels or goes away. Made on first use, since most calls never look. */
  readonly signal: AbortSignal;
  /**
   * Sends a complete notification, as JSON text, on this request's own stream.
   *
   * @param maxUnread how many bytes may lie there unread for one more to be added; by default as many as the transport
   * thinks right
   * @returns false when it was not sent: the caller reads too slowly, takes no notifications, or the request has ended
   */
  notify(json: string, maxUnread?: number): boolean;
  /** Calls back each time the caller has read some of what was sent. */
  onRead(callback: () => void): void;
  /** Breaks the reply off, without a result. */
  hangUp(): void;
  /** Hands changes to the server's subscriptions. Set by the server, which knows whether it has any. */
  publish?: ((changes: readonly Change[]) => Promise<void>) | undefined;
  /** Keeps the runtime alive for work that outlives the reply. */
  waitUntil(work: Promise<unknown>): void;
  /** Tells the operator, never the caller. */
  report(error: unknown): void;
  /**
   * Compares mirrored headers with the arguments, where the transport mirrors them.
   *
   * @throws {ProtocolError} −32020
   */
  checkParamHeaders(headers: readonly ParamHeader[], args: JsonObject): void;
}

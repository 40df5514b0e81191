/**
 * One request that waits for its response: its time, its callbacks, and what to do once it is given up.
 *
 * @see spec 2025-11-25 basic/lifecycle#timeouts, basic/utilities/progress
 */
import { McpError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { type JsonObject, LOG_LEVELS } from "../../protocol/types.ts";
import { Deadline } from "../deadline.ts";
import type { Patience } from "../http-request.ts";
import { orAbort } from "../or-abort.ts";
import { errorIn, protocolErrorOf } from "../reply.ts";
import { logIn, progressIn } from "../request-notifications.ts";
import type { RequestOptions } from "../session.ts";
import { deferred } from "./deferred.ts";

/** At the latest this often a request is kept alive while somebody on this side has to answer first. */
const BEAT_MS = 10_000;
/** No error, since nothing failed, and since one is made for each request otherwise, stack and all. */
const SETTLED = "settled";

export interface PendingHooks {
  /** Called when this side gives up while the server is still at work. */
  readonly abandoned: (request: PendingRequest, reason: string) => void;
  /** Aborts when all requests are given up. */
  readonly closed: AbortSignal;
}

export class PendingRequest implements Patience {
  readonly id: number;
  readonly method: string;
  readonly result: Promise<JsonObject>;
  /** Whether the server may have heard of it. */
  isSent = false;
  readonly #options: RequestOptions;
  readonly #deadline: Deadline;
  readonly #abandoned: PendingHooks["abandoned"];
  readonly #settled = new AbortController();
  readonly #resolve: (result: JsonObject) => void;
  readonly #reject: (error: unknown) => void;
  /** How many of the server's own requests are being answered for this one. */
  #held = 0;
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(
    { id, method }: { readonly id: number; readonly method: string },
    options: RequestOptions,
    { abandoned, closed }: PendingHooks,
  ) {
    this.id = id;
    this.method = method;
    this.#options = options;
    this.#abandoned = abandoned;
    const { promise, resolve, reject } = deferred<JsonObject>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = new Deadline(options, closed);
    const { signal } = this.#deadline;
    const late = (): void => this.#giveUp(signal.reason);
    signal.addEventListener("abort", late);
    if (signal.aborted) late();
  }

  /** Aborts once the request has its result, its error, or nobody who waits for it. */
  get signal(): AbortSignal {
    return this.#settled.signal;
  }

  /** Takes a response as it arrived. */
  respond(message: JsonObject): void {
    const { result } = message;
    // Not all servers of this era say which JSON-RPC it is.
    const error = errorIn({ ...message, jsonrpc: "2.0" });
    if (isObject(result)) this.#settle(() => this.#resolve(result));
    else if (error !== undefined) this.fail(protocolErrorOf(error));
    else this.fail(new McpError("invalid_response", `The response to ${this.method} has no result and no error`));
  }

  fail(error: unknown): void {
    this.#settle(() => this.#reject(error));
  }

  progressed(params: JsonObject): void {
    this.#deadline.heard();
    const progress = progressIn(params);
    if (progress !== undefined) this.#call(() => this.#options.onProgress?.(progress));
  }

  logged(params: JsonObject): void {
    const { onLog, logLevel = "info" } = this.#options;
    const log = logIn(params);
    // The level is the session's, so another request may have asked for more.
    if (log !== undefined && LOG_LEVELS.indexOf(log.level) >= LOG_LEVELS.indexOf(logLevel))
      this.#call(() => onLog?.(log));
  }

  /** Stops the clock while somebody on this side has to answer first; `maxTimeoutMs` goes on. @returns to go on */
  hold(): () => void {
    if (this.signal.aborted) return () => undefined;
    const { timeoutMs = Infinity } = this.#options;
    this.#held += 1;
    this.#beat ??= setInterval(() => this.#deadline.heard(), Math.min(timeoutMs / 2, BEAT_MS));
    return () => {
      this.#held -= 1;
      this.#deadline.heard();
      if (this.#held === 0) this.#stopBeat();
    };
  }

  race<T>(work: Promise<T>): Promise<T> {
    return orAbort(work, this.signal);
  }

  /** The outcome of `work`, with no clock running, unless the request is given up first. */
  async unhurried<T>(work: Promise<T>): Promise<T> {
    try {
      return await this.#deadline.unhurried(work);
    } finally {
      if (this.signal.aborted) this.#deadline.end();
    }
  }

  #giveUp(error: unknown): void {
    if (this.signal.aborted) return;
    this.fail(error);
    this.#abandoned(this, error instanceof McpError && error.code === "timeout" ? "timed out" : "given up");
  }

  #settle(how: () => void): void {
    if (this.signal.aborted) return;
    how();
    this.#deadline.end();
    this.#stopBeat();
    this.#settled.abort(SETTLED);
  }

  #stopBeat(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  /** What a callback throws ends its request, and not the stream, which may carry more than that. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#giveUp(error);
    }
  }
}

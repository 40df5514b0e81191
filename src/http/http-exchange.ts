/**
 * One request over HTTP, as the server sees it.
 */
import type { RequestMeta } from "../protocol/meta.ts";
import type { JsonRpcRequest } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";
import type { ParamHeader } from "../schema/param-headers.ts";
import type { AuthInfo, Exchange } from "../server/exchange.ts";
import type { StateSealer } from "../server/sealed-state.ts";
import { checkParamHeaders } from "./check-param-headers.ts";
import type { Reply, ReplyHooks } from "./reply.ts";
import type { Sealers } from "./state-keys.ts";

/** What a runtime passes beside the request. */
export interface RuntimeContext {
  waitUntil?(work: Promise<unknown>): void;
}

/** What the handler's options and the runtime contribute, the same for many requests. */
export interface Surroundings<Env> {
  readonly env: Env;
  readonly runtime: RuntimeContext | undefined;
  readonly sealers: Sealers<Env>;
  readonly onError: (error: unknown, context: { method: string }) => void;
}

export class HttpExchange<Env> implements Exchange<Env>, ReplyHooks {
  readonly request: Request;
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: RequestMeta;
  readonly auth: AuthInfo | null;
  publish: Exchange<Env>["publish"];
  readonly #surroundings: Surroundings<Env>;
  #onRead: (() => void) | undefined;
  #reply: Reply | undefined;
  #work: Promise<unknown> | undefined;
  #controller: AbortController | undefined;
  #cancelled = false;

  constructor(
    request: Request,
    message: { request: JsonRpcRequest; meta: RequestMeta; auth: AuthInfo | null },
    surroundings: Surroundings<Env>,
  ) {
    this.request = request;
    this.id = message.request.id;
    this.method = message.request.method;
    this.params = message.request.params ?? {};
    this.meta = message.meta;
    this.auth = message.auth;
    this.#surroundings = surroundings;
  }

  get env(): Env {
    return this.#surroundings.env;
  }
  get sealer(): StateSealer {
    return this.#surroundings.sealers.for(this.#surroundings.env);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const gone = this.request.signal;
      if (this.#cancelled || gone.aborted) this.cancelled();
      else gone.addEventListener("abort", () => this.cancelled(), { once: true });
    }
    return this.#controller.signal;
  }

  /** Notices a caller that goes away, whether or not the handler looks. */
  opened(): void {
    void this.signal;
  }

  /** MUST — basic/transports/streamable-http#cancellation: closing the response stream cancels the request. */
  cancelled(): void {
    this.#cancelled = true;
    this.#reply?.abandon();
    // A Worker is stopped once its caller has gone, in the middle of whatever the handler has to tidy up.
    if (this.#work !== undefined) this.#surroundings.runtime?.waitUntil?.(this.#work);
    this.#controller?.abort(new DOMException("The caller cancelled the request", "AbortError"));
  }

  /** Where notifications go. Set before the server sees the exchange. */
  attach(reply: Reply): void {
    this.#reply = reply;
  }

  /** What a cancelled request is given time to wind up. Never rejects. */
  follow(work: Promise<unknown>): void {
    this.#work = work;
  }

  notify(json: string, maxUnread?: number): boolean {
    return !this.#cancelled && this.#reply?.notify(json, maxUnread) === true;
  }

  onRead(callback: () => void): void {
    this.#onRead = callback;
  }

  read(): void {
    this.#onRead?.();
  }

  hangUp(): void {
    this.#reply?.hangUp();
  }

  waitUntil(work: Promise<unknown>): void {
    const guarded = work.catch((error: unknown) => this.report(error));
    this.#surroundings.runtime?.waitUntil?.(guarded);
  }

  report(error: unknown): void {
    // An abort that the caller caused is how cancelling looks from inside, not a fault.
    if (this.#cancelled && error instanceof DOMException && error.name === "AbortError") return;
    this.#surroundings.onError(error, { method: this.method });
  }

  checkParamHeaders(headers: readonly ParamHeader[], args: JsonObject): void {
    checkParamHeaders(headers, args, (name) => this.request.headers.get(name));
  }
}

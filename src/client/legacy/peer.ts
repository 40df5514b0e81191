/**
 * The JSON-RPC half of a legacy session: which response belongs to which request, and what becomes of what the server
 * sends of its own accord. Knows nothing of HTTP.
 *
 * @see spec 2025-11-25 basic/index#messages, basic/utilities/cancellation
 */
import { ErrorCode, ProtocolError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { JsonObject } from "../../protocol/types.ts";
import type { Connection, RequestOptions } from "../session.ts";
import { answerRequest } from "./answers.ts";
import { PendingRequest } from "./pending.ts";

export interface PeerHooks {
  /** Sends a notification or a response. Never rejects: what goes wrong is told to nobody but the host's warnings. */
  tell(message: JsonObject): Promise<void>;
  /** Change notifications, and whatever else is not the peer's own. */
  notified(method: string, params: JsonObject): void;
  /** Aborts when the session is closed. */
  readonly closed: AbortSignal;
}

/** Our choice: how many of the server's requests are with the host, or on their way back, before more are dropped. */
const MAX_OPEN_QUESTIONS = 100;

export class Peer {
  readonly #connection: Connection;
  readonly #hooks: PeerHooks;
  readonly #pending = new Map<number, PendingRequest>();
  /** The server's requests that are being answered, by their ids as JSON text: `1` and `"1"` are different. */
  readonly #questions = new Map<string, AbortController>();
  #lastId = 0;

  constructor(connection: Connection, hooks: PeerHooks) {
    this.#connection = connection;
    this.#hooks = hooks;
  }

  /** A new request, waiting from now on. Its message is still to be sent. */
  open(method: string, options: RequestOptions): PendingRequest {
    this.#lastId += 1;
    const id = this.#lastId;
    const request = new PendingRequest({ id, method }, options, {
      closed: this.#hooks.closed,
      abandoned: (abandoned, reason) => this.#cancel(abandoned, reason),
    });
    this.#pending.set(id, request);
    request.signal.addEventListener("abort", () => this.#pending.delete(id));
    if (request.signal.aborted) this.#pending.delete(id);
    return request;
  }

  received(message: unknown, requestId: number | undefined): void {
    // Revision 2025-03-26 has batches.
    if (Array.isArray(message)) return message.forEach((one) => this.received(one, requestId));
    if (!isObject(message)) return;
    const { id, method } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") this.#respond(message, requestId);
    else if (id === undefined) this.#notified(method, params, requestId);
    else if (typeof id === "string" || typeof id === "number") void this.#answer({ id, method, params }, requestId);
  }

  /** Nothing more can come for these requests, or for any. */
  fail(error: unknown): void {
    for (const request of this.#pending.values()) request.fail(error);
    for (const question of this.#questions.values()) question.abort(error);
  }

  #respond(message: JsonObject, requestId: number | undefined): void {
    const { id } = message;
    // An error without an id, on the stream or in the body of a request, can only be about that request.
    const about = (id === undefined || id === null) && isObject(message["error"]) ? requestId : id;
    if (typeof about === "number") this.#pending.get(about)?.respond(message);
  }

  #notified(method: string, params: JsonObject, requestId: number | undefined): void {
    if (method === "notifications/progress") {
      const token = params["progressToken"];
      if (typeof token === "number") this.#pending.get(token)?.progressed(params);
    } else if (method === "notifications/message") {
      for (const request of this.#concerned(requestId)) request.logged(params);
    } else if (method === "notifications/cancelled") {
      this.#questions.get(JSON.stringify(params["requestId"]))?.abort();
    } else this.#hooks.notified(method, params);
  }

  async #answer(
    request: { readonly id: string | number; readonly method: string; readonly params: JsonObject },
    requestId: number | undefined,
  ): Promise<void> {
    const key = JSON.stringify(request.id);
    // An id that is in use is one that was sent again after a reconnect: it is being answered.
    if (this.#questions.has(key) || this.#questions.size >= MAX_OPEN_QUESTIONS) return;
    const given = new AbortController();
    const origin = requestId === undefined ? undefined : this.#pending.get(requestId);
    const signal = origin === undefined ? given.signal : AbortSignal.any([given.signal, origin.signal]);
    const releases = this.#concerned(requestId).map((one) => one.hold());
    const reply = { jsonrpc: "2.0", id: request.id };
    try {
      this.#questions.set(key, given);
      const result = await answerRequest(this.#connection, request, signal);
      // MUST NOT — basic/utilities/cancellation: what was cancelled gets no response.
      if (!signal.aborted) await this.#hooks.tell({ ...reply, result });
    } catch (error) {
      const { code, message, data } =
        error instanceof ProtocolError ? error : new ProtocolError(ErrorCode.InternalError, "Internal error");
      if (!signal.aborted)
        await this.#hooks.tell({ ...reply, error: { code, message, ...(data !== undefined && { data }) } });
    } finally {
      if (this.#questions.get(key) === given) this.#questions.delete(key);
      for (const release of releases) release();
    }
  }

  /** Whom something concerns that the server sent on the stream of a request, or on none: then any may be meant. */
  #concerned(requestId: number | undefined): PendingRequest[] {
    if (requestId === undefined) return [...this.#pending.values()];
    const request = this.#pending.get(requestId);
    return request === undefined ? [] : [request];
  }

  #cancel({ id: requestId, method, isSent }: PendingRequest, reason: string): void {
    // MUST NOT — basic/utilities/cancellation#behavior-requirements: `initialize` is never cancelled.
    if (!isSent || method === "initialize") return;
    void this.#hooks.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  }
}

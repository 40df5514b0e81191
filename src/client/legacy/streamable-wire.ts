/**
 * Streamable HTTP as revisions 2025-03-26 to 2025-11-25 have it: a session id, a stream of the server's own, and streams
 * that go on after they broke.
 *
 * @see spec 2025-11-25 basic/transports#streamable-http
 */
import { McpError } from "../../protocol/errors.ts";
import { parsed } from "../../protocol/json-text.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { pause } from "../back-off.ts";
import { discard, type OutgoingRequest, type Patience, patienceOf, send } from "../http-request.ts";
import { mediaTypeOf, readText } from "../message-stream.ts";
import type { Connection } from "../session.ts";
import { readEvents } from "./event-reader.ts";
import { legacyRefusalOf } from "./refusal.ts";
import { type Outgoing, SessionLost, type Wire, type WireOwner } from "./wire.ts";

/** Our choice where a server names no `retry`: what browsers wait, less a little. */
const RETRY_MS = 1_000;
/** Our choice for servers that name none, or next to none. */
const MIN_RETRY_MS = 100;
/** To this the wait grows for servers that have nothing to say each time, unless they name a longer one. */
const IDLE_RETRY_MS = 5_000;
/** A server that asks for more would have its clients wait until they give up. */
const MAX_RETRY_MS = 600_000;
/** How often in a row a stream is asked for in vain before it counts as lost. */
const MAX_FAILURES = 3;
/**
 * How long the answer to GET is waited for. Those who refuse do so at once; some who agree send no headers before the first
 * event, and have heard of it by then.
 */
const LISTEN_PATIENCE_MS = 300;
/** What servers say that have no stream to offer: 405 by the spec, 404 of a router, 501, and 400 and 406 of the SDKs. */
const NOT_OFFERED: ReadonlySet<number> = new Set([400, 404, 405, 406, 501]);
const LEAVE_TIMEOUT_MS = 5_000;

/** Of one stream, over all the connections that it takes. */
interface Stream {
  readonly requestId: number | undefined;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  bytes: number;
  lastEventId: string;
  retryMs: number;
  /** How many connections in a row brought no message. */
  idle: number;
}

const FRESH = { bytes: 0, lastEventId: "", retryMs: RETRY_MS, idle: 0 };

export class StreamableWire implements Wire {
  readonly answersLater = false;
  readonly #connection: Connection;
  readonly #owner: WireOwner;
  /** Aborts when the stream of the server's own is of no use any longer. */
  readonly #deaf = new AbortController();
  #isClosed = false;
  #sessionId: string | undefined;
  #version: string | undefined;
  /** Whether there is a stream of the server's own, once that is known. Undefined: none is open, and it may be tried. */
  #listening: Promise<boolean> | undefined;
  /** Whether there was such a stream in this session. A server that refuses it now does not know the session. */
  #hasListened = false;

  constructor(connection: Connection, owner: WireOwner) {
    this.#connection = connection;
    this.#owner = owner;
  }

  agreed(version: string): void {
    this.#version = version;
  }

  async send(message: JsonObject, outgoing: Outgoing): Promise<void> {
    const { id, signal } = outgoing;
    const sessionId = this.#sessionId;
    const response = await this.#fetch("POST", outgoing, { body: JSON.stringify(message) });
    if (!response.ok) throw await legacyRefusalOf(response, this.#connection, { signal, sessionId });
    // Before the body is read: what is sent next depends on what it says.
    if (message["method"] === "initialize") this.#sessionId = response.headers.get("mcp-session-id") ?? undefined;
    if (id === undefined) discard(response);
    else await this.#readAnswer(response, id, signal);
  }

  listen(): Promise<boolean> {
    this.#listening ??= this.#startListening();
    return this.#listening;
  }

  forget(): void {
    this.#deaf.abort();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deaf.abort();
    if (this.#sessionId === undefined) return;
    try {
      discard(await this.#fetch("DELETE", patienceOf(AbortSignal.timeout(LEAVE_TIMEOUT_MS))));
    } catch {
      // The server forgets the session in time, as it does with those who just go away.
    }
  }

  #fetch(
    method: OutgoingRequest["method"],
    patience: Patience,
    { body, lastEventId = "" }: { readonly body?: string; readonly lastEventId?: string } = {},
  ): Promise<Response> {
    const headers = {
      accept: method === "POST" ? "application/json, text/event-stream" : "text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(lastEventId !== "" && { "last-event-id": lastEventId }),
      ...(this.#sessionId !== undefined && { "mcp-session-id": this.#sessionId }),
      ...(this.#version !== undefined && { "mcp-protocol-version": this.#version }),
    };
    const { url } = this.#connection;
    return send(this.#connection, { method, url, headers, body }, patience);
  }

  async #readAnswer(response: Response, requestId: number, signal: AbortSignal): Promise<void> {
    const { limits } = this.#connection;
    const type = mediaTypeOf(response);
    if (type === "json") {
      const message = parsed(await readText(response, limits.maxMessageBytes, { signal }));
      if (message === undefined) throw new McpError("invalid_response", "The body is not JSON");
      return this.#owner.received(message, requestId);
    }
    if (type !== "stream") {
      discard(response);
      throw new McpError("invalid_response", `A request was answered with status ${response.status} and no JSON`);
    }
    await this.#follow(response, {
      requestId,
      signal,
      maxBytes: limits.maxStreamBytes,
      ...FRESH,
    });
  }

  #startListening(): Promise<boolean> {
    const settled = new AbortController();
    const opening = this.#openListening();
    const known = Promise.race([opening, pause(LISTEN_PATIENCE_MS, settled.signal).then(() => true)]);
    // After the race has taken note, since this ends the wait too.
    opening.then(
      () => settled.abort(),
      (error: unknown) => {
        settled.abort();
        this.#stoppedListening(error);
      },
    );
    return known;
  }

  async #openListening(): Promise<boolean> {
    const { signal } = this.#deaf;
    const response = await this.#fetch("GET", patienceOf(signal));
    if (!response.ok && !NOT_OFFERED.has(response.status)) {
      throw await legacyRefusalOf(response, this.#connection, { signal });
    }
    if (!response.ok || mediaTypeOf(response) !== "stream") {
      discard(response);
      if (this.#hasListened) throw new SessionLost("The server has forgotten the session");
      this.#stoppedListening(undefined);
      this.#listening = Promise.resolve(false);
      return false;
    }
    this.#hasListened = true;
    void this.#follow(response, {
      requestId: undefined,
      signal,
      maxBytes: Infinity,
      ...FRESH,
    }).then(
      () => this.#stoppedListening(undefined),
      (error: unknown) => this.#stoppedListening(error),
    );
    return true;
  }

  #stoppedListening(error: unknown): void {
    this.#listening = undefined;
    if (!this.#deaf.signal.aborted) this.#owner.deafened(error, false);
  }

  /** Reads a stream over as many connections as it takes; resolves when nobody waits any longer, or nothing can come. */
  async #follow(first: Response, stream: Stream): Promise<void> {
    let response: Response | undefined = first;
    while (response !== undefined && !stream.signal.aborted) {
      stream.idle += 1;
      const failure = await this.#readConnection(response, stream);
      if (stream.signal.aborted) return;
      // Without an id there is nothing to go on from.
      if (stream.lastEventId === "") {
        if (failure !== undefined) throw new McpError("stream_ended", "The stream broke off", { cause: failure });
        return;
      }
      const ms = Math.max(stream.retryMs, MIN_RETRY_MS);
      await pause(Math.max(ms, Math.min(ms * 2 ** (stream.idle - 1), IDLE_RETRY_MS)), stream.signal);
      response = await this.#resume(stream);
    }
  }

  /** @returns what cut the connection, if it did not just end */
  async #readConnection(response: Response, stream: Stream): Promise<unknown> {
    const sink = {
      event: ({ id, event = "message", data }: { id?: string; event?: string; data: string }): void => {
        if (id !== undefined) stream.lastEventId = id;
        const message = event === "message" && data.trim() !== "" ? parsed(data) : undefined;
        if (message === undefined) return;
        stream.idle = 0;
        this.#owner.received(message, stream.requestId);
      },
      retry: (ms: number): void => {
        stream.retryMs = Math.min(ms, MAX_RETRY_MS);
      },
    };
    const limits = { ...this.#connection.limits, maxStreamBytes: stream.maxBytes };
    try {
      await readEvents(response.body, sink, { limits, signal: stream.signal, count: stream });
      return undefined;
    } catch (error) {
      if (error instanceof McpError) throw error;
      return error;
    }
  }

  /** SHOULD — 2025-11-25 basic/transports#resumability-and-redelivery. @returns undefined when that is no use */
  async #resume({ lastEventId, signal, retryMs }: Stream): Promise<Response | undefined> {
    for (let failures = 0; failures < MAX_FAILURES && !signal.aborted; failures += 1) {
      if (failures > 0) await pause(Math.max(retryMs, RETRY_MS) * failures, signal);
      try {
        const response = await this.#fetch("GET", patienceOf(signal), { lastEventId });
        if (response.ok && mediaTypeOf(response) === "stream") return response;
        discard(response);
        // 409: the server has yet to notice that the connection before is gone.
        if (response.status < 500 && response.status !== 409 && response.status !== 429) return undefined;
      } catch (error) {
        if (!(error instanceof McpError) || error.code !== "connection_failed") throw error;
      }
    }
    return undefined;
  }
}

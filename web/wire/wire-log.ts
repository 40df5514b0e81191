/**
 * What goes over the wire to one server, noted beside the requests of its client.
 *
 * Contract: who uses `fetch` sees what the browser's own would show, when it would. What is noted is masked first and is
 * bounded. Watchers hear of changes once a frame at most; the exchanges themselves go on changing.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { createSseDecoder, type SseEvent } from "../../src/sse/decode.ts";
import { State } from "../state.ts";
import type { WireEnd, WireExchange } from "./exchange.ts";
import { maskBody, maskHeaders, maskPairs } from "./mask.ts";
import { type BodyWatcher, passingBody } from "./passing-body.ts";
import { labelOf, messagesIn, nameIn } from "./rpc.ts";

const MAX_EXCHANGES = 300;
const MAX_FRAMES = 500;
const MAX_LINKS = 20;
/** What a server calls its methods and events is as long as it likes. */
const MAX_LABEL = 80;
/** UTF-16 code units of either body of an exchange. */
const MAX_TEXT = 262_144;
/** Of an event: the decoder holds one while it comes. */
const MAX_EVENT = 33_554_432;
const FRAME_MS = 16;

export class WireLog {
  /** Oldest first; a bounded number of the last. */
  readonly exchanges = new State<readonly WireExchange[]>([]);
  /** While it is true nothing new is noted. */
  paused = false;
  readonly #send: typeof fetch;
  readonly #own: readonly string[];
  #kept: WireExchange[] = [];
  #last = 0;
  #isDue = false;
  /** Requests without a response yet, by who asked and the id. */
  readonly #asked = new Map<string, { readonly exchange: WireExchange; readonly method: string }>();
  /** Calls that wait for input, by what the next round will repeat. */
  readonly #waiting = new Map<string, WireExchange>();

  /** @param own names of headers that are the person's own, and so their secret */
  constructor(own: readonly string[] = [], send: typeof fetch = (input, init) => fetch(input, init)) {
    this.#own = own.map((name) => name.toLowerCase());
    this.#send = send;
  }

  /** Like the browser's own, noting what it is used for. */
  readonly fetch: typeof fetch = async (input, init) => {
    if (this.paused) return this.#send(input, init);
    const exchange = this.#begin(typeof input === "object" && "url" in input ? input.url : `${input}`, init);
    const end = (how: WireEnd, error?: unknown): void => {
      if (exchange.end !== undefined) return;
      const isAborted = how !== "complete" && init?.signal?.aborted === true;
      const cause: unknown = isAborted ? init.signal?.reason : error;
      exchange.end = isAborted ? "cancelled" : how;
      exchange.endedAt = since(exchange);
      // Some browsers quote a header that cannot be sent.
      if (cause instanceof Error && !/header/i.test(cause.message)) exchange.reason = cause.message;
      this.#changed();
    };
    try {
      const response = await this.#send(input, init);
      this.#arrived(exchange, response, end);
      return response;
    } catch (error) {
      end("failed", error);
      throw error;
    }
  };

  clear(): void {
    this.#kept = [];
    this.#changed();
  }

  #begin(url: string, init: RequestInit = {}): WireExchange {
    const { method = "GET", body } = init;
    const given = typeof body === "string" || body instanceof URLSearchParams ? `${body}` : "";
    const { text, value } = maskBody(given);
    const exchange: WireExchange = {
      number: ++this.#last,
      startedAt: Date.now(),
      method,
      url: maskPairs(url.replace(/\/\/[^/?#]*@/, "//")),
      requestHeaders: headersOf(init, this.#own),
      requestBody: cut(text),
      requestSize: given.length,
      title: `${method} ${URL.canParse(url) ? new URL(url).pathname : ""}`,
      name: "",
      statusText: "",
      responseHeaders: [],
      isStream: false,
      received: [],
      dropped: 0,
      size: 0,
      reason: "",
      links: [],
    };
    for (const message of messagesIn(value)) this.#learn(exchange, message, true);
    this.#kept.push(exchange);
    if (this.#kept.length > MAX_EXCHANGES) this.#kept.shift();
    this.#changed();
    return exchange;
  }

  #arrived(exchange: WireExchange, response: Response, end: BodyWatcher["end"]): void {
    const { status, statusText, type, headers, body } = response;
    exchange.headersAt = since(exchange);
    exchange.status = status;
    exchange.statusText = status === 0 ? type : statusText;
    exchange.responseHeaders = maskHeaders(headers);
    exchange.isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
    this.#changed();
    if (body === null) return end("complete");
    // The client reads `body` alone. A tee would read on after it has cancelled.
    Object.defineProperty(response, "body", { value: passingBody(body, this.#watcher(exchange, end)) });
  }

  #watcher(exchange: WireExchange, end: BodyWatcher["end"]): BodyWatcher {
    const utf8 = new TextDecoder();
    let text = "";
    let kept = 0;
    const receive = ({ data, event, id }: SseEvent): void => {
      const { received } = exchange;
      const shown = maskBody(cut(data));
      const messages = messagesIn(shown.value);
      const other =
        data.length > MAX_TEXT ? `cut at ${MAX_TEXT} characters` : data.trim() === "" ? "empty" : "not JSON-RPC";
      while (received.length >= MAX_FRAMES || (kept > 0 && kept + shown.text.length > MAX_TEXT)) {
        kept -= received.shift()?.text.length ?? 0;
        exchange.dropped++;
      }
      kept += shown.text.length;
      received.push({
        at: since(exchange),
        text: shown.text,
        label: messages.map(labelOf).join(", ").slice(0, MAX_LABEL) || other,
        event: event?.slice(0, MAX_LABEL),
        id: id?.slice(0, MAX_LABEL),
      });
      for (const message of messages) this.#learn(exchange, message, false);
    };
    const decoder = createSseDecoder({
      maxEventLength: MAX_EVENT,
      onEvent: receive,
    });
    return {
      piece: (bytes) => {
        exchange.firstByteAt ??= since(exchange);
        exchange.size += bytes.byteLength;
        if (!exchange.isStream) {
          if (text.length <= MAX_TEXT) text += utf8.decode(bytes, { stream: true });
        } else if (exchange.reason === "") {
          try {
            decoder.feed(bytes);
          } catch (error) {
            exchange.reason = `Not read on here: ${String(error)}`;
          }
        }
        this.#changed();
      },
      end: (how, error) => {
        try {
          if (text !== "") receive({ data: text });
        } catch {
          exchange.dropped++; // Nested more deeply than can be written again.
        }
        text = "";
        end(how, error);
      },
    };
  }

  /** Joins requests, responses and rounds. */
  #learn(exchange: WireExchange, message: JsonObject, isSent: boolean): void {
    const { id, method, params, result } = message;
    const key = (sent: boolean): string => JSON.stringify([sent, id]);
    if (typeof method === "string") {
      if (id !== undefined) remember(this.#asked, key(isSent), { exchange, method });
      if (!isSent) return;
      exchange.title = method;
      exchange.name = nameIn(params);
      if (!isObject(params) || !("inputResponses" in params || "requestState" in params)) return;
      const before = this.#waiting.get(roundKey(exchange, params["requestState"]));
      if (before?.round !== undefined) exchange.round = { ...before.round, round: before.round.round + 1 };
      return;
    }
    const question = this.#asked.get(key(!isSent));
    if (question === undefined) return;
    this.#asked.delete(key(!isSent));
    const { exchange: asker } = question;
    const asked = question.method.slice(0, MAX_LABEL);
    if (isSent) exchange.title = `${labelOf(message)} to ${asked}`;
    if (asker !== exchange) {
      link(exchange, asker.number, `${asked} was asked in`);
      link(asker, exchange.number, `${asked} was answered in`);
    }
    if (!isObject(result) || result["resultType"] !== "input_required") return;
    asker.round ??= { first: asker.number, round: 1 };
    remember(this.#waiting, roundKey(asker, result["requestState"]), asker);
  }

  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.exchanges.set([...this.#kept]);
    }, FRAME_MS);
  }
}

function cut(text: string): string {
  // A copy, since a slice keeps all of the text that it is of.
  return text.length > MAX_TEXT ? String(JSON.parse(JSON.stringify(text.slice(0, MAX_TEXT)))) : text;
}

function since({ startedAt }: WireExchange): number {
  return Date.now() - startedAt;
}

function headersOf({ headers }: RequestInit, own: readonly string[]): WireExchange["requestHeaders"] {
  try {
    return maskHeaders(new Headers(headers), own);
  } catch {
    return []; // They cannot be sent either.
  }
}

function roundKey({ title, name }: WireExchange, state: unknown): string {
  return JSON.stringify([title, name, state]);
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest = ""] = map.keys();
  if (map.size > MAX_EXCHANGES) map.delete(oldest);
}

function link(exchange: WireExchange, number: number, what: string): void {
  exchange.links = [...exchange.links, { number, what }].slice(-MAX_LINKS);
}

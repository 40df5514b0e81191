/**
 * What goes over the wire to one server, noted beside the requests of its client.
 *
 * Contract: who uses `fetch` sees what the browser's own would show, when it would. What is noted is masked first and is
 * bounded. Watchers hear of changes ten times a second at most; the exchanges themselves go on changing.
 */
import { objectOf } from "../text.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { createSseDecoder, type SseDecoder, type SseEvent } from "../../src/sse/decode.ts";
import { State } from "../state.ts";
import type { WireEnd, WireExchange } from "./exchange.ts";
import { maskBody, maskHeaders, maskPairs } from "./mask.ts";
import { type BodyWatcher, passingBody } from "./passing-body.ts";
import { labelOf, messagesIn, wordOf } from "./rpc.ts";

const MAX_EXCHANGES = 300;
const MAX_FRAMES = 500;
/** What a server calls its methods and events is as long as it likes. */
const MAX_LABEL = 80;
/** UTF-16 code units of either body of an exchange. */
const MAX_TEXT = 262_144;
/** Of an event: the decoder holds one while it comes. */
const MAX_EVENT = 33_554_432;
const PAUSE_MS = 100;

export class WireLog {
  /** Oldest first; a bounded number of the last. */
  readonly exchanges = new State<readonly WireExchange[]>([]);
  readonly #send: typeof fetch;
  readonly #own: readonly string[];
  #kept: WireExchange[] = [];
  #last = 0;
  #isDue = false;
  /** Numbers of calls that something is still to be sent for: by the id of the server's question, or what the next round will repeat. */
  readonly #calls = new Map<unknown, number>();

  /** @param own names of headers that are the person's own, and so their secret */
  constructor(own: readonly string[] = [], send: typeof fetch = (input, init) => fetch(input, init)) {
    this.#own = own.map((name) => name.toLowerCase());
    this.#send = send;
  }

  /** Like the browser's own, noting what it is used for: addresses and bodies that are strings, as the client gives them. */
  readonly fetch: typeof fetch = async (input, init) => {
    const exchange = this.#begin(typeof input === "string" ? input : "", init);
    const end = (how: WireEnd, error?: unknown): void => {
      if (exchange.end !== undefined) return;
      const isAborted = how !== "complete" && init?.signal?.aborted === true;
      const cause: unknown = isAborted ? init.signal?.reason : error;
      // Some browsers quote a header that cannot be sent.
      const message = cause instanceof Error && !/header/i.test(cause.message) ? cause.message : "";
      exchange.end = isAborted ? "closed" : how;
      exchange.endedAt = since(exchange);
      if (exchange.end.includes("_")) exchange.failure ??= { code: how, message };
      else exchange.note ||= message;
      this.#changed();
    };
    try {
      const response = await this.#send(input, init);
      this.#arrived(exchange, response, end);
      return response;
    } catch (error) {
      end("connection_failed", error);
      throw error;
    }
  };

  clear(): void {
    this.#kept = [];
    this.#changed();
  }

  #begin(url: string, init: RequestInit = {}): WireExchange {
    const { method = "GET", body } = init;
    const given = typeof body === "string" ? body : "";
    const { text, value } = maskBody(given);
    const shownUrl = maskPairs(url.replace(/\/\/[^/?#]*@/, "//"));
    const number = ++this.#last;
    const exchange: WireExchange = {
      number,
      call: number,
      startedAt: Date.now(),
      method,
      url: shownUrl,
      requestHeaders: headersOf(init, this.#own),
      requestBody: cut(text),
      title: method,
      name: shownUrl,
      statusText: "",
      responseHeaders: [],
      isStream: false,
      received: [],
      dropped: 0,
      note: "",
    };
    for (const message of messagesIn(value)) this.#learn(exchange, message, true);
    this.#kept.push(exchange);
    if (this.#kept.length > MAX_EXCHANGES) this.#kept.shift();
    this.#changed();
    return exchange;
  }

  #arrived(exchange: WireExchange, response: Response, end: BodyWatcher["end"]): void {
    const { status, statusText, headers, body } = response;
    exchange.status = status;
    exchange.statusText = statusText;
    exchange.responseHeaders = maskHeaders(headers);
    exchange.isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
    if (status >= 400)
      exchange.failure = { code: status === 401 ? "unauthorized" : "http_error", message: `HTTP ${status}` };
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
      received.push({
        at: since(exchange),
        text: shown.text,
        label:
          messages.map(labelOf).join(", ").slice(0, MAX_LABEL) || (data.length > MAX_TEXT ? "cut" : "not JSON-RPC"),
        event: event?.slice(0, MAX_LABEL),
        id: id?.slice(0, MAX_LABEL),
      });
      kept += shown.text.length;
      while (received.length > MAX_FRAMES || (kept > MAX_TEXT && received.length > 1)) {
        kept -= received.shift()?.text.length ?? 0;
        exchange.dropped++;
        exchange.note = "the first events are not kept";
      }
      for (const message of messages) this.#learn(exchange, message, false);
    };
    let decoder: SseDecoder | undefined = createSseDecoder({ maxEventLength: MAX_EVENT, onEvent: receive });
    return {
      piece: (bytes) => {
        if (!exchange.isStream) {
          if (text.length <= MAX_TEXT) text += utf8.decode(bytes, { stream: true });
        } else {
          try {
            decoder?.feed(bytes);
          } catch (error) {
            decoder = undefined;
            exchange.note = String(error);
          }
        }
        this.#changed();
      },
      end: (how, error) => {
        if (text !== "") receive({ data: text });
        text = "";
        end(how, error);
      },
    };
  }

  /** Names what is sent, joins it to its call, and remembers what more will belong there. */
  #learn(exchange: WireExchange, message: JsonObject, isSent: boolean): void {
    const { id, method, params, result, error } = message;
    if (isSent) {
      const { name, uri, requestState, inputResponses = requestState } = objectOf(params);
      exchange.title = wordOf(method ?? labelOf(message));
      exchange.name = wordOf(name ?? uri);
      const key = method === undefined ? id : inputResponses !== undefined && roundKey(exchange, requestState);
      exchange.call = this.#calls.get(key) ?? exchange.number;
      return;
    }
    const { resultType, requestState, isError } = objectOf(result);
    if (method !== undefined && id !== undefined) this.#calls.set(id, exchange.call);
    if (resultType === "input_required") this.#calls.set(roundKey(exchange, requestState), exchange.call);
    if (this.#calls.size > MAX_EXCHANGES) this.#calls.clear();
    if (isError === true) exchange.failure = { code: "tool_error", message: "" };
    if (isObject(error)) exchange.failure = error;
  }

  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.exchanges.set([...this.#kept]);
    }, PAUSE_MS);
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
  return [title, name, wordOf(state)].join("\n");
}

/** A legacy server behind a `fetch`: scripted by method, and every request of it kept. */
import { legacyFallback } from "../../../src/client-legacy.ts";
import type { LegacyOptions } from "../../../src/client/legacy/fallback.ts";
import type { Connection, RequestOptions, Session } from "../../../src/client/session.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";

export const URL_OF_SERVER = "https://legacy.example/mcp";

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The message that was posted; empty for GET and DELETE. */
  readonly message: JsonObject;
  readonly signal: AbortSignal | undefined;
}

type Answer = (call: Call) => Response | Promise<Response>;

export class FakeServer {
  readonly calls: Call[] = [];
  /** By the method of the message, or `GET` and `DELETE`. */
  readonly answers = new Map<string, Answer>([
    ["initialize", (call) => initialized(call)],
    ["notifications/initialized", () => accepted()],
    ["notifications/cancelled", () => accepted()],
    ["response", () => accepted()],
    ["GET", () => new Response(null, { status: 405 })],
    ["DELETE", () => new Response(null, { status: 200 })],
  ]);
  readonly #waiting = new Set<() => void>();

  constructor(answers: Readonly<Record<string, Answer>> = {}) {
    for (const [method, answer] of Object.entries(answers)) this.answers.set(method, answer);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const message = text === "" ? {} : (JSON.parse(text) as JsonObject);
    // The signal is the caller's own: that of a Request follows it later in some runtimes.
    const signal = init?.signal ?? undefined;
    const call = { method: request.method, url: request.url, headers: request.headers, message, signal };
    this.calls.push(call);
    for (const look of this.#waiting) look();
    const answer = this.answers.get(keyOf(call));
    return answer === undefined ? result(call, {}) : await answer(call);
  };

  /** The calls of one kind so far, by the key of `answers`. */
  of(key: string): Call[] {
    return this.calls.filter((call) => keyOf(call) === key);
  }

  /** Resolves once there are so many calls of one kind. */
  until(key: string, count = 1): Promise<Call[]> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.of(key);
        if (found.length < count) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  connect(parts: Partial<Connection> = {}, options?: LegacyOptions, signal?: AbortSignal): Promise<Session> {
    return legacyFallback(options).connect(this.connection(parts), signal);
  }

  connection(parts: Partial<Connection> = {}): Connection {
    return {
      url: URL_OF_SERVER,
      fetch: this.fetch,
      info: { name: "tester", version: "1.2.3" },
      capabilities: {},
      input: {},
      auth: undefined,
      signIns: { underWay: 0, failure: undefined },
      headers: {},
      limits: { maxMessageBytes: 65_536, maxStreamBytes: 262_144 },
      onWarning: () => undefined,
      now: () => 0,
      random: () => 0,
      ...parts,
    };
  }
}

function keyOf({ method, message }: Call): string {
  if (method !== "POST") return method;
  return typeof message["method"] === "string" ? message["method"] : "response";
}

export function call(session: Session, options: RequestOptions = {}, name = "t"): Promise<JsonObject> {
  return session.request({ method: "tools/call", params: { name, arguments: {} }, options });
}

export function initialized({ message }: Pick<Call, "message">, parts: JsonObject = {}, id = "s-1"): Response {
  return json(
    {
      jsonrpc: "2.0",
      id: message["id"],
      result: {
        protocolVersion: "2025-11-25",
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: false },
          logging: {},
        },
        serverInfo: { name: "fake", version: "0.0.1" },
        ...parts,
      },
    },
    { headers: { "content-type": "application/json", "mcp-session-id": id } },
  );
}

export function json(message: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(message), { headers: { "content-type": "application/json" }, ...init });
}

export function result({ message }: Pick<Call, "message">, value: JsonObject): Response {
  return json({ jsonrpc: "2.0", id: message["id"], result: value });
}

export function refusal({ message }: Pick<Call, "message">, code: number, data?: unknown, status = 200): Response {
  return json({ jsonrpc: "2.0", id: message["id"], error: { code, message: "no", data } }, { status });
}

export function accepted(): Response {
  return new Response(null, { status: 202 });
}

/** A body of events that is written to while it is read. */
export interface Stream {
  readonly response: Response;
  /** A message as an event; further fields, such as `id: 1`, are lines before it. */
  send(message: JsonObject, ...fields: string[]): void;
  raw(text: string): void;
  end(): void;
  fail(): void;
}

export function stream(...first: readonly string[]): Stream {
  const encoder = new TextEncoder();
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
    },
  });
  const raw = (text: string): void => out?.enqueue(encoder.encode(text));
  for (const text of first) raw(text);
  return {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    send: (message, ...fields) =>
      raw(`${fields.map((line) => `${line}\n`).join("")}data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`),
    raw,
    end: () => out?.close(),
    fail: () => out?.error(new Error("cut")),
  };
}

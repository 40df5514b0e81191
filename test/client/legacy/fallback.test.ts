import { describe, expect, test } from "vitest";
import { legacyFallback, streamableFallback } from "../../../src/client-legacy.ts";
import { accepted, call, FakeServer, initialized, refusal, type Stream, stream } from "./fake-server.ts";

/** A server of 2024-11-05, whose answers all come on its one stream. */
class OldServer extends FakeServer {
  readonly streams: Stream[] = [];
  /** What the endpoint event says. */
  endpoint = "/messages?session=1";

  constructor() {
    super({ GET: () => this.#opened(), initialize: (one) => this.#posted(one.url, one.message) });
    for (const method of ["tools/call", "notifications/initialized", "resources/subscribe"]) {
      this.answers.set(method, (one) => this.#posted(one.url, one.message));
    }
  }

  get last(): Stream {
    const found = this.streams.at(-1);
    if (found === undefined) throw new Error("nobody has come");
    return found;
  }

  #opened(): Response {
    const open = stream(`event: endpoint\ndata: ${this.endpoint}\n\n`);
    this.streams.push(open);
    return open.response;
  }

  async #posted(url: string, message: Record<string, unknown>): Promise<Response> {
    if (new URL(url).pathname !== "/messages") return new Response("Cannot POST", { status: 404 });
    const { id, method } = message;
    if (method === "initialize") {
      const answer = initialized({ message }, { protocolVersion: "2024-11-05" });
      this.last.raw(`event: message\ndata: ${await answer.text()}\n\n`);
    } else if (method === "tools/call") {
      this.last.send({ method: "notifications/progress", params: { progressToken: id, progress: 1 } });
      this.last.send({ id, result: { a: 1 } });
    } else if (id !== undefined) this.last.send({ id, result: {} });
    return accepted();
  }
}

describe("a server of 2024-11-05", () => {
  test("is found after a POST that it refuses, and answers on its stream", async () => {
    const server = new OldServer();
    const session = await server.connect();
    expect((await session.describe()).version).toBe("2024-11-05");
    const seen: number[] = [];
    expect(await call(session, { onProgress: ({ progress }) => seen.push(progress) })).toEqual({ a: 1 });
    expect(seen).toEqual([1]);
    expect(server.of("tools/call")[0]?.url).toBe("https://legacy.example/messages?session=1");
    await session.close();
    expect(server.of("GET")[0]?.signal?.aborted).toBe(true);
  });

  test("gets messages at its own origin only", async () => {
    const server = new OldServer();
    server.endpoint = "https://elsewhere.example/messages";
    await expect(server.connect()).rejects.toMatchObject({ code: "redirect_refused" });
    expect(server.calls.every(({ url }) => url === "https://legacy.example/mcp")).toBe(true);
  });

  test("has its questions answered by POST", async () => {
    const server = new OldServer();
    const session = await server.connect({ input: { roots: () => Promise.resolve({ roots: [] }) } });
    server.last.send({ id: "x", method: "roots/list" });
    const [answer] = await server.until("response");
    expect(answer?.message).toEqual({ jsonrpc: "2.0", id: "x", result: { roots: [] } });
    await session.close();
  });

  test("fails what is under way when its stream ends, and is greeted again by the next call", async () => {
    const server = new OldServer();
    const session = await server.connect();
    const answer = server.answers.get("tools/call");
    server.answers.set("tools/call", () => accepted());
    const running = call(session);
    running.catch(() => undefined);
    await server.until("tools/call");
    server.last.end();
    await expect(running).rejects.toMatchObject({ code: "stream_ended" });
    if (answer !== undefined) server.answers.set("tools/call", answer);
    expect(await call(session)).toEqual({ a: 1 });
    expect(server.streams).toHaveLength(2);
    // What may have been done is not done again.
    expect(server.of("tools/call")).toHaveLength(2);
  });

  test("tells of changes on its stream", async () => {
    const server = new OldServer();
    const session = await server.connect();
    const leaving = new AbortController();
    const heard: unknown[] = [];
    const end = session.openStream(
      { toolsListChanged: true, resourceSubscriptions: ["note://a"] },
      {
        acknowledged: (granted) => {
          heard.push(granted);
          server.last.send({ method: "notifications/tools/list_changed" });
        },
        notified: (method) => {
          heard.push(method);
          leaving.abort();
        },
      },
      leaving.signal,
    );
    expect(await end).toEqual({ how: "closed" });
    expect(heard).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ["note://a"] },
      "notifications/tools/list_changed",
    ]);
  });

  test("is not looked for where the host does not want it", async () => {
    const server = new OldServer();
    const connecting = streamableFallback().connect(server.connection(), undefined);
    await expect(connecting).rejects.toMatchObject({ code: "no_common_era" });
    expect(server.of("GET")).toHaveLength(0);
  });
});

describe("no legacy server", () => {
  test.each([
    ["a modern one", (): FakeServer => new FakeServer({ initialize: (one) => refusal(one, -32602, undefined, 400) })],
    ["one that knows no initialize", (): FakeServer => new FakeServer({ initialize: (one) => refusal(one, -32601) })],
    ["a web site", (): FakeServer => new FakeServer({ initialize: page, GET: page })],
    ["nothing at all", (): FakeServer => new FakeServer({ initialize: gone, GET: gone })],
  ])("is %s: no common era, and why", async (_, create) => {
    const failure: unknown = await create()
      .connect()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "no_common_era" });
    expect(failure).toHaveProperty("cause");
  });

  test.each([
    ["503", (): Response => new Response(null, { status: 503 }), "http_error"],
    ["429", (): Response => new Response(null, { status: 429 }), "http_error"],
    ["401", (): Response => new Response(null, { status: 401 }), "unauthorized"],
  ])("is what %s does not say", async (_, initialize, code) => {
    const server = new FakeServer({ initialize });
    await expect(server.connect()).rejects.toMatchObject({ code });
    expect(server.of("GET")).toHaveLength(0);
  });

  test("is what a connection that fails does not say", async () => {
    const server = new FakeServer();
    await expect(server.connect({ fetch: () => Promise.reject(new TypeError("no network")) })).rejects.toMatchObject({
      code: "connection_failed",
    });
  });
});

test("versions that are not of this era are refused where they are written down", () => {
  expect(() => legacyFallback({ versions: ["2026-07-28"] })).toThrow(TypeError);
  expect(() => legacyFallback({ versions: [] })).toThrow(TypeError);
});

function page(): Response {
  return new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } });
}

function gone(): Response {
  return new Response("Not found", { status: 404 });
}

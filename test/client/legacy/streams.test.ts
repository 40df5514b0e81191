import { describe, expect, test, vi } from "vitest";
import { deferred } from "../../../src/client/legacy/deferred.ts";
import type { Connection } from "../../../src/client/session.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";
import { call, FakeServer, json, result, type Stream, stream } from "./fake-server.ts";

const FORM = {
  message: "Who?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "Ann" },
      age: { type: "integer", default: 30 },
      nick: { type: "string" },
    },
  },
};

/** A tool that asks on its own stream, and is done once it has an answer, which is its result. */
function asking(question: JsonObject): FakeServer {
  const server: FakeServer = new FakeServer({
    "tools/call": (one) => {
      const open = stream();
      open.send({ id: "q-1", ...question });
      void server
        .until("response")
        .then(([answer]) => open.send({ id: one.message["id"], result: { ...answer?.message } }));
      return open.response;
    },
  });
  return server;
}

const ELICITING: Partial<Connection> = {
  capabilities: { elicitation: { form: {} } },
  input: { elicit: () => Promise.resolve({ action: "accept", content: { name: "Bo" } }) },
};

function resumed(first: (open: Stream) => void, answer: (id: unknown) => Response): FakeServer {
  const server: FakeServer = new FakeServer({
    "tools/call": () => {
      const open = stream();
      first(open);
      return open.response;
    },
    GET: () => answer(server.of("tools/call")[0]?.message["id"]),
  });
  return server;
}

function answering(id: unknown): Response {
  const open = stream();
  open.send({ method: "notifications/progress", params: { progressToken: id, progress: 2 } }, "id: e-3");
  open.send({ id, result: { a: 1 } }, "id: e-4");
  return open.response;
}

describe("a question of the server", () => {
  test("on a request's stream is answered on a POST, with the defaults that the user left alone", async () => {
    const server = asking({ method: "elicitation/create", params: FORM });
    const answer = await call(await server.connect(ELICITING));
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: "q-1",
      result: { action: "accept", content: { name: "Bo", age: 30 } },
    });
    expect(server.of("response")[0]?.headers.get("mcp-session-id")).toBe("s-1");
  });

  test("is one of so many at once, until the answers are with the server", async () => {
    const held = deferred<Response>();
    const open = stream();
    const server: FakeServer = new FakeServer({
      "tools/call": () => open.response,
      response: () => held.promise.then((response) => response.clone()),
    });
    const session = await server.connect();
    const answer = call(session);
    await server.until("tools/call");
    for (let id = 0; id < 2_000; id += 1) open.send({ id: `p-${id}`, method: "ping" });
    await server.until("response", 100);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.of("response")).toHaveLength(100);
    held.resolve(new Response(null, { status: 202 }));
    open.send({ id: server.of("tools/call")[0]?.message["id"], result: { a: 1 } });
    expect(await answer).toEqual({ a: 1 });
  });

  test("that is declined gets no defaults", async () => {
    const server = asking({ method: "elicitation/create", params: FORM });
    const answer = await call(
      await server.connect({ input: { elicit: () => Promise.resolve({ action: "decline" }) } }),
    );
    expect(answer["result"]).toEqual({ action: "decline" });
  });

  test.each([
    ["sampling/createMessage", { messages: [], maxTokens: 1 }, { model: "m", role: "assistant" }],
    ["roots/list", undefined, { roots: [{ uri: "file:///a" }] }],
    ["ping", undefined, {}],
  ])("%s is answered by its handler", async (method, params, expected) => {
    const server = asking({ method, ...(params && { params }) });
    const session = await server.connect({
      input: {
        sample: () => Promise.resolve({ model: "m", role: "assistant" }),
        roots: () => Promise.resolve({ roots: [{ uri: "file:///a" }] }),
      },
    });
    expect((await call(session))["result"]).toEqual(expected);
  });

  test.each<[method: string, params: JsonObject, code: number, because: string]>([
    ["elicitation/create", FORM, -32601, "without a handler"],
    ["sampling/createMessage", { messages: [] }, -32601, "without a handler"],
    ["tools/list", {}, -32601, "because it is no question"],
  ])("%s %j is refused with %d %s", async (method, params, code) => {
    const server = asking({ method, params });
    const session = await server.connect({ input: { roots: () => Promise.resolve({ roots: [] }) } });
    expect((await call(session))["error"]).toMatchObject({ code });
  });

  test.each([
    ["a mode that was not declared", { mode: "url", message: "Go", url: "https://a.example", elicitationId: "1" }],
    ["a mode that nobody knows", { ...FORM, mode: "voice" }],
    ["no message", { requestedSchema: FORM.requestedSchema }],
    ["no schema", { message: "Who?" }],
  ])("for elicitation with %s is refused with −32602, and the user is not asked", async (_, params) => {
    const server = asking({ method: "elicitation/create", params });
    let asked = 0;
    const session = await server.connect({
      input: {
        elicit: () => {
          asked += 1;
          return Promise.resolve({ action: "cancel" });
        },
      },
    });
    expect((await call(session))["error"]).toMatchObject({ code: -32602 });
    expect(asked).toBe(0);
  });

  test("whose handler fails is answered without the reason, which the host is warned of", async () => {
    const server = asking({ method: "roots/list" });
    const warnings: string[] = [];
    const session = await server.connect({
      input: { roots: () => Promise.reject(new Error("secret path")) },
      onWarning: (message) => warnings.push(message),
    });
    expect((await call(session))["error"]).toEqual({ code: -32603, message: "Internal error" });
    expect(warnings).toEqual([expect.stringContaining("secret path")]);
  });

  test("stops the request's clock until it is answered", async () => {
    const server = asking({ method: "roots/list" });
    const session = await server.connect({
      input: {
        roots: async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return { roots: [] };
        },
      },
    });
    expect((await call(session, { timeoutMs: 40 }))["result"]).toEqual({ roots: [] });
  });

  test("that the server takes back ends its handler, and gets no answer", async () => {
    const open = stream();
    const server = new FakeServer({ "tools/call": () => open.response });
    const { promise: aborted, resolve: ended } = deferred<void>();
    const session = await server.connect({
      input: {
        roots: ({ signal, request }) =>
          new Promise((_, reject) => {
            expect(request).toBe(undefined);
            signal.addEventListener("abort", () => {
              ended();
              reject(new Error("taken back"));
            });
          }),
      },
    });
    const running = call(session);
    const [sent] = await server.until("tools/call");
    open.send({ id: 7, method: "roots/list" });
    open.send({ method: "notifications/cancelled", params: { requestId: "7" } });
    open.send({ method: "notifications/cancelled", params: { requestId: 7 } });
    await aborted;
    open.send({ id: sent?.message["id"], result: {} });
    await running;
    await session.close();
    expect(server.of("response")).toHaveLength(0);
  });

  test("ends with the request that it was asked for", async () => {
    const server = asking({ method: "roots/list" });
    const giveUp = new AbortController();
    const { promise: aborted, resolve: ended } = deferred<void>();
    const session = await server.connect({
      input: {
        roots: ({ signal }) => {
          signal.addEventListener("abort", () => ended());
          giveUp.abort();
          return new Promise(() => undefined);
        },
      },
    });
    await expect(call(session, { signal: giveUp.signal })).rejects.toMatchObject({ code: "aborted" });
    await aborted;
  });

  test("is heard on the stream of the server's own, which is opened where there are handlers", async () => {
    const own = stream();
    const server = new FakeServer({ GET: () => own.response });
    const session = await server.connect(ELICITING);
    await call(session);
    own.send({ id: 0, method: "elicitation/create", params: FORM });
    const [answer] = await server.until("response");
    expect(answer?.message).toMatchObject({ id: 0, result: { content: { name: "Bo", age: 30 } } });
    const [get] = server.of("GET");
    expect(get?.headers.get("accept")).toBe("text/event-stream");
    expect(get?.headers.get("mcp-session-id")).toBe("s-1");
    await session.close();
    expect(get?.signal?.aborted).toBe(true);
  });
});

describe("the stream of the server's own", () => {
  test("is not asked for where nobody could answer", async () => {
    const server = new FakeServer();
    await call(await server.connect());
    expect(server.of("GET")).toHaveLength(0);
  });

  test.each([405, 404, 501, 400])("is asked for once where the server says %d, and calls go on", async (status) => {
    const server = new FakeServer({ GET: () => new Response(null, { status }) });
    const session = await server.connect(ELICITING);
    await call(session);
    await call(session);
    expect(server.of("GET")).toHaveLength(1);
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("may fail without failing the calls, and is asked for again with the next", async () => {
    const server = new FakeServer({ GET: () => new Response(null, { status: 503 }) });
    const session = await server.connect(ELICITING);
    await call(session);
    await call(session);
    expect(server.of("GET")).toHaveLength(2);
  });

  test("that a server does not begin until it has something to say does not hold up the calls", async () => {
    const server = new FakeServer({ GET: () => new Promise(() => undefined) });
    const session = await server.connect(ELICITING);
    await call(session);
    await call(session);
    expect(server.of("GET")).toHaveLength(1);
    await session.close();
  });
});

describe("a stream that breaks", () => {
  test.each(["end", "fail"] as const)("by its %s is read on from its last event", async (how) => {
    const server = resumed((open) => {
      open.raw("retry: 1\nid: e-1\ndata:\n\n");
      open.raw("id: e-2\ndata:\n\n");
      // An erring stream drops what was not read yet.
      setTimeout(() => open[how](), 20);
    }, answering);
    const seen: number[] = [];
    const session = await server.connect();
    expect(await call(session, { onProgress: ({ progress }) => seen.push(progress) })).toEqual({ a: 1 });
    expect(seen).toEqual([2]);
    const [get] = server.of("GET");
    expect(get?.headers.get("last-event-id")).toBe("e-2");
    expect(get?.headers.get("mcp-session-id")).toBe("s-1");
    // It was not cancelled, and not sent again.
    expect(server.calls.map(({ message, method }) => message["method"] ?? method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/call",
      "GET",
    ]);
  });

  test("is read on as often as the server lets go of it", async () => {
    const server = resumed(
      (open) => {
        open.raw("retry: 1\nid: e-1\ndata:\n\n");
        open.end();
      },
      (id) => {
        const count = server.of("GET").length;
        if (count === 4) return answering(id);
        const open = stream(`id: poll-${count}\ndata:\n\n`);
        open.end();
        return open.response;
      },
    );
    expect(await call(await server.connect())).toEqual({ a: 1 });
    expect(server.of("GET").map(({ headers }) => headers.get("last-event-id"))).toEqual([
      "e-1",
      "poll-1",
      "poll-2",
      "poll-3",
    ]);
  });

  test("is not asked for without a pause, and ever more seldom while it brings nothing", async () => {
    vi.useFakeTimers();
    try {
      const server = resumed(
        (open) => {
          open.raw("retry: 0\nid: e-1\ndata:\n\n");
          open.end();
        },
        () => {
          const open = stream(`retry: 0\nid: poll-${server.of("GET").length}\ndata:\n\n`);
          open.end();
          return open.response;
        },
      );
      const session = await server.connect();
      call(session).catch(() => undefined);
      await vi.advanceTimersByTimeAsync(10_000);
      // After 100, 300, 700, 1,500, 3,100 and 6,300 ms, and then each 5,000.
      expect(server.of("GET").length).toBeLessThan(10);
      expect(server.of("GET").length).toBeGreaterThan(3);
      await session.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("has one bound to its size for all its connections", async () => {
    const server = resumed(
      (open) => {
        open.raw("retry: 1\nid: e-1\ndata:\n\n");
        open.end();
      },
      () => {
        const open = stream(`id: e-2\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "n/a", params: {} })}\n\n`);
        open.raw(`:${"x".repeat(400)}\n`);
        open.end();
        return open.response;
      },
    );
    const session = await server.connect({ limits: { maxMessageBytes: 1_000, maxStreamBytes: 1_000 } });
    await expect(call(session)).rejects.toMatchObject({ code: "too_large" });
    expect(server.of("GET").length).toBeLessThan(4);
  });

  test.each([405, 404, 400])(
    "is lost when the server answers %d to that, and nothing is sent again",
    async (status) => {
      const server = resumed(
        (open) => {
          open.raw("retry: 1\nid: e-1\ndata:\n\n");
          open.end();
        },
        () => new Response(null, { status }),
      );
      await expect(call(await server.connect())).rejects.toMatchObject({ code: "stream_ended" });
      expect(server.of("tools/call")).toHaveLength(1);
      expect(server.of("initialize")).toHaveLength(1);
    },
  );

  test.each([503, 409])("is asked for again when the server answers %d to that", async (status) => {
    const server = resumed(
      (open) => {
        open.raw("retry: 1\nid: e-1\ndata:\n\n");
        open.end();
      },
      (id) => (server.of("GET").length === 1 ? new Response(null, { status }) : answering(id)),
    );
    expect(await call(await server.connect())).toEqual({ a: 1 });
    expect(server.of("GET").map(({ headers }) => headers.get("last-event-id"))).toEqual(["e-1", "e-1"]);
  });

  test("without an id is lost at once", async () => {
    const server = resumed((open) => open.fail(), answering);
    await expect(call(await server.connect())).rejects.toMatchObject({ code: "stream_ended" });
    expect(server.of("GET")).toHaveLength(0);
  });

  test("is not waited for by a request that has its response from elsewhere", async () => {
    const own = stream();
    const server: FakeServer = new FakeServer({
      GET: () => own.response,
      "tools/call": ({ message }) => {
        own.send({ id: message["id"], result: { a: 1 } });
        return stream().response;
      },
    });
    expect(await call(await server.connect(ELICITING))).toEqual({ a: 1 });
    expect(server.of("tools/call")[0]?.signal?.aborted).toBe(true);
  });
});

describe("signing", () => {
  test("is of the address and method that a message goes to", async () => {
    const signed: string[] = [];
    const server = new FakeServer({
      "tools/call": (one) =>
        one.url.endsWith("/mcp/")
          ? result(one, {})
          : new Response(null, { status: 308, headers: { location: "https://legacy.example/mcp/" } }),
    });
    const session = await server.connect({
      auth: {
        headers: ({ method, url }) => {
          signed.push(`${method} ${new URL(url).pathname}`);
          return Promise.resolve({});
        },
        challenged: () => Promise.resolve(false),
      },
    });
    await call(session);
    await session.close();
    expect(signed).toEqual(["POST /mcp", "POST /mcp", "POST /mcp", "POST /mcp/", "DELETE /mcp"]);
  });

  test("goes with each message, and a challenge is met and the message sent again", async () => {
    let token = "old";
    const server = new FakeServer({
      "tools/call": (one) =>
        one.headers.get("authorization") === "Bearer new"
          ? result(one, { a: 1 })
          : new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } }),
    });
    const session = await server.connect({
      auth: {
        headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
        challenged: () => {
          token = "new";
          return Promise.resolve(true);
        },
      },
    });
    expect(await call(session)).toEqual({ a: 1 });
    expect(server.calls.every(({ headers }) => headers.has("authorization"))).toBe(true);
  });

  test("is not on the clock of the request while somebody signs in", async () => {
    let isSignedIn = false;
    const server = new FakeServer({
      "tools/call": (one) => (isSignedIn ? result(one, { a: 1 }) : new Response(null, { status: 401 })),
    });
    const session = await server.connect({
      auth: {
        headers: () => Promise.resolve({}),
        challenged: async () => {
          await new Promise((resolve) => setTimeout(resolve, 150));
          isSignedIn = true;
          return true;
        },
      },
    });
    expect(await call(session, { timeoutMs: 50, maxTimeoutMs: 100 })).toEqual({ a: 1 });
  });

  test("has the last word on a header, whatever the case of its name", async () => {
    const server = new FakeServer();
    await server.connect({
      headers: { authorization: "Basic host" },
      auth: { headers: () => Promise.resolve({ Authorization: "Bearer t" }), challenged: () => Promise.resolve(false) },
    });
    expect(server.calls[0]?.headers.get("authorization")).toBe("Bearer t");
  });

  test("that is no header's value is told without it", async () => {
    const auth = {
      headers: () => Promise.resolve({ authorization: "Bearer SECRET\nx" }),
      challenged: () => Promise.resolve(false),
    };
    const failure: unknown = await new FakeServer().connect({ auth }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "unauthorized" });
    expect(failure).not.toHaveProperty("cause");
    expect(String(failure)).not.toContain("SECRET");
  });

  test("ends after three messages that were all challenged", async () => {
    const server = new FakeServer({ initialize: () => json({}, { status: 401 }) });
    const auth = { headers: () => Promise.resolve({}), challenged: () => Promise.resolve(true) };
    await expect(server.connect({ auth })).rejects.toMatchObject({ code: "unauthorized" });
    expect(server.calls).toHaveLength(3);
  });
});

import { describe, expect, test } from "vitest";
import { McpError, ProtocolError } from "../../../src/protocol/errors.ts";
import { call, FakeServer, initialized, json, refusal, result, stream } from "./fake-server.ts";

describe("an error response", () => {
  test("counts without the member that names JSON-RPC, as results do", async () => {
    const error = { code: -32042, message: "Sign in", data: { elicitations: [] } };
    const server = new FakeServer({ "tools/call": ({ message }) => json({ id: message["id"], error }) });
    const session = await server.connect();
    await expect(call(session)).rejects.toMatchObject({ code: -32042, data: { elicitations: [] } });
  });

  test.each([
    ["nested beyond the stack", "[".repeat(30_000) + "]".repeat(30_000)],
    ["with a message of another type", JSON.stringify({ error: { message: ["Session not found"] } })],
    ["that only holds the words", JSON.stringify(["Session not found"])],
  ])("%s, with status 400, is a refusal like any other", async (_name, body) => {
    const server = new FakeServer({ "tools/call": () => new Response(body, { status: 400 }) });
    const session = await server.connect();
    await expect(call(session)).rejects.toMatchObject({ code: "http_error" });
    expect(server.of("initialize")).toHaveLength(1);
  });
});

describe("the handshake", () => {
  test("offers the newest version, the client's name, and the capabilities that there are handlers for", async () => {
    const server = new FakeServer();
    await server.connect({
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { "a/b": {} } },
      input: { elicit: () => Promise.resolve({ action: "cancel" }), roots: () => Promise.resolve({ roots: [] }) },
    });
    const [first, second] = server.calls;
    expect(first?.message).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
        clientInfo: { name: "tester", version: "1.2.3" },
      },
    });
    expect(second?.message).toEqual({ jsonrpc: "2.0", method: "notifications/initialized" });
  });

  test("is followed by the session's id and the version on all that is sent", async () => {
    const server = new FakeServer();
    const session = await server.connect({ headers: { "x-mine": "1" } });
    await call(session);
    await session.close();
    const [first, ...others] = server.calls;
    expect(first?.headers.get("mcp-session-id")).toBe(null);
    expect(first?.headers.get("mcp-protocol-version")).toBe(null);
    expect(others.map(({ method }) => method)).toEqual(["POST", "POST", "DELETE"]);
    for (const { headers } of others) {
      expect(headers.get("mcp-session-id")).toBe("s-1");
      expect(headers.get("mcp-protocol-version")).toBe("2025-11-25");
      expect(headers.get("x-mine")).toBe("1");
    }
  });

  test("tells what the server is", async () => {
    const server = new FakeServer({
      initialize: (one) => initialized(one, { protocolVersion: "2025-03-26", instructions: "Be kind." }),
    });
    const session = await server.connect();
    expect(await session.describe()).toEqual({
      era: "legacy",
      version: "2025-03-26",
      info: { name: "fake", version: "0.0.1" },
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: false }, logging: {} },
      instructions: "Be kind.",
    });
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("ends with an error when the server wants a version that is not spoken", async () => {
    const server = new FakeServer({ initialize: (one) => initialized(one, { protocolVersion: "2024-10-07" }) });
    await expect(server.connect()).rejects.toMatchObject({ code: "no_common_version" });
    expect(server.of("DELETE")).toHaveLength(1);
    expect(server.of("notifications/initialized")).toHaveLength(0);
  });

  test("is repeated once with a version that the server names in its refusal", async () => {
    const server = new FakeServer({
      initialize: (one) =>
        server.of("initialize").length === 1
          ? refusal(one, -32602, { supported: ["2025-06-18", "2024-11-05"], requested: "2025-11-25" }, 400)
          : initialized(one, { protocolVersion: "2025-06-18" }),
    });
    const session = await server.connect();
    expect((await session.describe()).version).toBe("2025-06-18");
    expect(server.of("initialize").map(({ message }) => message["params"])).toMatchObject([
      { protocolVersion: "2025-11-25" },
      { protocolVersion: "2025-06-18" },
    ]);
  });

  test("goes without a session's id where the server gives none, and then there is none to delete", async () => {
    const server = new FakeServer({
      initialize: (one) => {
        const response = initialized(one);
        response.headers.delete("mcp-session-id");
        return response;
      },
    });
    const session = await server.connect();
    await call(session);
    await session.close();
    expect(server.calls.every(({ headers }) => !headers.has("mcp-session-id"))).toBe(true);
    expect(server.of("DELETE")).toHaveLength(0);
  });
});

describe("a session that the server has forgotten", () => {
  test("is begun anew once for ten calls, without the old id, and each call is sent again", async () => {
    const server = new FakeServer({
      initialize: (one) => initialized(one, {}, `s-${server.of("initialize").length}`),
      "tools/call": (one) =>
        one.headers.get("mcp-session-id") === "s-1" ? new Response(null, { status: 404 }) : result(one, { ok: true }),
    });
    const session = await server.connect();
    const results = await Promise.all(Array.from({ length: 10 }, () => call(session)));
    expect(results).toEqual(Array.from({ length: 10 }, () => ({ ok: true })));
    expect(server.of("initialize").map(({ headers }) => headers.get("mcp-session-id"))).toEqual([null, null]);
    expect(server.of("notifications/initialized")).toHaveLength(2);
    expect(server.of("tools/call")).toHaveLength(20);
    // What has gone is not asked to go.
    expect(server.of("DELETE")).toHaveLength(0);
  });

  test("is not begun anew without end", async () => {
    const server = new FakeServer({ "tools/call": () => new Response(null, { status: 404 }) });
    const session = await server.connect();
    await expect(call(session)).rejects.toMatchObject({ code: "http_error" });
    expect(server.of("initialize")).toHaveLength(2);
    expect(server.of("tools/call")).toHaveLength(2);
  });

  test("is another matter than a 400, which is the answer", async () => {
    const server = new FakeServer({ "tools/call": (one) => refusal(one, -32600, undefined, 400) });
    const session = await server.connect();
    await expect(call(session)).rejects.toThrow(ProtocolError);
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("can be begun anew by a later call when that failed", async () => {
    let isDown = false;
    const server = new FakeServer({
      initialize: (one) => (isDown ? new Response(null, { status: 503 }) : initialized(one)),
      "tools/call": (one) =>
        server.of("tools/call").length === 1 ? new Response(null, { status: 404 }) : result(one, { ok: true }),
    });
    const session = await server.connect();
    isDown = true;
    await expect(call(session)).rejects.toMatchObject({ code: "http_error", message: expect.stringContaining("503") });
    isDown = false;
    expect(await call(session)).toEqual({ ok: true });
  });
});

describe("a response", () => {
  test.each(["application/json", "application/json;charset=utf-8", "Application/JSON"])(
    "is read from %s",
    async (type) => {
      const server = new FakeServer({
        "tools/call": ({ message }) =>
          json({ jsonrpc: "2.0", id: message["id"], result: { a: 1 } }, { headers: { "content-type": type } }),
      });
      expect(await call(await server.connect())).toEqual({ a: 1 });
    },
  );

  test("is found on a stream among keep-alives, priming events and events of other types", async () => {
    const server = new FakeServer({
      "tools/call": ({ message }) => {
        const open = stream(
          "data:\n\n",
          "data: \n\n",
          ": ping\n\n",
          "event: ping\ndata: {}\n\n",
          "id: 1\ndata:\n\n",
          "data: pong\n\n",
        );
        open.raw('event: other\ndata: {"jsonrpc":"2.0","id":2,"result":{"wrong":true}}\n\n');
        open.send({ id: message["id"], result: { a: 1 } }, "event: message");
        return new Response(open.response.body, { headers: { "content-type": "Text/Event-Stream; charset=utf-8" } });
      },
    });
    const warnings: string[] = [];
    const session = await server.connect({ onWarning: (message) => warnings.push(message) });
    expect(await call(session)).toEqual({ a: 1 });
    expect(warnings).toEqual([]);
  });

  test("is found in a batch, which revision 2025-03-26 has", async () => {
    const server = new FakeServer({
      "tools/call": ({ message }) =>
        json([
          { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: message["id"], progress: 1 } },
          { jsonrpc: "2.0", id: message["id"], result: { a: 1 } },
        ]),
    });
    const seen: number[] = [];
    const session = await server.connect();
    expect(await call(session, { onProgress: ({ progress }) => seen.push(progress) })).toEqual({ a: 1 });
    expect(seen).toEqual([1]);
  });

  test("with an id of another type is not the response", async () => {
    const server = new FakeServer({
      "tools/call": ({ message }) => json({ jsonrpc: "2.0", id: String(message["id"]), result: {} }),
    });
    await expect(call(await server.connect())).rejects.toMatchObject({ code: "stream_ended" });
  });

  test("that is an error is thrown with its code, message and data", async () => {
    const server = new FakeServer({ "tools/call": (one) => refusal(one, -32042, { elicitations: [] }) });
    const failure: unknown = await call(await server.connect()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(failure).toMatchObject({ code: -32042, message: "no", data: { elicitations: [] } });
  });

  const ODD: readonly (readonly [name: string, response: () => Response, code: string])[] = [
    ["a page", () => new Response("<p>", { headers: { "content-type": "text/html" } }), "invalid_response"],
    ["202", () => new Response(null, { status: 202 }), "invalid_response"],
    [
      "half a JSON",
      () => new Response('{"a":', { headers: { "content-type": "application/json" } }),
      "invalid_response",
    ],
    ["a JSON too many", () => json({ a: "x".repeat(70_000) }), "too_large"],
    ["500", () => new Response("oops", { status: 500 }), "http_error"],
    ["403", () => new Response(null, { status: 403 }), "forbidden"],
    ["401", () => new Response(null, { status: 401 }), "unauthorized"],
    ["a stream that ends", () => new Response(": hi\n\n", { headers: EVENTS }), "stream_ended"],
    ["an endless line", () => new Response(`data: ${"x".repeat(70_000)}`, { headers: EVENTS }), "too_large"],
    ["too many events", () => new Response("data: {}\n\n".repeat(30_000), { headers: EVENTS }), "too_large"],
    ["neither result nor error", () => json({ jsonrpc: "2.0", id: 2 }), "invalid_response"],
  ];
  test.each(ODD)("that is %s is a local error, and says which", async (_, response, code) => {
    const server = new FakeServer({ "tools/call": response });
    const failure: unknown = await call(await server.connect()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(McpError);
    expect(failure).toMatchObject({ code });
  });

  test("is taken from a redirect at the same origin", async () => {
    const server = new FakeServer({
      "tools/call": (one) =>
        one.url.endsWith("/mcp/")
          ? result(one, { a: 1 })
          : new Response(null, { status: 307, headers: { location: "/mcp/" } }),
    });
    expect(await call(await server.connect())).toEqual({ a: 1 });
  });

  test.each([
    [307, "https://elsewhere.example/mcp"],
    [302, "/mcp/"],
  ])("is not taken from a %d to %s", async (status, location) => {
    const server = new FakeServer({ "tools/call": () => new Response(null, { status, headers: { location } }) });
    await expect(call(await server.connect())).rejects.toMatchObject({ code: "redirect_refused" });
    expect(server.calls.every(({ url }) => url === "https://legacy.example/mcp")).toBe(true);
  });
});

const EVENTS = { "content-type": "text/event-stream" };

describe("a request that is given up", () => {
  test("is cancelled at the server, by its id, and its stream let go", async () => {
    const open = stream();
    const server = new FakeServer({ "tools/call": () => open.response });
    const session = await server.connect();
    const giveUp = new AbortController();
    const running = call(session, { signal: giveUp.signal });
    const [sent] = await server.until("tools/call");
    giveUp.abort(new Error("enough"));
    await expect(running).rejects.toMatchObject({ code: "aborted" });
    const [cancelled] = await server.until("notifications/cancelled");
    expect(cancelled?.message["params"]).toMatchObject({ requestId: sent?.message["id"] });
    expect(sent?.signal?.aborted).toBe(true);
    expect(cancelled?.headers.get("mcp-session-id")).toBe("s-1");
  });

  test("is cancelled when it takes too long", async () => {
    const server = new FakeServer({ "tools/call": () => stream().response });
    const session = await server.connect();
    await expect(call(session, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
    await server.until("notifications/cancelled");
  });

  test("is not cancelled when it was never sent", async () => {
    const server = new FakeServer();
    const session = await server.connect();
    await expect(call(session, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    await call(session);
    expect(server.of("notifications/cancelled")).toHaveLength(0);
    expect(server.of("tools/call")).toHaveLength(1);
  });

  test("ends at the latest after its whole time, however much progress it makes", async () => {
    const open = stream();
    const server = new FakeServer({ "tools/call": () => open.response });
    const session = await server.connect();
    let seen = 0;
    const running = call(session, { timeoutMs: 10_000, maxTimeoutMs: 100, onProgress: () => (seen += 1) });
    const [sent] = await server.until("tools/call");
    const timer = setInterval(() => {
      open.send({ method: "notifications/progress", params: { progressToken: sent?.message["id"], progress: seen } });
    }, 5);
    await expect(running).rejects.toMatchObject({ code: "timeout" });
    clearInterval(timer);
    expect(seen).toBeGreaterThan(0);
  });

  test("with the connection itself is no handshake's failure for others", async () => {
    const server = new FakeServer({ initialize: () => new Promise(() => undefined) });
    const giveUp = new AbortController();
    const connecting = server.connect({}, {}, giveUp.signal);
    await server.until("initialize");
    giveUp.abort();
    await expect(connecting).rejects.toMatchObject({ code: "aborted" });
    expect(server.of("notifications/cancelled")).toHaveLength(0);
  });
});

describe("progress", () => {
  test("is asked for only where somebody listens", async () => {
    const server = new FakeServer();
    const session = await server.connect();
    await call(session, { meta: { traceparent: "00-1" } });
    await call(session, { onProgress: () => undefined });
    expect(server.of("tools/call").map(({ message }) => message["params"])).toEqual([
      { name: "t", arguments: {}, _meta: { traceparent: "00-1" } },
      { name: "t", arguments: {}, _meta: { progressToken: 3 } },
    ]);
  });

  test("arrives in order, with what the server says of it, at the request that it is of", async () => {
    const server = new FakeServer({
      "tools/call": ({ message }) => {
        const open = stream();
        const progressToken = message["id"];
        open.send({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2, message: "half" },
        });
        open.send({ method: "notifications/progress", params: { progressToken: 999, progress: 7 } });
        open.send({ method: "notifications/progress", params: { progressToken, progress: 2 } });
        open.send({ id: message["id"], result: {} });
        return open.response;
      },
    });
    const seen: unknown[] = [];
    await call(await server.connect(), { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([{ progress: 1, total: 2, message: "half" }, { progress: 2 }]);
  });

  test("has a listener whose error ends the request, at the server too", async () => {
    const open = stream();
    const server = new FakeServer({ "tools/call": () => open.response });
    const failure = new Error("mine");
    const running = call(await server.connect(), {
      onProgress: () => {
        throw failure;
      },
    });
    open.send({ method: "notifications/progress", params: { progressToken: 2, progress: 1 } });
    await expect(running).rejects.toBe(failure);
    await server.until("notifications/cancelled");
  });
});

describe("log messages", () => {
  test("are asked for at the mildest level wanted so far, and each request hears of its own level and above", async () => {
    const server = new FakeServer({
      "tools/call": ({ message }) => {
        const open = stream();
        for (const level of ["debug", "info", "error", "shout"]) {
          open.send({ method: "notifications/message", params: { level, logger: "l", data: { level } } });
        }
        open.send({ id: message["id"], result: {} });
        return open.response;
      },
    });
    const session = await server.connect();
    const heard: string[][] = [];
    for (const logLevel of ["error", "debug", "info"] as const) {
      const levels: string[] = [];
      heard.push(levels);
      await call(session, { logLevel, onLog: ({ level }) => levels.push(level) });
    }
    await call(session);
    expect(heard).toEqual([["error"], ["debug", "info", "error"], ["info", "error"]]);
    expect(server.of("logging/setLevel").map(({ message }) => message["params"])).toEqual([
      { level: "error" },
      { level: "debug" },
    ]);
  });

  test("are not asked for where the server has none, and are no reason to fail where it refuses", async () => {
    const mute = new FakeServer({ initialize: (one) => initialized(one, { capabilities: {} }) });
    await call(await mute.connect(), { onLog: () => undefined });
    expect(mute.of("logging/setLevel")).toHaveLength(0);
    const stubborn = new FakeServer({ "logging/setLevel": (one) => refusal(one, -32601) });
    const warnings: string[] = [];
    const session = await stubborn.connect({ onWarning: (message) => warnings.push(message) });
    expect(await call(session, { onLog: () => undefined })).toEqual({});
    expect(warnings).toHaveLength(1);
  });
});

describe("closing", () => {
  test("ends what is under way, says goodbye to the session, and lets nothing more be asked", async () => {
    const server = new FakeServer({ "tools/call": () => stream().response });
    const session = await server.connect();
    const running = call(session);
    running.catch(() => undefined);
    await server.until("tools/call");
    await session.close();
    await expect(running).rejects.toMatchObject({ code: "aborted" });
    await expect(call(session)).rejects.toMatchObject({ code: "aborted" });
    await session.close();
    expect(server.of("DELETE")).toHaveLength(1);
    expect(server.of("tools/call")).toHaveLength(1);
  });

  test.each([405, 404, 500])("does not mind a DELETE that is answered %d", async (status) => {
    const server = new FakeServer({ DELETE: () => new Response(null, { status }) });
    const session = await server.connect();
    await expect(session.close()).resolves.toBeUndefined();
  });
});

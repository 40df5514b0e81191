import { describe, expect, test } from "vitest";
import { type AuthInfo, createFetchHandler, type FetchHandlerOptions, type RuntimeContext } from "../../src/core.ts";
import { call, post, requestFor } from "../kit/post.ts";
import { emptyServer, serverWith } from "../kit/serve.ts";
import { readReply, resultOf } from "../kit/wire.ts";
import { rawRequest, type RawOptions } from "./raw-request.ts";

/** A handler that refuses whatever it can, and notes how far a request got. */
function strict(): { fetch: (request: Request) => Promise<Response>; reached: string[] } {
  const reached: string[] = [];
  const handler = serverWith((server) => server.tool("echo", {}, () => void reached.push("handler")), {
    allowedHosts: ["mcp.test"],
    allowedOrigins: ["https://app.test"],
    maxBodyBytes: 1_000,
    authenticate: ({ headers }) => {
      reached.push("authenticate");
      return headers.get("authorization") === "Bearer ok" ? { subject: "ann" } : new Response(null, { status: 401 });
    },
  });
  return { fetch: (request) => handler.fetch(request), reached };
}

const SIGNED_IN = { authorization: "Bearer ok" };
const TOO_LONG = "x".repeat(2_000);
const HERE = "https://mcp.test/mcp";

const meta = (version: string, capabilities: unknown = {}): object => ({
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

describe("the order of the checks", () => {
  test.each<{ name: string; body: string | null; options: RawOptions; status: number; reached: string[] }>([
    {
      name: "a path beats a host",
      body: "x",
      options: { url: "https://evil.test/other", headers: { origin: "https://evil.test" } },
      status: 404,
      reached: [],
    },
    {
      name: "a host beats a method",
      body: null,
      options: { url: "https://evil.test/mcp", method: "GET" },
      status: 403,
      reached: [],
    },
    {
      name: "a stranger's origin beats a method",
      body: null,
      options: { url: HERE, method: "GET", headers: { origin: "https://evil.test" } },
      status: 403,
      reached: [],
    },
    {
      name: "a stranger's origin beats missing credentials",
      body: "x",
      options: { url: HERE, headers: { origin: "https://evil.test" } },
      status: 403,
      reached: [],
    },
    {
      name: "a method beats missing credentials",
      body: null,
      options: { url: HERE, method: "DELETE" },
      status: 405,
      reached: [],
    },
    {
      name: "a method beats a content type",
      body: "x",
      options: { url: HERE, method: "PUT", headers: { "content-type": "text/plain" } },
      status: 405,
      reached: [],
    },
    {
      name: "missing credentials beat a content type",
      body: "x",
      options: { url: HERE, headers: { "content-type": "text/plain" } },
      status: 401,
      reached: ["authenticate"],
    },
    {
      name: "missing credentials beat a size",
      body: TOO_LONG,
      options: { url: HERE },
      status: 401,
      reached: ["authenticate"],
    },
    {
      name: "a content type beats a size",
      body: TOO_LONG,
      options: { url: HERE, headers: { ...SIGNED_IN, "content-type": "text/plain" } },
      status: 415,
      reached: ["authenticate"],
    },
    {
      name: "a size beats bad JSON",
      body: TOO_LONG,
      options: { url: HERE, headers: SIGNED_IN },
      status: 413,
      reached: ["authenticate"],
    },
    {
      name: "bad JSON comes after everything around it",
      body: "{",
      options: { url: HERE, headers: SIGNED_IN },
      status: 400,
      reached: ["authenticate"],
    },
  ])("$name", async ({ body, options, status, reached }) => {
    const handler = strict();
    const response = await handler.fetch(rawRequest(body, options));
    await response.text();
    expect({ status: response.status, reached: handler.reached }).toEqual({ status, reached });
  });

  const NOW = "2026-07-28";

  test.each<{ name: string; message: object; headers?: RawOptions["headers"]; status: number; code: number }>([
    {
      name: "an envelope beats a version",
      message: { id: 1, method: "x", params: { _meta: meta("2027-01-01") } },
      status: 400,
      code: -32600,
    },
    {
      name: "_meta beats a header",
      message: { jsonrpc: "2.0", id: 1, method: "x", params: { _meta: meta(NOW, null) } },
      status: 400,
      code: -32602,
    },
    {
      name: "a version header that disagrees beats an unsupported version",
      message: { jsonrpc: "2.0", id: 1, method: "x", params: { _meta: meta("2027-01-01") } },
      status: 400,
      code: -32020,
    },
    {
      name: "an unsupported version beats an unknown method",
      message: { jsonrpc: "2.0", id: 1, method: "no/such", params: { _meta: meta("2027-01-01") } },
      headers: { "mcp-protocol-version": "2027-01-01" },
      status: 400,
      code: -32022,
    },
    {
      name: "a header beats an unknown method",
      message: { jsonrpc: "2.0", id: 1, method: "no/such", params: { _meta: meta(NOW) } },
      headers: { "mcp-method": "other" },
      status: 400,
      code: -32020,
    },
    {
      name: "an unknown method beats its params",
      message: { jsonrpc: "2.0", id: 1, method: "no/such", params: { name: 5, _meta: meta(NOW) } },
      headers: { "mcp-method": "no/such" },
      status: 404,
      code: -32601,
    },
    {
      name: "params come last",
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "echo", arguments: null, _meta: meta(NOW) },
      },
      status: 200,
      code: -32602,
    },
  ])("$name", async ({ message, headers, status, code }) => {
    const { fetch, reached } = strict();
    const request = rawRequest(JSON.stringify(message), { url: HERE, headers: { ...SIGNED_IN, ...headers } });
    const reply = await readReply(await fetch(request));
    expect({ status: reply.status, code: reply.message?.error?.code, id: reply.message?.id }).toEqual({
      status,
      code,
      id: 1,
    });
    expect(reached).toEqual(["authenticate"]);
  });
});

describe("paths", () => {
  const handler = serverWith((server) => server.tool("echo", {}, () => "ok"), { path: "/api/mcp" });

  test.each<[path: string, status: number]>([
    ["/api/mcp", 200],
    ["/api/mcp?x=1", 200],
    ["/api/mcp?x=/api", 200],
    ["/api/../api/mcp", 200],
    ["/api/mcp/", 404],
    ["/api/mcp2", 404],
    ["/API/mcp", 404],
    ["/mcp", 404],
    ["/", 404],
    ["", 404],
    ["?/api/mcp", 404],
  ])("%j is answered with %i", async (path, status) => {
    const { status: got } = await post(handler, "server/discover", {}, { url: `https://mcp.test${path}` });
    expect(got).toBe(status);
  });
});

const whoami = (authenticate: (request: Request) => AuthInfo | null | Response | Promise<AuthInfo | null | Response>) =>
  serverWith((server) => server.tool("who", {}, (_args, { auth }) => auth?.subject ?? "nobody"), {
    authenticate,
    allowedOrigins: ["https://app.test"],
  });

const sent = (reply: { text: string }): string => reply.text;

describe("authentication", () => {
  test("decides who calls, for each request anew", async () => {
    const handler = whoami(async ({ headers }) => {
      const subject = headers.get("authorization");
      return subject === null ? null : { subject };
    });
    expect(sent(await call(handler, "who", {}, { headers: { authorization: "ann" } }))).toContain('"ann"');
    expect(sent(await call(handler, "who", {}))).toContain('"nobody"');
    expect(sent(await call(handler, "who", {}, { headers: { authorization: "bob" } }))).toContain('"bob"');
  });

  test("runs before the body is read", async () => {
    let consumed: boolean | undefined;
    const handler = whoami((request) => {
      consumed = request.bodyUsed;
      return null;
    });
    await call(handler, "who");
    expect(consumed).toBe(false);
  });

  test("may refuse with a response of its own, which an allowed page can read", async () => {
    const handler = whoami(
      () => new Response("sign in", { status: 401, headers: { "www-authenticate": 'Bearer scope="a"', "x-own": "1" } }),
    );
    const request = requestFor("server/discover", {}, { headers: { origin: "https://app.test" } });
    const response = await handler.fetch(request);
    expect(response.status).toBe(401);
    expect(await response.text()).toBe("sign in");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "www-authenticate": 'Bearer scope="a"',
      "x-own": "1",
      "access-control-allow-origin": "https://app.test",
      "access-control-expose-headers": "WWW-Authenticate, Retry-After",
    });
  });

  test("may refuse a caller that is no page, and nothing is added", async () => {
    const own = new Response(null, { status: 403 });
    expect(await whoami(() => own).fetch(requestFor("server/discover"))).toBe(own);
  });

  test("that fails lets nobody in and tells nothing, and the operator learns of it", async () => {
    const failure = new Error("key store at /secret/path is down");
    const handler = whoami(() => Promise.reject(failure));
    const reply = await call(handler, "who");
    expect(reply.status).toBe(503);
    expect(reply.message).toBeUndefined();
    expect(reply.text).toBe("Authentication is not possible right now\n");
    expect(handler.errors).toEqual([failure]);
  });

  test("that names nobody is a failure, not an anonymous caller", async () => {
    const handler = whoami(() => ({}) as AuthInfo); // What a JavaScript author may return.
    expect((await call(handler, "who")).status).toBe(503);
    expect(handler.errors).toEqual([expect.objectContaining({ message: expect.stringContaining("subject") })]);
  });
});

const broken = (): never => {
  throw new Error("no such binding at /secret/path");
};

describe("settings that fail", () => {
  test.each<[string, Pick<FetchHandlerOptions, "allowedHosts" | "allowedOrigins">]>([
    ["allowedHosts", { allowedHosts: broken }],
    ["allowedOrigins", { allowedOrigins: broken }],
  ])("such as %s are answered without detail, and the operator learns of them", async (_name, options) => {
    const handler = serverWith((server) => server.tool("t", {}, () => "ok"), options);
    const reply = await call(handler, "t", {}, { headers: { origin: "https://app.test" } });
    expect(reply.message?.error).toEqual({ code: -32603, message: "Internal error" });
    expect(handler.errors).toHaveLength(1);
  });

  test("such as an onError that throws do not take the reply with them", async () => {
    const handler = serverWith((server) => server.tool("t", {}, broken), { onError: broken });
    expect(resultOf(await call(handler, "t"))).toMatchObject({ isError: true });
  });
});

describe("what the runtime passes", () => {
  test("reaches the handler: bindings, the request, and work that outlives the reply", async () => {
    const seen: unknown[] = [];
    const later = Promise.resolve("done");
    const server = emptyServer<{ KEY: string }>().tool("look", {}, (_args, ctx) => {
      seen.push(ctx.env.KEY, ctx.request?.headers.get("x-probe"));
      ctx.waitUntil(later);
      return "ok";
    });
    const kept: Promise<unknown>[] = [];
    const runtime: RuntimeContext = {
      waitUntil(work) {
        if (this !== runtime) throw new TypeError("Illegal invocation"); // Runtimes insist on their own `this`.
        kept.push(work);
      },
    };
    const handler = createFetchHandler(server);
    const request = requestFor("tools/call", { name: "look" }, { headers: { "x-probe": "p" } });
    await (await handler.fetch(request, { KEY: "k" }, runtime)).text();
    expect(seen).toEqual(["k", "p"]);
    expect(await Promise.all(kept)).toEqual(["done"]);
  });

  test("may be nothing at all", async () => {
    const handler = serverWith((server) => {
      server.tool("look", {}, (_args, ctx) => {
        ctx.waitUntil(Promise.resolve());
        return String(ctx.env);
      });
    });
    expect((await call(handler, "look")).text).toContain("undefined");
  });

  test("work that fails after the reply is reported, not left to the runtime", async () => {
    const failure = new Error("late");
    const handler = serverWith((server) => {
      server.tool("look", {}, (_args, ctx) => {
        ctx.waitUntil(Promise.reject(failure));
        return "ok";
      });
    });
    await call(handler, "look");
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(handler.errors).toEqual([failure]);
  });
});

describe("options", () => {
  test.each([
    ["path", { path: "mcp" }],
    ["maxBodyBytes", { maxBodyBytes: 0 }],
    ["bodyTimeoutMs", { bodyTimeoutMs: 1.5 }],
    ["openAfterMs", { openAfterMs: -1 }],
    ["keepAliveMs", { keepAliveMs: Number.NaN }],
    ["stateTtlMs", { stateTtlMs: Infinity }],
    ["stateKeys[1]", { stateKeys: ["a".repeat(64), "short"] }],
  ])("%s out of range is a TypeError that names it, when the handler is made", (name, options) => {
    const make = (): unknown => createFetchHandler(emptyServer(), options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(name);
  });
});

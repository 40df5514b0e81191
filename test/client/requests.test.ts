/** What a request carries: its id, its `_meta`, its headers; and where it goes when the server redirects or challenges. */
import { describe, expect, test } from "vitest";
import type { AuthProvider } from "../../src/client.ts";
import { McpClient, McpError } from "../../src/client.ts";
import { against, codeOf, error, result, text, URL_UNDER_TEST } from "./fake-fetch.ts";

const PREFIX = "io.modelcontextprotocol/";

const elicit = () => Promise.resolve({ action: "cancel" });

test("a request that is given up is aborted, whatever its fetch fails with", async () => {
  const leaving = new AbortController();
  const fetch = (): Promise<Response> => {
    leaving.abort();
    throw new TypeError("gone");
  };
  const client = new McpClient(URL_UNDER_TEST, { info: { name: "a", version: "1" }, fetch });
  expect(await codeOf(client.callTool("t", {}, { signal: leaving.signal }))).toBe("aborted");
});

describe("every request", () => {
  test("is a POST of its own with the headers that the transport asks for", async () => {
    const { client, sent } = against((request) => result(request, text("ok")));
    await client.callTool("add", { a: 1 });
    const [{ url, init, headers, method, params } = expect.fail()] = sent;
    expect(url).toBe(URL_UNDER_TEST);
    expect(init.method).toBe("POST");
    expect(Object.fromEntries(headers)).toEqual({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "add",
    });
    expect([method, params]).toEqual(["tools/call", { name: "add", arguments: { a: 1 } }]);
  });

  test("has an id that no other had, a safe integer", async () => {
    const { client, sent } = against((request) => result(request, text("ok")));
    await Promise.all(["a", "b", "c"].map((name) => client.callTool(name)));
    const ids = sent.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every(Number.isSafeInteger)).toBe(true);
  });

  test("says who asks, in which revision, and what the client can be asked", async () => {
    const { client, sent } = against((request) => result(request, text("ok")), { input: { elicit } });
    await client.callTool("a");
    expect(sent[0]?.meta).toEqual({
      [`${PREFIX}protocolVersion`]: "2026-07-28",
      [`${PREFIX}clientInfo`]: { name: "under-test", version: "1.0.0" },
      [`${PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
    });
  });

  test("declares what was configured in place of what the handlers imply", async () => {
    const input = { elicit: () => Promise.resolve({}), roots: () => Promise.resolve({ roots: [] }) };
    const capabilities = { elicitation: { form: {} }, extensions: { "test/x": {} } };
    const { client, sent } = against((request) => result(request, text("ok")), { input, capabilities });
    await client.callTool("a");
    expect(sent[0]?.meta[`${PREFIX}clientCapabilities`]).toEqual({
      elicitation: { form: {} },
      roots: {},
      extensions: { "test/x": {} },
    });
  });

  test("asks for progress and logs only when somebody wants them", async () => {
    const { client, sent } = against((request) => result(request, text("ok")));
    await client.callTool("a");
    await client.callTool("a", {}, { onProgress: () => {}, onLog: () => {}, meta: { traceparent: "00-1" } });
    await client.callTool("a", {}, { onLog: () => {}, logLevel: "error" });
    const [quiet, curious, strict] = sent.map(({ meta }) => meta);
    expect([quiet?.["progressToken"], quiet?.[`${PREFIX}logLevel`]]).toEqual([undefined, undefined]);
    expect(curious).toMatchObject({ progressToken: sent[1]?.id, [`${PREFIX}logLevel`]: "info", traceparent: "00-1" });
    expect(strict?.[`${PREFIX}logLevel`]).toBe("error");
  });

  test("carries the headers of the application, which cannot replace those of the protocol", async () => {
    const headers = { "X-Tenant": "t1", "Mcp-Method": "tools/list", Accept: "text/html" };
    const { client, sent } = against((request) => result(request, text("ok")), { headers });
    await client.callTool("a");
    expect(sent[0]?.headers.get("x-tenant")).toBe("t1");
    expect(sent[0]?.headers.get("mcp-method")).toBe("tools/call");
    expect(sent[0]?.headers.get("accept")).toBe("application/json, text/event-stream");
  });
});

// HDR-02.
describe("Mcp-Name", () => {
  test.each([
    ["plain", "plain"],
    ["grüße", "=?base64?Z3LDvMOfZQ==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="],
    ["a\nb", "=?base64?YQpi?="],
  ])("of the tool %j is %j", async (name, header) => {
    const { client, sent } = against((request) => result(request, text("ok")));
    await client.callTool(name);
    expect(sent[0]?.headers.get("mcp-name")).toBe(header);
    expect(sent[0]?.params["name"]).toBe(name);
  });

  test("is the URI of a resource, the name of a prompt, and absent elsewhere", async () => {
    const { client, sent } = against((request) =>
      result(request, { contents: [], messages: [], tools: [], completion: { values: [] } }),
    );
    await client.readResource("notes://日本");
    await client.getPrompt("greet");
    await client.listTools();
    await client.request("x/y", { name: "z" });
    const names = sent.map(({ headers }) => headers.get("mcp-name"));
    expect(names).toEqual(["=?base64?bm90ZXM6Ly/ml6XmnKw=?=", "greet", null, null]);
  });
});

const to = (location: string, status: number): Response => new Response("", { status, headers: { location } });

describe("a redirect", () => {
  test.each([307, 308])("within the origin is followed with the same POST when it is a %d", async (status) => {
    const { client, sent } = against((request, index) =>
      index === 0 ? to("/v2", status) : result(request, text("ok")),
    );
    await client.callTool("a");
    expect(sent.map(({ url }) => url)).toEqual([URL_UNDER_TEST, "https://server.test/v2"]);
    expect(sent[1]?.id).toBe(sent[0]?.id);
  });

  test.each([
    ["to another origin", "https://evil.test/mcp", 307],
    ["to another scheme", "http://server.test/mcp", 308],
    ["to another port", "https://server.test:8443/mcp", 307],
    ["that makes a GET of it", "/v2", 302],
    ["that makes a GET of it for certain", "/v2", 303],
    ["to nowhere", "", 301],
    ["to something that is no URL", "https://", 307],
  ])("%s is refused, and nothing is sent there", async (_name, location, status) => {
    const { client, sent } = against(() => to(location, status));
    expect(await codeOf(client.callTool("a"))).toBe("redirect_refused");
    expect(sent).toHaveLength(1);
  });

  test("in a circle ends after three", async () => {
    const { client, sent } = against(() => to("/mcp", 307));
    expect(await codeOf(client.callTool("a"))).toBe("redirect_refused");
    expect(sent).toHaveLength(4);
  });
});

const provider = (again: boolean): AuthProvider & { challenges: number; seen: number } => ({
  challenges: 0,
  seen: 0,
  headers: () => Promise.resolve({ authorization: "Bearer secret" }),
  challenged() {
    this.challenges += 1;
    return Promise.resolve(again);
  },
  responded() {
    this.seen += 1;
  },
});

const refused = () => new Response("", { status: 401 });

describe("authorization", () => {
  test("signs each request, and again after a challenge", async () => {
    const auth = provider(true);
    const { client, sent } = against((request, index) => (index === 0 ? refused() : result(request, text("ok"))), {
      auth,
    });
    await client.callTool("a");
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer secret", "Bearer secret"]);
    expect([auth.challenges, auth.seen]).toEqual([1, 1]);
  });

  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
  ])("gives up after three sends that are all answered by %d", async (status, code) => {
    const auth = provider(true);
    const { client, sent } = against(
      () => new Response("", { status, headers: { "www-authenticate": 'Bearer error="insufficient_scope"' } }),
      { auth },
    );
    const thrown: unknown = await client.callTool("a").catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ code });
    expect(String(thrown)).not.toContain("secret");
    expect(sent).toHaveLength(3);
  });

  test("is not asked for by a 403 without a challenge", async () => {
    const auth = provider(true);
    const { client, sent } = against((request) => error(request, -32600, { status: 403 }), { auth });
    expect(await codeOf(client.callTool("a"))).toBe(-32600);
    expect([sent.length, auth.challenges]).toEqual([1, 0]);
  });

  test("ends with what the provider says is wrong", async () => {
    const auth = provider(true);
    auth.challenged = () => Promise.reject(new McpError("unauthorized", "the person declined"));
    const { client } = against(() => new Response("", { status: 401 }), { auth });
    await expect(client.callTool("a")).rejects.toThrow("the person declined");
  });

  test("may take a person longer than the server may", async () => {
    const auth = provider(true);
    auth.challenged = () => new Promise((resolve) => setTimeout(() => resolve(true), 60));
    const { client } = against(
      (request, index) => (index === 0 ? new Response("", { status: 401 }) : result(request, text("ok"))),
      { auth },
    );
    expect(await codeOf(client.callTool("a", {}, { timeoutMs: 30, maxTimeoutMs: 30 }))).toBeUndefined();
  });
});

const unsupported = (supported: unknown) => (request: { id: number }) =>
  error(request, -32022, { status: 400, data: { supported } });

describe("a revision that the server does not speak", () => {
  test("is given up for one that both speak, under a new id, once", async () => {
    const { client, sent } = against((request, index) =>
      index === 0 ? unsupported(["2027-01-01", "2026-07-28"])(request) : result(request, text("ok")),
    );
    await client.callTool("a");
    expect(sent).toHaveLength(2);
    expect(sent[0]?.id).not.toBe(sent[1]?.id);
    const stubborn = against(unsupported(["2026-07-28"]));
    expect(await codeOf(stubborn.client.callTool("a"))).toBe(-32022);
    expect(stubborn.sent).toHaveLength(2);
  });

  test.each([[["1999-01-01"]], [[]], ["2026-07-28"], [undefined]])(
    "%j has nothing in common with it",
    async (supported) => {
      const { client, sent } = against(unsupported(supported));
      expect(await codeOf(client.callTool("a"))).toBe("no_common_version");
      expect(sent).toHaveLength(1);
    },
  );
});

test.each(["ftp://server.test/", "javascript:alert(1)", "mcp"])(
  "the URL %j is refused when the client is made",
  (url) => {
    expect(() => new McpClient(url, { info: { name: "under-test", version: "1.0.0" } })).toThrow(TypeError);
  },
);

const describing: Parameters<typeof against>[0] = ({ id, headers }) =>
  result({ id }, { capabilities: {}, instructions: `for ${headers.get("authorization")}` });

const providing = (authorization: string): AuthProvider => ({
  headers: async () => ({ Authorization: authorization }),
  challenged: async () => false,
});

describe("what a provider signs with", () => {
  test("takes the place of the application's header of that name", async () => {
    const headers = { authorization: "Bearer old" };
    const { client, sent } = against((request) => result(request, text("ok")), {
      headers,
      auth: providing("Bearer new"),
    });
    await client.callTool("a");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer new");
  });

  test("is not repeated where it cannot be sent, and nothing is", async () => {
    const { client, sent } = against((request) => result(request, text("ok")), { auth: providing("Bearer SECRET\nX") });
    const thrown: unknown = await client.listTools().catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ code: "unauthorized" });
    expect(thrown).not.toHaveProperty("cause");
    expect(String(thrown)).not.toContain("SECRET");
    expect(sent).toHaveLength(0);
  });

  test("decides to whom what the server said of itself is said again", async () => {
    const who: { name: string | undefined } = { name: "alice" };
    const named = { ...providing(""), headers: async () => ({ authorization: String(who.name) }) };
    const known = against(describing, { auth: { ...named, principal: () => who.name } });
    expect((await known.client.discover()).instructions).toBe("for alice");
    await known.client.discover();
    expect(known.sent).toHaveLength(1);
    who.name = "bob";
    expect((await known.client.discover()).instructions).toBe("for bob");
    const unknown = against(describing, { auth: named });
    await unknown.client.discover();
    who.name = "carol";
    expect((await unknown.client.discover()).instructions).toBe("for carol");
  });
});

test("a header that mirrors an argument takes the place of the application's of that name", async () => {
  const inputSchema = { type: "object", properties: { r: { type: "string", "x-mcp-header": "Region" } } };
  const names: string[][] = [];
  const { client, sent } = against(
    (request) => {
      names.push(Object.keys(request.init.headers ?? {}));
      return result(request, { ...text("ok"), tools: [{ name: "t", inputSchema }] });
    },
    { headers: { "Mcp-Param-Region": "mine" } },
  );
  await client.listTools();
  await client.callTool("t", { r: "x" });
  expect(sent[1]?.headers.get("mcp-param-region")).toBe("x");
  expect(names.flat().filter((name) => name !== name.toLowerCase())).toEqual([]);
});

/** Entries that depend on the caller: `visibleTo` and providers. */
import { describe, expect, test, vi } from "vitest";
import type { AuthInfo, DynamicResource, DynamicTool, McpServer, Provider } from "../../src/core.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { call, post } from "../kit/post.ts";
import { type Served, serverWith, subjectFromHeader } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireReply } from "../kit/wire.ts";

function authenticated(register: (server: McpServer) => void): Served<unknown> {
  return serverWith(register, { authenticate: subjectFromHeader });
}

function as(subject: string): { headers: Record<string, string> } {
  return { headers: { authorization: subject } };
}

function namesIn(reply: WireReply, member = "tools", key = "name"): unknown[] {
  return (resultOf(reply)[member] as Record<string, unknown>[]).map((entry) => entry[key]);
}

function providing(provider: Provider, register?: (server: McpServer) => void): Served<unknown> {
  return authenticated((server) => {
    register?.(server);
    server.provide(provider);
  });
}

const tool = (name: string, more: Partial<DynamicTool> = {}): DynamicTool => ({
  name,
  handler: () => `provided ${name}`,
  ...more,
});
const resource = (uri: string, more: Partial<DynamicResource> = {}): DynamicResource => ({
  uri,
  name: uri,
  read: () => `provided ${uri}`,
  ...more,
});

describe("visibleTo", () => {
  const onlyRoot = { visibleTo: ({ auth }: { auth: AuthInfo | null }) => auth?.subject === "root" };
  const handler = authenticated((server) => {
    server.tool("open", {}, () => "open").tool("admin", onlyRoot, () => "admin");
    server.prompt("open", {}, () => "open").prompt("admin", onlyRoot, () => "admin");
    server
      .resource("a:open", { name: "open" }, () => "open")
      .resource("a:admin", { name: "admin", ...onlyRoot }, () => "admin");
    server
      .resource("vault:{x}", { name: "vault", ...onlyRoot }, () => "vault")
      .resource("a:{+any}", { name: "any" }, () => "any");
    server.resource("vault:{+any}", { name: "all of it" }, () => "a later template");
  });

  test.each([
    ["tools/list", "tools"],
    ["prompts/list", "prompts"],
    ["resources/list", "resources"],
  ])("%s shows each caller their own, as private", async (method, member) => {
    expect(namesIn(await post(handler, method, {}, as("root")), member)).toEqual(["open", "admin"]);
    const forEve = await post(handler, method, {}, as("eve"));
    expect(namesIn(forEve, member)).toEqual(["open"]);
    expect(resultOf(forEve)).toMatchObject({ cacheScope: "private", ttlMs: 0 });
    expect(namesIn(await post(handler, method), member)).toEqual(["open"]);
  });

  test("using a hidden entry is like using one that does not exist", async () => {
    expect(textOf(await call(handler, "admin", {}, as("root")))).toBe("admin");
    expect(errorOf(await call(handler, "admin", {}, as("eve"))).message).toBe("Unknown tool: admin");
    expect(errorOf(await post(handler, "prompts/get", { name: "admin" }, as("eve"))).message).toBe(
      "Unknown prompt: admin",
    );
  });

  test.each(["a:admin", "vault:gold"])(
    "a hidden resource is not served by a template that matches %s as well",
    async (uri) => {
      expect(resultOf(await post(handler, "resources/read", { uri }, as("root")))["contents"]).toHaveLength(1);
      expect(errorOf(await post(handler, "resources/read", { uri }, as("eve")))).toMatchObject({
        code: -32602,
        data: { uri },
      });
      expect(resultOf(await post(handler, "resources/read", { uri: "a:else" }, as("eve")))["contents"]).toMatchObject([
        { text: "any" },
      ]);
    },
  );

  test("hides unless it says true, and a failure in it is an internal error", async () => {
    for (const answer of [undefined, 0, null, "", Promise.resolve(false), Promise.resolve(true)]) {
      const odd = serverWith((server) =>
        server.tool("t", { visibleTo: () => answer as unknown as boolean }, () => "ran"),
      );
      expect(namesIn(await post(odd, "tools/list"))).toEqual([]);
      expect(errorOf(await call(odd, "t")).code).toBe(-32602);
    }
    const failing = serverWith((server) =>
      server.tool(
        "t",
        {
          visibleTo: () => {
            throw new Error("/home/ada");
          },
        },
        () => "",
      ),
    );
    expect(errorOf(await post(failing, "tools/list"))).toEqual({ code: -32603, message: "Internal error" });
    expect(errorOf(await call(failing, "t"))).toEqual({ code: -32603, message: "Internal error" });
  });

  test("may look at the environment, the request and the client", async () => {
    interface Env {
      flag: boolean;
    }
    const handler = serverWith<Env>((server) => {
      server.tool("e", { visibleTo: ({ env }) => env.flag }, () => "");
      server.tool("r", { visibleTo: ({ request }) => request?.headers.get("x-plan") === "pro" }, () => "");
      server.tool("c", { visibleTo: ({ meta }) => meta.capabilities.elicitation !== undefined }, () => "");
    });
    expect(namesIn(await post(handler, "tools/list", {}, { env: { flag: true } }))).toEqual(["e"]);
    const options = { env: { flag: false }, headers: { "x-plan": "pro" }, capabilities: { elicitation: {} } };
    expect(namesIn(await post(handler, "tools/list", {}, options))).toEqual(["r", "c"]);
  });
});

describe("provided tools", () => {
  const handler = providing(
    { tools: ({ auth }) => (auth === null ? [] : [tool(`${auth.subject}s`), tool("fixed", { description: "mine" })]) },
    (server) => server.tool("fixed", { description: "registered" }, () => "registered"),
  );

  test("differ from caller to caller, follow the registered ones, and are private", async () => {
    const [forAda, forEve] = [
      await post(handler, "tools/list", {}, as("ada")),
      await post(handler, "tools/list", {}, as("eve")),
    ];
    expect([namesIn(forAda), namesIn(forEve)]).toEqual([
      ["fixed", "adas"],
      ["fixed", "eves"],
    ]);
    expect(resultOf(forAda)).toMatchObject({
      cacheScope: "private",
      ttlMs: 0,
      tools: [{ description: "registered" }, {}],
    });
    expect(textOf(await call(handler, "adas", {}, as("ada")))).toBe("provided adas");
    expect(errorOf(await call(handler, "adas", {}, as("eve"))).message).toBe("Unknown tool: adas");
  });

  test("give way to a registered tool of the same name", async () => {
    expect(textOf(await call(handler, "fixed", {}, as("ada")))).toBe("registered");
  });

  test("have their arguments and results checked like any other", async () => {
    const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const handler = providing({
      tools: () => [
        tool("t", { inputSchema, outputSchema: { type: "string" }, handler: ({ n }) => (n === 1 ? "one" : [n]) }),
      ],
    });
    expect(resultOf(await call(handler, "t", { n: 1 }))["structuredContent"]).toBe("one");
    expect(resultOf(await call(handler, "t", { n: "1" }))).toMatchObject({ isError: true });
    expect(errorOf(await call(handler, "t", { n: 2 })).code).toBe(-32603);
  });

  test.each<[string, unknown]>([
    [
      "a remote $ref",
      tool("bad", { inputSchema: { type: "object", properties: { p: { $ref: "https://evil.test/" } } } }),
    ],
    ["an unknown type", tool("bad", { inputSchema: { type: "Object" } })],
    ["no handler", { name: "bad" }],
    ["no name", { handler: () => "" }],
    ["an empty name", tool("")],
    ["a name beyond measure", tool("n".repeat(1_000))],
    ["nothing", null],
  ])("that are no good because of %s are reported and hide nothing", async (_name, bad) => {
    const handler = providing({ tools: () => [tool("before"), bad as DynamicTool, tool("after")] });
    expect(namesIn(await post(handler, "tools/list"))).toEqual(["before", "after"]);
    expect(handler.errors).toMatchObject([expect.any(TypeError)]);
    expect(textOf(await call(handler, "after"))).toBe("provided after");
    expect(errorOf(await call(handler, "bad")).code).toBe(-32602);
  });

  test("may limit who sees them", async () => {
    const handler = providing({ tools: () => [tool("t", { visibleTo: ({ auth }) => auth !== null })] });
    expect(namesIn(await post(handler, "tools/list"))).toEqual([]);
    expect(errorOf(await call(handler, "t")).code).toBe(-32602);
    expect(textOf(await call(handler, "t", {}, as("ada")))).toBe("provided t");
  });

  test("are compiled once for each definition", async () => {
    const late = interpreterEngine();
    const compile = vi.fn(late.compile.bind(late));
    const kept = tool("kept", { inputSchema: { type: "object" } });
    const register = (server: McpServer): void => void server.provide({ tools: () => [kept, tool("fresh")] });
    const handler = serverWith(register, { server: { lateSchemas: { name: "counting", compile } } });
    await post(handler, "tools/list");
    const once = compile.mock.calls.length;
    await call(handler, "kept");
    await post(handler, "tools/list");
    const schemas = compile.mock.calls.map(([schema]) => schema);
    expect(schemas.filter((schema) => JSON.stringify(schema) === JSON.stringify(kept.inputSchema))).toHaveLength(1);
    expect(once).toBe(2);
  });

  test("can be looked up one by one, without a list", async () => {
    const tools = vi.fn(() => []);
    const handler = providing({ tools, tool: (name) => (name.startsWith("x") ? tool(name) : undefined) });
    expect(textOf(await call(handler, "x1"))).toBe("provided x1");
    expect(errorOf(await call(handler, "y")).code).toBe(-32602);
    expect(tools).not.toHaveBeenCalled();
    const only = providing({ tool: (name) => tool(name) });
    expect(textOf(await call(only, "x"))).toBe("provided x");
    expect(namesIn(await post(only, "tools/list"))).toEqual([]);
    const confused = providing({ tool: () => tool("other") });
    expect(errorOf(await call(confused, "x")).code).toBe(-32602);
  });

  test("of several providers: the first of a name wins", async () => {
    const handler = authenticated((server) => {
      server.provide({ tools: async () => Promise.resolve([tool("a", { handler: () => "first" })]) });
      server.provide({ tools: () => [tool("a", { handler: () => "second" }), tool("b")] });
    });
    expect(namesIn(await post(handler, "tools/list"))).toEqual(["a", "b"]);
    expect(textOf(await call(handler, "a"))).toBe("first");
    expect(textOf(await call(handler, "b"))).toBe("provided b");
  });

  test("a provider that fails is an internal error, and registered tools can still be called", async () => {
    const handler = providing({ tools: () => Promise.reject(new Error("/home/ada")) }, (server) =>
      server.tool("fixed", {}, () => "ran"),
    );
    expect(errorOf(await post(handler, "tools/list"))).toEqual({ code: -32603, message: "Internal error" });
    expect(textOf(await call(handler, "fixed"))).toBe("ran");
  });
});

async function read(handler: Served<unknown>, uri: string, subject = "ada"): Promise<unknown> {
  return resultOf(await post(handler, "resources/read", { uri }, as(subject)))["contents"];
}

describe("provided resources", () => {
  const handler = providing(
    {
      resources: ({ auth }) =>
        auth === null ? [] : [resource(`a:${auth.subject}`), resource("a:fixed"), resource("a:other")],
    },
    (server) =>
      server
        .resource("a:fixed", { name: "fixed" }, () => "registered")
        .resource("t:{x}", { name: "t" }, (_uri, { x }) => `template ${x}`),
  );

  test("differ from caller to caller", async () => {
    const forAda = await post(handler, "resources/list", {}, as("ada"));
    expect(namesIn(forAda, "resources", "uri")).toEqual(["a:fixed", "a:ada", "a:other"]);
    expect(resultOf(forAda)).toMatchObject({ cacheScope: "private", ttlMs: 0 });
    expect(await read(handler, "a:ada")).toMatchObject([{ uri: "a:ada", text: "provided a:ada" }]);
    expect(errorOf(await post(handler, "resources/read", { uri: "a:ada" }, as("eve"))).code).toBe(-32602);
  });

  test("give way to registered ones", async () => {
    expect(await read(handler, "a:fixed")).toMatchObject([{ text: "registered" }]);
    expect(await read(handler, "t:1")).toMatchObject([{ text: "template 1" }]);
  });

  test("without a reader are listed, and read through a template", async () => {
    const listed: DynamicResource = { uri: "t:9", name: "nine" };
    const handler = providing({ resources: () => [listed] }, (server) =>
      server.resource("t:{x}", { name: "t" }, (_uri, { x }) => `template ${x}`),
    );
    expect(namesIn(await post(handler, "resources/list"), "resources", "uri")).toEqual(["t:9"]);
    expect(await read(handler, "t:9")).toMatchObject([{ text: "template 9" }]);
  });

  test.each<[string, unknown]>([
    ["no absolute URI", resource("nowhere")],
    ["a template", resource("a:{x}")],
    ["no URI", { name: "x" }],
    ["nothing", null],
    ["a lifetime below zero", resource("a:x", { ttlMs: -1 })],
  ])("that are no good because of %s are reported and hide nothing", async (_name, bad) => {
    const handler = providing({ resources: () => [resource("a:before"), bad as DynamicResource, resource("a:after")] });
    expect(namesIn(await post(handler, "resources/list"), "resources", "uri")).toEqual(["a:before", "a:after"]);
    expect(handler.errors).toMatchObject([expect.any(TypeError)]);
    expect(await read(handler, "a:after")).toMatchObject([{ text: "provided a:after" }]);
  });

  test("can be looked up one by one, without a list", async () => {
    const handler = providing({
      resource: (uri) => (uri.startsWith("a:") ? resource(uri, { ttlMs: 7, cacheScope: "public" }) : undefined),
    });
    const reply = await post(handler, "resources/read", { uri: "a:1" });
    expect(resultOf(reply)).toMatchObject({ ttlMs: 7, cacheScope: "public", contents: [{ text: "provided a:1" }] });
    expect(errorOf(await post(handler, "resources/read", { uri: "b:1" })).code).toBe(-32602);
    expect(namesIn(await post(handler, "resources/list"), "resources")).toEqual([]);
  });
});

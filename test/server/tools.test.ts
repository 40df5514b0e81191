import { describe, expect, test } from "vitest";
import { call, post } from "../kit/post.ts";
import { emptyServer, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, textOf } from "../kit/wire.ts";

const TEXT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
} as const;

const handler = serverWith((server) => {
  server.tool("echo", { inputSchema: TEXT }, ({ text }) => text);
  server.tool("nothing", {}, (args) => JSON.stringify(args));
  server.tool("anything", { inputSchema: { type: "object" } }, (args) => JSON.stringify(args));
});

describe("arguments", () => {
  test("reach the handler as they were sent", async () => {
    expect(textOf(await call(handler, "echo", { text: "grüße 😀" }))).toBe("grüße 😀");
  });

  test("default to an empty object when they are absent", async () => {
    expect(textOf(await call(handler, "nothing"))).toBe("{}");
  });

  test.each([[null], ["{}"], [[]], [5], [true]])("that are %j make the request malformed", async (args) => {
    const reply = await post(handler, "tools/call", { name: "nothing", arguments: args });
    expect(reply.status).toBe(200);
    expect(errorOf(reply)).toMatchObject({ code: -32602, message: expect.stringContaining("arguments") });
  });

  test("are refused by a tool without a schema, which takes none", async () => {
    const result = resultOf(await call(handler, "nothing", { extra: 1 }));
    expect(result).toMatchObject({ isError: true, resultType: "complete" });
  });

  test("that break the schema are a result with isError that names the field", async () => {
    const wrong = await call(handler, "echo", { text: 5 });
    expect(wrong.status).toBe(200);
    expect(resultOf(wrong)).toMatchObject({ isError: true, resultType: "complete" });
    expect(textOf(wrong)).toMatch(/text.*string/);
    expect(textOf(await call(handler, "echo", {}))).toMatch(/text/);
    expect(textOf(await call(handler, "echo", { text: "", more: 1 }))).toMatch(/more/);
  });

  test("never appear in the message about them", async () => {
    const secret = "hunter2-hunter2";
    const reply = await call(handler, "echo", { text: [secret] });
    expect(reply.text).not.toContain(secret);
  });

  test("with the names of prototype members are data like any other", async () => {
    const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}') as object;
    const reply = await call(handler, "anything", args);
    expect(JSON.parse(textOf(reply))).toEqual(args);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each(["__proto__", "constructor", "toString"])("named %s are refused by a closed schema", async (name) => {
    const args = JSON.parse(`{"text":"x","${name}":1}`) as object;
    expect(resultOf(await call(handler, "echo", args))).toMatchObject({ isError: true });
  });

  test.each(["__proto__", "constructor", "toString"])(
    "must hold %s themselves where the schema requires it",
    async (name) => {
      const strict = serverWith((server) => {
        server.tool("strict", { inputSchema: { type: "object", required: [name] } }, () => "ran");
      });
      expect(resultOf(await call(strict, "strict", {}))).toMatchObject({ isError: true });
      expect(textOf(await call(strict, "strict", JSON.parse(`{"${name}":1}`)))).toBe("ran");
    },
  );
});

async function withBody(request: Request, literal: string): Promise<Request> {
  const body = (await request.text()).replace('"N"', literal);
  return new Request(request.url, { method: "POST", headers: request.headers, body });
}

describe("numbers and coercion", () => {
  const numeric = serverWith((server) => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "integer", default: 7 }, b: { type: "boolean" } },
      additionalProperties: false,
    } as const;
    server.tool("n", { inputSchema }, ({ n, b }) => JSON.stringify({ n, b, minusZero: Object.is(n, -0) }));
  });

  test.each([{ n: "42" }, { n: "42xyz" }, { b: "false" }, { b: 0 }, { n: 1.5 }, { n: null }])(
    "%j is refused instead of converted",
    async (args) => {
      expect(resultOf(await call(numeric, "n", args))).toMatchObject({ isError: true });
    },
  );

  test("a default of a JSON Schema describes and fills in nothing", async () => {
    expect(textOf(await call(numeric, "n", {}))).toBe('{"minusZero":false}');
  });

  test.each([
    ["1e400", true],
    ["1E2", false],
    ["-0", false],
    ["42.0", false],
  ])("the number %s is judged by its value", async (literal, refused) => {
    const text = JSON.stringify({ n: "N" }).replace('"N"', literal);
    const parsed = JSON.parse(text) as { n: number };
    // JSON.stringify would write Infinity as null, so the request is made of text.
    const reply = await post(
      { fetch: async (request) => numeric.fetch(await withBody(request, literal)) },
      "tools/call",
      {
        name: "n",
        arguments: { n: "N" },
      },
    );
    expect(resultOf(reply)["isError"] === true).toBe(refused);
    if (!refused) expect(JSON.parse(textOf(reply))).toMatchObject({ n: parsed.n === 0 ? 0 : parsed.n });
  });
});

describe("names", () => {
  test("that are unknown are invalid params, not tool errors", async () => {
    const reply = await call(handler, "nope");
    expect(reply.status).toBe(200);
    expect(errorOf(reply)).toMatchObject({ code: -32602, message: expect.stringContaining("nope") });
  });

  test("that are not strings are invalid params", async () => {
    for (const name of [undefined, null, 5, ["echo"]]) {
      expect(errorOf(await post(handler, "tools/call", { name })).code).toBe(-32602);
    }
  });

  test("are not repeated at any length", async () => {
    const { message } = errorOf(await call(handler, "n".repeat(5_000)));
    expect(message.length).toBeLessThan(200);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is no tool unless somebody made it one",
    async (name) => {
      expect(errorOf(await call(handler, name)).code).toBe(-32602);
      const named = serverWith((server) => server.tool(name, {}, () => `I am ${name}`));
      expect(textOf(await call(named, name))).toBe(`I am ${name}`);
    },
  );

  test.each(["grüße", " padded ", "=?base64?x?=", "line\nbreak", "日本", "a, b"])(
    "%j reach their tool through the header",
    async (name) => {
      const named = serverWith((server) => server.tool(name, {}, () => "found"));
      expect(textOf(await call(named, name))).toBe("found");
    },
  );
});

describe("tools/list", () => {
  test("shows what the author wrote, unchanged and in order", async () => {
    const inputSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { p: { $ref: "#/$defs/p", "x-internal": 1 } },
      $defs: { p: { type: "string", default: "x", examples: ["y"] } },
    } as const;
    const described = {
      title: "Second",
      description: "Does it.",
      icons: [{ src: "https://icons.test/i.svg", sizes: ["any"] }],
      annotations: { readOnlyHint: true, title: "Hint" },
      _meta: { "test/tag": [1] },
    };
    const listed = serverWith((server) => {
      server.tool("z", {}, () => "");
      server.tool("a", { ...described, inputSchema, outputSchema: { type: "array" } }, () => []);
    });
    expect(resultOf(await post(listed, "tools/list"))["tools"]).toEqual([
      { name: "z", inputSchema: { type: "object", additionalProperties: false } },
      { name: "a", ...described, inputSchema, outputSchema: { type: "array" } },
    ]);
  });

  test("keeps visibleTo and the handler to the server", async () => {
    const hidden = serverWith((server) => server.tool("t", { visibleTo: () => true }, () => ""));
    expect(Object.keys((resultOf(await post(hidden, "tools/list"))["tools"] as object[])[0] ?? {})).toEqual([
      "name",
      "inputSchema",
    ]);
  });

  test("answers every time with the same bytes", async () => {
    const [first, second] = [await post(handler, "tools/list"), await post(handler, "tools/list")];
    expect(second.text).toBe(first.text);
  });
});

describe("discovery", () => {
  test("names the server, the version and what is registered, and nothing else", async () => {
    const { server } = handler;
    expect(server).toBeDefined();
    expect(resultOf(await post(handler, "server/discover"))).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, logging: {} },
      ttlMs: 300_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "under-test", version: "1.2.3" } },
    });
  });

  test("shows instructions and every capability that something stands behind", async () => {
    const full = serverWith(
      (server) => {
        server.resource("a:{x}", { name: "a", complete: { x: () => [] } }, () => "");
        server.prompt("p", {}, () => "");
      },
      { server: { instructions: "Be kind.", logging: false, listTtlMs: 0 } },
    );
    expect(resultOf(await post(full, "server/discover"))).toMatchObject({
      capabilities: { resources: {}, prompts: {}, completions: {} },
      instructions: "Be kind.",
      ttlMs: 0,
    });
    expect(resultOf(await post(full, "server/discover"))["capabilities"]).not.toHaveProperty("logging");
  });

  test("of an empty server works, and none of its other methods exist", async () => {
    const empty = serverWith(() => undefined);
    expect(resultOf(await post(empty, "server/discover"))["capabilities"]).toEqual({ logging: {} });
    for (const method of ["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"]) {
      const reply = await post(empty, method, { name: "x", uri: "x" });
      expect([reply.status, errorOf(reply).code]).toEqual([404, -32601]);
    }
    for (const method of ["prompts/list", "prompts/get", "completion/complete"]) {
      expect(errorOf(await post(empty, method, { name: "x" })).code).toBe(-32601);
    }
  });

  test.each([
    "ping",
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "roots/list",
    "sampling/createMessage",
    "__proto__",
  ])("%s is no method of this revision", async (method) => {
    const reply = await post(handler, method);
    expect([reply.status, errorOf(reply).code, reply.message?.id]).toEqual([404, -32601, 1]);
  });

  test("needs no call before it, and none before a tool", async () => {
    const fresh = serverWith((server) => server.tool("t", {}, () => "first"));
    expect(textOf(await call(fresh, "t"))).toBe("first");
  });

  test("ids come back exactly", async () => {
    for (const id of [0, "", -5, "a", 2 ** 53 - 1]) {
      expect((await call(handler, "echo", { text: "" }, { id })).message?.id).toBe(id);
    }
  });

  test("a server needs a name and a version", () => {
    expect(() => emptyServer({ pageSize: 0 })).toThrow(TypeError);
  });
});

/** What callers and careless handlers may not get past: hidden entries, missing capabilities, nesting, malformed content. */
import { describe, expect, test, vi } from "vitest";
import { createFetchHandler, McpServer } from "../../src/core.ts";
import { ask, asking, EVERYTHING, questionsOf } from "../kit/ask.ts";
import { call, post, requestFor, send } from "../kit/post.ts";
import { engine, serverWith, STATE_KEY } from "../kit/serve.ts";
import { errorOf, resultOf, textOf } from "../kit/wire.ts";

const schema = { type: "object", properties: {} } as const;
const FORM = { message: "?", schema };
const PAGE = { message: "?", url: "https://a.test/" };
const MODEL = { messages: [], maxTokens: 1, tools: [] };
const ALL_MISSING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } };

describe("a missing capability", () => {
  test.each([
    ["in one input()", asking((ctx) => ctx.input({ form: FORM, page: PAGE, model: MODEL }))],
    [
      "side by side",
      asking((ctx) => Promise.all([ctx.elicit("form", FORM), ctx.elicit("page", PAGE), ctx.sample("model", MODEL)])),
    ],
    [
      "by hand",
      serverWith((server) =>
        server.tool("t", {}, () => ({
          resultType: "input_required" as const,
          inputRequests: {
            form: { method: "elicitation/create" as const, params: { message: "?", requestedSchema: schema } },
            page: { method: "elicitation/create" as const, params: { mode: "url" as const, ...PAGE } },
            model: { method: "sampling/createMessage" as const, params: MODEL },
          },
        })),
      ),
    ],
  ])("is named together with all others that were asked for %s", async (_name, handler) => {
    const error = errorOf(await ask(handler, undefined, undefined, { capabilities: {} }));
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: ALL_MISSING } });
    expect(error.message).toMatch(/elicitation, sampling/);
  });

  test("that the handler did without is not asked for later", async () => {
    const handler = asking(async (ctx) => {
      await ctx.sample("model", MODEL).catch(() => undefined);
      return ctx.elicit("form", FORM);
    });
    const error = errorOf(await ask(handler, undefined, undefined, { capabilities: {} }));
    expect(error.data).toEqual({ requiredCapabilities: { elicitation: { form: {} } } });
  });

  test("makes an answer worthless, though it came along", async () => {
    const handler = asking((ctx) => ctx.elicit("q", FORM));
    const answers = { q: { action: "decline" } };
    expect(errorOf(await ask(handler, answers, undefined, { capabilities: {} })).code).toBe(-32021);
    expect(JSON.parse(textOf(await ask(handler, answers)))).toEqual({ action: "decline" });
  });
});

describe("a key", () => {
  test("stands for one question, whether asked one by one or side by side", async () => {
    const other = { ...FORM, message: "Another?" };
    for (const handler of [
      asking(async (ctx) => [await ctx.elicit("q", FORM), await ctx.elicit("q", other)]),
      asking((ctx) => Promise.all([ctx.elicit("q", FORM), ctx.elicit("q", other)])),
    ]) {
      expect(resultOf(await ask(handler, { q: { action: "decline" } }))).toMatchObject({ isError: true });
      expect(String(handler.errors[0])).toMatch(/TypeError: key "q" is already asked/);
    }
    const unanswered = asking((ctx) => Promise.all([ctx.elicit("q", FORM), ctx.elicit("q", other)]));
    expect(resultOf(await ask(unanswered))).toMatchObject({ isError: true });
  });

  test("may be asked with the same question again", async () => {
    expect(
      questionsOf(await ask(asking((ctx) => Promise.all([ctx.elicit("q", FORM), ctx.elicit("q", FORM)])))),
    ).toHaveProperty("q");
  });
});

test.each<[string, unknown]>([
  ["null", null],
  ["a list", [{ method: "roots/list" }]],
  ["a form outside the subset", { q: { method: "elicitation/create", params: { message: "?", requestedSchema: {} } } }],
  ["a form without a message", { q: { method: "elicitation/create", params: { requestedSchema: schema } } }],
  ["a page that is none", { q: { method: "elicitation/create", params: { mode: "url", message: "?", url: "x" } } }],
])("questions made by hand may not be %s", async (_name, inputRequests) => {
  const handler = serverWith((server) =>
    server.tool("t", {}, () => ({ resultType: "input_required", inputRequests }) as never),
  );
  expect(resultOf(await ask(handler))).toMatchObject({ isError: true });
  expect(handler.errors).toEqual([expect.any(TypeError)]);
});

test("a question needs a message that is text", async () => {
  const handler = asking((ctx) => ctx.elicit("q", { ...FORM, message: 5 as never }));
  expect(resultOf(await ask(handler))).toMatchObject({ isError: true });
  expect(String(handler.errors[0])).toMatch(/message: must be a string/);
});

function registerAsking(server: McpServer): void {
  server.tool("t", {}, async (_args, ctx) => (await ctx.elicit("q", FORM)).action);
}

test("a state opens at the server that made it, not at another with the same key", async () => {
  const first = await ask(serverWith(registerAsking));
  const same = await ask(serverWith(registerAsking), { q: { action: "decline" } }, first);
  expect(textOf(same)).toBe("decline");
  const server = new McpServer({ name: "another", version: "1" }, { schemas: engine() });
  registerAsking(server);
  const another = { ...serverWith(() => undefined), ...createFetchHandler(server, { stateKeys: [STATE_KEY] }) };
  expect(errorOf(await ask(another, { q: { action: "decline" } }, first)).code).toBe(-32602);
});

describe("a hidden entry", () => {
  test.each(["notes://secret", "notes://%73ecret", "notes://x/a b", "notes://x/a%20b", "notes://ü", "notes://%C3%bC"])(
    "is not there under the spelling %s, though a template matches it",
    async (uri) => {
      const handler = serverWith((server) => {
        for (const fixed of ["notes://secret", "notes://x/a b", "notes://%C3%BC"]) {
          server.resource(fixed, { name: "s", visibleTo: () => false }, () => "secret");
        }
        server.resource("notes://{+path}", { name: "n" }, () => "public");
      });
      expect(errorOf(await post(handler, "resources/read", { uri })).message).toBe("Resource not found");
      expect((await post(handler, "resources/read", { uri: "notes://s%2Fecret" })).text).toContain("public");
    },
  );

  test("has one URI, however it is spelled", () => {
    serverWith((server) => {
      server.resource("a:b", { name: "b" }, () => "");
      expect(() => server.resource("a:%62", { name: "b" }, () => "")).toThrow(/^resource "a:%62" is registered twice/);
    });
  });

  test("stays hidden when its rule is a promise, and one that rejects is reported", async () => {
    const error = new Error("no database");
    const handler = serverWith((server) => {
      server.tool("t", { visibleTo: (() => Promise.reject(error)) as never }, () => "");
      server.tool("u", { visibleTo: (() => Promise.resolve(true)) as never }, () => "");
    });
    expect(resultOf(await post(handler, "tools/list"))["tools"]).toEqual([]);
    await vi.waitFor(() => expect(handler.errors).toEqual([error]));
  });
});

test("the reply about wrong arguments does not grow with them", async () => {
  const inputSchema = { type: "object", additionalProperties: { type: "string" } };
  const handler = serverWith((server) => server.tool("t", { inputSchema }, () => ""));
  const args = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${"z".repeat(50_000)}`, at]));
  expect(textOf(await call(handler, "t", args)).length).toBeLessThan(4_500);
});

test.each(["arguments", "inputResponses"])(
  "%s nested too deeply are the caller's fault, not to be reported",
  async (member) => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const handler = serverWith((server) => {
      server.tool("ask", { inputSchema: { type: "object" } }, async (_args, ctx) => {
        await ctx.elicit("q", FORM);
        return (await ctx.elicit("r", FORM)).action;
      });
      server.tool("echo", { inputSchema: { type: "object" } }, (args, ctx) =>
        JSON.stringify([args, ctx.inputResponses]),
      );
    });
    for (const name of ["ask", "echo"]) {
      const request = requestFor(
        "tools/call",
        { name, arguments: {}, [member]: { q: { action: "decline", x: "DEEP" } } },
        { capabilities: EVERYTHING },
      );
      const body = (await request.clone().text()).replace('"DEEP"', deep);
      const response = await send(handler, new Request(request, { method: "POST", body }));
      // How deep a runtime can write is its own affair: it answers, or says what is wrong.
      const { id, error } = await response.json<{ id: unknown; error?: { code: number; message: string } }>();
      expect(id).toBe(1);
      expect(error?.code ?? -32602).toBe(-32602);
      expect(error?.message ?? "nested too deeply").toContain("nested too deeply");
    }
    expect(handler.errors).toEqual([]);
  },
);

describe("malformed content is the server's fault", () => {
  test.each<[object]>([
    [{ type: "text", text: 5 }],
    [{ type: "image", data: "AA==" }],
    [{ type: "audio", mimeType: "audio/wav" }],
    [{ type: "resource_link", uri: "a:b" }],
    [{ type: "resource", resource: { uri: "a:b" } }],
  ])("%j", async (block) => {
    for (const value of [block, [block], { content: [block] }, { content: [block], isError: true }]) {
      const handler = serverWith((server) => server.tool("t", {}, () => value as never));
      expect(errorOf(await call(handler, "t")).code).toBe(-32603);
      expect(handler.errors).toHaveLength(1);
    }
    const handler = serverWith((server) => server.prompt("p", {}, () => ({ role: "user", content: block }) as never));
    expect(errorOf(await post(handler, "prompts/get", { name: "p" })).code).toBe(-32603);
  });

  test("and so is a message of nobody", async () => {
    const message = { role: "system", content: { type: "text", text: "x" } };
    const handler = serverWith((server) => server.prompt("p", {}, () => message as never));
    expect(errorOf(await post(handler, "prompts/get", { name: "p" })).code).toBe(-32603);
  });
});

describe("an output schema judges what is sent", () => {
  test.each<[string, unknown, object]>([
    ["a Date", { at: new Date(0) }, { type: "object", properties: { at: { type: "string" } } }],
    ["NaN", [Number.NaN], { items: { type: "null" } }],
    ["an object with toJSON", { toJSON: () => 5 }, { type: "integer" }],
  ])("%s", async (_name, value, outputSchema) => {
    const written: unknown = JSON.parse(JSON.stringify(value));
    for (const result of [value, { content: [], structuredContent: value }]) {
      const handler = serverWith((server) =>
        server.tool("t", { outputSchema: { ...outputSchema } }, () => result as never),
      );
      expect(resultOf(await call(handler, "t"))["structuredContent"]).toEqual(written);
    }
  });
});

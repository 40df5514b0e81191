/** Questions in the middle of a call: what is asked, what comes back, and what may not be asked. */
import { describe, expect, test } from "vitest";
import type { FormSchema, InterimResult, RequestContext } from "../../src/core.ts";
import { ask, asking, EVERYTHING, questionsOf } from "../kit/ask.ts";
import { call, post } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireObject } from "../kit/wire.ts";

const FORM = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const MODEL = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };

/** A call that asks the form `q` and returns the answer. */
function form(schema: FormSchema = FORM): Served<unknown> {
  return asking((ctx) => ctx.elicit("q", { message: "Well?", schema }));
}

describe("a question", () => {
  test("ends the call as input_required, without cache hints or content", async () => {
    const first = await ask(form());
    expect(first.status).toBe(200);
    expect(resultOf(first)).toEqual({
      resultType: "input_required",
      inputRequests: {
        q: { method: "elicitation/create", params: { mode: "form", message: "Well?", requestedSchema: FORM } },
      },
      requestState: expect.any(String),
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "under-test", version: "1.2.3" } },
    });
  });

  test("that is answered lets the handler go on", async () => {
    const handler = form();
    const answer = { action: "accept", content: { text: "yes" } };
    expect(JSON.parse(textOf(await ask(handler, { q: answer }, await ask(handler), { id: 2 })))).toEqual(answer);
  });

  test.each(["decline", "cancel"])("may be met with %s, which reaches the handler", async (action) => {
    expect(JSON.parse(textOf(await ask(form(), { q: { action } })))).toEqual({ action });
  });

  test("of each kind has its form on the wire", async () => {
    const sampling = {
      messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }],
      maxTokens: 5,
    };
    const handler = asking((ctx) =>
      ctx.input({
        form: { message: "?", schema: FORM },
        page: { message: "Go", url: "https://pay.test/1" },
        model: sampling,
        roots: { roots: true },
      }),
    );
    const first = await ask(handler);
    expect(questionsOf(first)).toEqual({
      form: { method: "elicitation/create", params: { mode: "form", message: "?", requestedSchema: FORM } },
      page: { method: "elicitation/create", params: { mode: "url", message: "Go", url: "https://pay.test/1" } },
      model: { method: "sampling/createMessage", params: sampling },
      roots: { method: "roots/list" },
    });
    const answers = {
      form: { action: "accept", content: { text: "x" } },
      page: { action: "accept" },
      model: MODEL,
      roots: { roots: [{ uri: "file:///a", name: "a" }] },
    };
    expect(JSON.parse(textOf(await ask(handler, answers, first)))).toEqual(answers);
  });

  test("may be asked with sample() and roots()", async () => {
    const handler = asking(async (ctx) => [await ctx.sample("m", { messages: [], maxTokens: 1 }), await ctx.roots()]);
    const first = await ask(handler);
    expect(Object.keys(questionsOf(first))).toEqual(["m"]);
    const second = await ask(handler, { m: MODEL }, first);
    expect(Object.keys(questionsOf(second))).toEqual(["roots"]);
    expect(JSON.parse(textOf(await ask(handler, { roots: { roots: [] } }, second)))).toEqual([MODEL, { roots: [] }]);
  });

  test("malformed by its author stays with the author", async () => {
    const nested = { type: "object", properties: { o: { type: "object" } } } as unknown as FormSchema;
    for (const handler of [form(nested), asking((ctx) => ctx.elicit("q", { message: "?", url: "not absolute" }))]) {
      expect(resultOf(await ask(handler))).toMatchObject({ isError: true });
      expect(handler.errors).toMatchObject([expect.any(TypeError)]);
    }
  });
});

const answer = (text: string): object => ({ action: "accept", content: { text } });

describe("rounds", () => {
  const twoRounds = asking(async (ctx) => {
    const first = await ctx.elicit("first", { message: "1", schema: FORM });
    const second = await ctx.elicit("second", { message: "2", schema: FORM });
    return [first.content?.text, second.content?.text];
  });
  test("carry earlier answers along", async () => {
    const first = await ask(twoRounds);
    const second = await ask(twoRounds, { first: answer("a") }, first);
    expect(Object.keys(questionsOf(second))).toEqual(["second"]);
    expect(textOf(await ask(twoRounds, { second: answer("b") }, second))).toBe('["a","b"]');
  });

  test("ask again for what is missing, and only for that", async () => {
    const handler = asking((ctx) =>
      ctx.input({ a: { message: "a", schema: FORM }, b: { message: "b", schema: FORM } }),
    );
    const first = await ask(handler);
    expect(Object.keys(questionsOf(await ask(handler, {}, first)))).toEqual(["a", "b"]);
    const second = await ask(handler, { a: answer("x") }, first);
    expect(Object.keys(questionsOf(second))).toEqual(["b"]);
    expect(JSON.parse(textOf(await ask(handler, { b: answer("y") }, second)))).toEqual({
      a: answer("x"),
      b: answer("y"),
    });
  });

  test("ignore answers to what was not asked, whatever they look like", async () => {
    const handler = form();
    const extra = JSON.parse('{"q":{"action":"decline"},"other":5,"__proto__":null,"constructor":[]}') as object;
    expect(textOf(await ask(handler, extra, await ask(handler)))).toBe('{"action":"decline"}');
  });

  test("do not need state when all answers come with the first request", async () => {
    expect(textOf(await ask(twoRounds, { first: answer("a"), second: answer("b") }))).toBe('["a","b"]');
  });

  test("start over when the state is left out", async () => {
    expect(Object.keys(questionsOf(await ask(twoRounds, { second: answer("b") })))).toEqual(["first"]);
  });

  test("under keys that are members of prototypes work like others", async () => {
    for (const key of ["__proto__", "constructor", "toString"]) {
      const handler = asking(async (ctx) => [
        (await ctx.elicit(key, { message: "?", schema: FORM })).action,
        await ctx.elicit("last", { message: "?", schema: FORM }),
      ]);
      const first = await ask(handler);
      expect(Object.keys(questionsOf(first))).toEqual([key]);
      const second = await ask(handler, JSON.parse(`{"${key}":{"action":"decline"}}`), first);
      expect(Object.keys(questionsOf(second))).toEqual(["last"]);
      expect(textOf(await ask(handler, { last: { action: "cancel" } }, second))).toBe(
        '["decline",{"action":"cancel"}]',
      );
    }
  });

  test("of many callers do not mix", async () => {
    const handler = form();
    const calls = Array.from({ length: 50 }, async (_, index) => {
      const first = await ask(handler, undefined, undefined, { id: index });
      const text = textOf(await ask(handler, { q: answer(`mine ${index}`) }, first, { id: `retry ${index}` }));
      return text.includes(`"mine ${index}"`);
    });
    expect(await Promise.all(calls)).not.toContain(false);
  });
});

function byHand(run: (ctx: RequestContext) => InterimResult | string): Served<unknown> {
  return serverWith((server) => server.tool("t", {}, (_args, ctx) => run(ctx)));
}

describe("interim results by hand", () => {
  const inputRequests = { q: { method: "roots/list" as const } };
  test("are sent with their state sealed, and find it again", async () => {
    const handler = byHand(({ requestState, inputResponses }) =>
      requestState === undefined
        ? { resultType: "input_required", inputRequests, requestState: { step: 1, secret: "s3cret" } }
        : JSON.stringify([requestState, inputResponses]),
    );
    const first = await ask(handler);
    expect(questionsOf(first)).toEqual(inputRequests);
    expect(first.text).not.toContain("s3cret");
    expect(JSON.parse(textOf(await ask(handler, { q: { roots: [] } }, first)))).toEqual([
      { step: 1, secret: "s3cret" },
      { q: { roots: [] } },
    ]);
  });

  test("may hold state alone", async () => {
    const handler = byHand(({ requestState }) =>
      requestState === undefined ? { resultType: "input_required", requestState: 0 } : JSON.stringify(requestState),
    );
    const first = await ask(handler);
    expect(resultOf(first)).not.toHaveProperty("inputRequests");
    expect(textOf(await ask(handler, undefined, first))).toBe("0");
  });

  test("may not ask for what the client did not declare either", async () => {
    const handler = byHand(() => ({ resultType: "input_required", inputRequests }));
    const reply = await ask(handler, undefined, undefined, { capabilities: {} });
    expect([reply.status, errorOf(reply).code]).toEqual([400, -32021]);
  });
});

describe("prompts and resources", () => {
  const handler = serverWith((server) => {
    const question = { message: "?", schema: FORM };
    server.prompt("p", {}, async (_args, ctx) => (await ctx.elicit("q", question)).action);
    server.resource(
      "a:{x}",
      { name: "a", ttlMs: 60_000, cacheScope: "public" },
      async (_uri, { x }, ctx) => `${x} ${(await ctx.elicit("q", question)).action}`,
    );
  });

  test.each<[string, WireObject, string]>([
    ["prompts/get", { name: "p" }, '"text":"decline"'],
    ["resources/read", { uri: "a:1" }, '"text":"1 decline"'],
  ])("may ask as well: %s", async (method, params, expected) => {
    const first = await post(handler, method, params, { capabilities: EVERYTHING });
    expect(Object.keys(questionsOf(first))).toEqual(["q"]);
    expect(resultOf(first)).not.toHaveProperty("ttlMs");
    expect(resultOf(first)).not.toHaveProperty("cacheScope");
    const retry = {
      ...params,
      requestState: resultOf(first)["requestState"],
      inputResponses: { q: { action: "decline" } },
    };
    expect((await post(handler, method, retry, { capabilities: EVERYTHING })).text).toContain(expected);
    expect((await post(handler, method, params)).status).toBe(400);
  });

  test("a call that never asks takes no notice of answers and state it does not know", async () => {
    const plain = serverWith((server) => server.tool("t", {}, () => "ran"));
    expect(textOf(await call(plain, "t"))).toBe("ran");
    expect(textOf(await ask(plain, { q: { action: "cancel" } }))).toBe("ran");
  });
});

/** `requestState` travels through the caller: nothing but the request it was made for may open it. */
import { describe, expect, test } from "vitest";
import type { RequestContext } from "../../src/core.ts";
import { post, type PostOptions } from "../kit/post.ts";
import { type Served, type ServeOptions, serverWith, subjectFromHeader } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireObject, type WireReply } from "../kit/wire.ts";

const OLD_KEY = "0d".repeat(32);
const NEW_KEY = "1e".repeat(32);
const QUESTION = { message: "?", schema: { type: "object", properties: {} } } as const;
const ARGS = { board: "b", list: [1, { x: "y", z: null }] };

/** An instance of a server whose entries ask `q` and then return what they were called with. */
function instance(options: ServeOptions<unknown> = {}): Served<unknown> {
  return serverWith(
    (server) => {
      for (const name of ["t", "other"]) {
        server.tool(name, { inputSchema: { type: "object" } }, async (args, ctx) => {
          const { action } = await ctx.elicit("q", QUESTION);
          await ctx.elicit("again", QUESTION);
          return JSON.stringify({ args, action });
        });
        const definition = { arguments: [{ name: "a" }] } as const;
        server.prompt(name, definition, async (_args, ctx) => (await ctx.elicit("q", QUESTION)).action);
      }
      server.resource(
        "t:{+x}",
        { name: "t" },
        async (_uri, _variables, ctx) => (await ctx.elicit("q", QUESTION)).action,
      );
    },
    { authenticate: subjectFromHeader, ...options },
  );
}

interface Asked {
  method?: string;
  params?: WireObject;
  options?: PostOptions;
}

function ask(
  handler: Served<unknown>,
  { method = "tools/call", params, options }: Asked = {},
  retry: WireObject = {},
): Promise<WireReply> {
  const asked = params ?? { name: "t", arguments: ARGS };
  return post(handler, method, { ...asked, ...retry }, { capabilities: { elicitation: {} }, ...options });
}

async function stateFrom(handler: Served<unknown>, asked: Asked = {}): Promise<string> {
  const { requestState } = resultOf(await ask(handler, asked, { inputResponses: {} }));
  if (typeof requestState !== "string") throw new Error("no state");
  return requestState;
}

/** `{ again }` alone is enough only where the state brings the answer to `q`. */
async function stateWithAnswer(handler: Served<unknown>, asked: Asked = {}): Promise<string> {
  const reply = await ask(handler, asked, { inputResponses: { q: { action: "decline" } } });
  return resultOf(reply)["requestState"] as string; // The handler asks a second question.
}

const LAST = { inputResponses: { again: { action: "cancel" } } };
const REFUSED = { code: -32602, message: expect.stringContaining("requestState") };

describe("a sealed state", () => {
  test("brings back what it carries, on any instance with the same key", async () => {
    const requestState = await stateWithAnswer(instance());
    const reply = await ask(instance(), {}, { requestState, ...LAST });
    expect(JSON.parse(textOf(reply))).toEqual({ args: ARGS, action: "decline" });
  });

  test("shows nothing of its content, and is another each time", async () => {
    const handler = instance();
    const [first, second] = [await stateWithAnswer(handler), await stateWithAnswer(handler)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^s1\.[A-Za-z0-9_-]+$/);
    expect(atob(first.slice(3).replaceAll("-", "+").replaceAll("_", "/"))).not.toMatch(/decline|action|board/);
  });

  test("opens for arguments in another order of keys", async () => {
    const requestState = await stateWithAnswer(instance());
    const params = { arguments: { list: [1, { z: null, x: "y" }], board: "b" }, name: "t" };
    expect(resultOf(await ask(instance(), { params }, { requestState, ...LAST }))["resultType"]).toBe("complete");
  });

  test.each<[string, Asked]>([
    ["another tool", { params: { name: "other", arguments: ARGS } }],
    ["a prompt of the same name", { method: "prompts/get", params: { name: "t" } }],
    ["a resource of the same name", { method: "resources/read", params: { uri: "t:t" } }],
    ["other arguments", { params: { name: "t", arguments: { ...ARGS, board: "c" } } }],
    ["more arguments", { params: { name: "t", arguments: { ...ARGS, more: 1 } } }],
    ["no arguments", { params: { name: "t" } }],
    [
      "the same list in another order",
      { params: { name: "t", arguments: { ...ARGS, list: [{ x: "y", z: null }, 1] } } },
    ],
    ["a number that was text", { params: { name: "t", arguments: { ...ARGS, list: ["1", { x: "y", z: null }] } } }],
    ["somebody else", { options: { headers: { authorization: "eve" } } }],
  ])("is refused for %s", async (_name, asked) => {
    const handler = instance();
    const reply = await ask(handler, asked, { requestState: await stateWithAnswer(handler), ...LAST });
    expect(reply.status).toBe(200);
    expect(errorOf(reply)).toMatchObject(REFUSED);
  });

  test("of one principal opens for that one alone", async () => {
    const handler = instance();
    const ada: Asked = { options: { headers: { authorization: "ada" } } };
    const requestState = await stateWithAnswer(handler, ada);
    expect(resultOf(await ask(handler, ada, { requestState, ...LAST }))["resultType"]).toBe("complete");
    for (const other of [{}, { options: { headers: { authorization: "ada x" } } }]) {
      expect(errorOf(await ask(handler, other, { requestState, ...LAST }))).toMatchObject(REFUSED);
    }
  });

  test("of a resource or prompt is bound to its uri and arguments", async () => {
    const handler = instance();
    const first: Asked = { method: "resources/read", params: { uri: "t:1" } };
    const requestState = await stateFrom(handler, first);
    expect(resultOf(await ask(handler, first, { requestState }))["resultType"]).toBe("input_required");
    expect(errorOf(await ask(handler, { ...first, params: { uri: "t:2" } }, { requestState }))).toMatchObject(REFUSED);
    const prompt: Asked = { method: "prompts/get", params: { name: "t", arguments: { a: "1" } } };
    const other: Asked = { method: "prompts/get", params: { name: "t", arguments: { a: "2" } } };
    expect(errorOf(await ask(handler, other, { requestState: await stateFrom(handler, prompt) }))).toMatchObject(
      REFUSED,
    );
  });

  test.each([[5], [null], [{}], [["s1."]]])("that is %j is invalid params", async (requestState) => {
    expect(errorOf(await ask(instance(), {}, { requestState }))).toMatchObject(REFUSED);
  });

  test.each([
    "",
    "s1.",
    "s1.AAAA",
    "s2.AAAA",
    "x",
    `s1.${"A".repeat(100)}`,
    `s1.${"A".repeat(100_000)}`,
    "s1.%%%",
    "s1.\u0000",
  ])("that was never one is refused: %j", async (requestState) => {
    expect(errorOf(await ask(instance(), {}, { requestState }))).toMatchObject(REFUSED);
  });
});

describe("time", () => {
  test("lets a state expire", async () => {
    let now = 1_000_000;
    const handler = instance({ now: () => now, stateTtlMs: 5_000 });
    const requestState = await stateWithAnswer(handler);
    now += 4_999;
    expect(resultOf(await ask(handler, {}, { requestState, ...LAST }))["resultType"]).toBe("complete");
    now += 1;
    expect(errorOf(await ask(handler, {}, { requestState, ...LAST }))).toMatchObject(REFUSED);
  });

  test("is ten minutes unless the author says otherwise, and begins anew each round", async () => {
    let now = 0;
    const handler = instance({ now: () => now });
    const first = await stateFrom(handler);
    now += 599_999;
    const reply = await ask(handler, {}, { requestState: first, inputResponses: { q: { action: "decline" } } });
    now += 599_999;
    const retry = { requestState: resultOf(reply)["requestState"], ...LAST };
    expect(resultOf(await ask(handler, {}, retry))["resultType"]).toBe("complete");
    expect(errorOf(await ask(handler, {}, { requestState: first }))).toMatchObject(REFUSED);
  });
});

const retryWith = async (requestState: string, stateKeys: string[]): Promise<WireReply> =>
  ask(instance({ stateKeys }), {}, { requestState, ...LAST });

const options = (KEY: string): PostOptions => ({ capabilities: { elicitation: {} }, env: { KEY } });

describe("keys", () => {
  test("of another server open nothing", async () => {
    expect(
      errorOf(await retryWith(await stateWithAnswer(instance({ stateKeys: [OLD_KEY] })), [NEW_KEY])),
    ).toMatchObject(REFUSED);
  });

  test("rotate: the first seals, all open, a removed one does not", async () => {
    const old = await stateWithAnswer(instance({ stateKeys: [OLD_KEY] }));
    expect(resultOf(await retryWith(old, [NEW_KEY, OLD_KEY]))["resultType"]).toBe("complete");
    const fresh = await stateWithAnswer(instance({ stateKeys: [NEW_KEY, OLD_KEY] }));
    expect(resultOf(await retryWith(fresh, [NEW_KEY]))["resultType"]).toBe("complete");
    expect(errorOf(await retryWith(fresh, [OLD_KEY]))).toMatchObject(REFUSED);
    expect(errorOf(await retryWith(old, [NEW_KEY]))).toMatchObject(REFUSED);
  });

  test("may come from the environment", async () => {
    const handler = serverWith<{ KEY: string }>(
      (server) => server.tool("t", {}, async (_args, ctx) => (await ctx.elicit("q", QUESTION)).action),
      { stateKeys: ({ KEY }) => [KEY] },
    );
    const { requestState } = resultOf(await post(handler, "tools/call", { name: "t" }, options(OLD_KEY)));
    const retry = { name: "t", requestState, inputResponses: { q: { action: "cancel" } } };
    expect(textOf(await post(handler, "tools/call", retry, options(OLD_KEY)))).toBe("cancel");
    expect(errorOf(await post(handler, "tools/call", retry, options(NEW_KEY)))).toMatchObject(REFUSED);
  });

  test.each([[undefined], [[]], [() => undefined]])(
    "that are missing (%s) are made up for one instance, with one warning",
    async (stateKeys) => {
      const handler = instance({ stateKeys });
      await post(handler, "server/discover");
      expect(handler.warnings).toEqual([]);
      const requestState = await stateWithAnswer(handler);
      expect(resultOf(await ask(handler, {}, { requestState, ...LAST }))["resultType"]).toBe("complete");
      expect(errorOf(await ask(instance({ stateKeys }), {}, { requestState, ...LAST }))).toMatchObject(REFUSED);
      expect(handler.warnings).toEqual([expect.stringContaining("stateKeys")]);
    },
  );
});

/** Carries more than a client can be asked to. */
async function large(ctx: RequestContext): Promise<string> {
  await ctx.step("large", () => "x".repeat(300_000));
  await ctx.roots();
  return "";
}

describe("size", () => {
  test("of what a call wants to carry is bounded, and too much is a failed call", async () => {
    const handler = serverWith((server) => {
      server.tool("t", {}, (_args, ctx) => large(ctx));
      server.prompt("p", {}, (_args, ctx) => large(ctx));
    });
    const options = { capabilities: { roots: {} } };
    const reply = await post(handler, "tools/call", { name: "t" }, options);
    expect([reply.status, resultOf(reply)["isError"]]).toEqual([200, true]);
    const prompt = await post(handler, "prompts/get", { name: "p" }, options);
    expect([prompt.status, errorOf(prompt)]).toEqual([200, { code: -32603, message: "Internal error" }]);
    expect(handler.errors).toMatchObject([expect.any(RangeError), expect.any(RangeError)]);
  });
});

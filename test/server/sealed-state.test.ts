/** `requestState` travels through the caller: nothing but the request it was made for may open it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFetchHandler, type AuthInfo } from "../../src/core.ts";
import { createSealer, parseStateKey, type StateBinding } from "../../src/server/sealed-state.ts";
import { post, type PostOptions } from "../kit/post.ts";
import { emptyServer, type Served, type ServeOptions, serverWith, STATE_KEY } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireObject, type WireReply } from "../kit/wire.ts";

const OLD_KEY = "0d".repeat(32);
const NEW_KEY = "1e".repeat(32);
const QUESTION = { message: "?", schema: { type: "object", properties: {} } } as const;
const ARGS = { board: "b", list: [1, { x: "y", z: null }] };

/** An instance of a server whose entries ask `q` and then return what they were called with. */
function instance(options: ServeOptions<unknown> = {}): Served<unknown> {
  const authenticate = ({ headers }: Request): AuthInfo | null => {
    const subject = headers.get("authorization");
    return subject === null ? null : { subject };
  };
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
    { authenticate, ...options },
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
    for (const other of [{}, { options: { headers: { authorization: "ada " + "x" } } }]) {
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

describe("keys", () => {
  const retryWith = async (requestState: string, stateKeys: string[]): Promise<WireReply> =>
    ask(instance({ stateKeys }), {}, { requestState, ...LAST });

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
    const options = (KEY: string): PostOptions => ({ capabilities: { elicitation: {} }, env: { KEY } });
    const { requestState } = resultOf(await post(handler, "tools/call", { name: "t" }, options(OLD_KEY)));
    const retry = { name: "t", requestState, inputResponses: { q: { action: "cancel" } } };
    expect(textOf(await post(handler, "tools/call", retry, options(OLD_KEY)))).toBe("cancel");
    expect(errorOf(await post(handler, "tools/call", retry, options(NEW_KEY)))).toMatchObject(REFUSED);
  });

  test.each([[undefined], [[]], [() => undefined]])(
    "that are missing (%s) are made up for one instance, with one warning",
    async (stateKeys) => {
      const handler = instance({ stateKeys } as ServeOptions<unknown>);
      await post(handler, "server/discover");
      expect(handler.warnings).toEqual([]);
      const requestState = await stateWithAnswer(handler);
      expect(resultOf(await ask(handler, {}, { requestState, ...LAST }))["resultType"]).toBe("complete");
      expect(
        errorOf(await ask(instance({ stateKeys } as ServeOptions<unknown>), {}, { requestState, ...LAST })),
      ).toMatchObject(REFUSED);
      expect(handler.warnings).toEqual([expect.stringContaining("stateKeys")]);
    },
  );

  test("are read as bytes, hexadecimal, and Base64 of either alphabet", () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 3);
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const base64 = btoa(String.fromCharCode(...bytes));
    const url = base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    for (const form of [
      bytes,
      hex,
      hex.toUpperCase(),
      base64,
      url,
      base64.replace("=", ""),
      ` ${base64}\n`,
      `${hex}\n`,
    ]) {
      expect(parseStateKey(form, 0)).toEqual(bytes);
    }
  });

  test.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["31 bytes", new Uint8Array(31)],
    ["33 bytes", new Uint8Array(33)],
    ["63 digits", "a".repeat(63)],
    ["a pass phrase", "correct horse battery staple"],
    ["letters that are no Base64", "ü".repeat(43)],
  ])("of %s are refused with their place, and not repeated", (_name, key) => {
    expect(() => parseStateKey(key, 3)).toThrow(
      new TypeError("stateKeys[3]: must be 32 bytes, as a Uint8Array, 64 hex digits or Base64"),
    );
    expect(() => createFetchHandler(emptyServer(), { stateKeys: [STATE_KEY, key] })).toThrow(/^stateKeys\[1\]/);
  });
});

describe("size", () => {
  test("of what a call wants to carry is bounded, and too much is a failed call", async () => {
    const handler = serverWith((server) => {
      const large = async (ctx: {
        step(key: string, run: () => string): Promise<string>;
        roots(): Promise<unknown>;
      }): Promise<string> => {
        await ctx.step("large", () => "x".repeat(300_000));
        await ctx.roots();
        return "";
      };
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

describe("the sealer", () => {
  const BINDING: StateBinding = { principal: "ada", method: "tools/call", target: "t", args: { a: 1 } };
  const sealer = createSealer({ keys: [parseStateKey(OLD_KEY, 0)], ttlMs: 1_000, now: () => 0 });
  const json = fc.dictionary(fc.string({ unit: "binary-ascii" }), fc.jsonValue({ noUnicodeString: false }));
  const binding = fc.record({ principal: fc.string(), method: fc.string(), target: fc.string(), args: json });

  test("opens whatever it sealed", async () => {
    await fc.assert(
      fc.asyncProperty(json, binding, async (payload, binding) => {
        const opened = await sealer.open(await sealer.seal(payload, binding), binding);
        expect(opened).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
      { numRuns: 60 },
    );
  });

  test("opens nothing for a binding that differs in any way", async () => {
    await fc.assert(
      fc.asyncProperty(binding, binding, async (made, used) => {
        fc.pre(JSON.stringify(made) !== JSON.stringify(used));
        const same = sorted(made) === sorted(used);
        const opened = await sealer.open(await sealer.seal({ x: 1 }, made), used);
        expect(opened !== undefined).toBe(same);
      }),
      { numRuns: 60 },
    );
    // Fields that run into each other must not count as the same.
    const state = await sealer.seal({}, { ...BINDING, method: "a", target: "bc" });
    expect(await sealer.open(state, { ...BINDING, method: "ab", target: "c" })).toBeUndefined();
  });

  test("opens nothing in which a single bit was changed", async () => {
    const state = await sealer.seal({ answers: { q: "accept" } }, BINDING);
    const bytes = Uint8Array.from(atob(state.slice(3).replaceAll("-", "+").replaceAll("_", "/")), (char) =>
      char.charCodeAt(0),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
        const changed = bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
        const text = btoa(String.fromCharCode(...changed))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/=+$/, "");
        expect(await sealer.open(`s1.${text}`, BINDING)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    for (let length = 0; length < state.length; length++) {
      expect(await sealer.open(state.slice(0, length), BINDING)).toBeUndefined();
    }
    expect(await sealer.open(`${state}AAAA`, BINDING)).toBeUndefined();
  });

  test("takes any text for a state without failing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        expect(await sealer.open(text, BINDING)).toBeUndefined();
        expect(await sealer.open(`s1.${text}`, BINDING)).toBeUndefined();
      }),
    );
  });
});

/** JSON with the keys of every object in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

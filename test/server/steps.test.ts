/** What a handler that runs again may rely on: `ctx.step`, and questions that it swallows, forgets or asks in parallel. */
import { describe, expect, test, vi } from "vitest";
import { type RequestContext, ToolError } from "../../src/core.ts";
import { ask, asking } from "../kit/ask.ts";
import type { Served } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireReply } from "../kit/wire.ts";

const QUESTION = { message: "?", schema: { type: "object", properties: {} } } as const;
const YES = { action: "accept", content: {} };

/** Asks `a`, then `b`, with whatever `step` does before each. */
function withSteps(step: (ctx: RequestContext, round: string) => unknown): Served<unknown> {
  return asking(async (ctx) => {
    const before = await step(ctx, "before a");
    await ctx.elicit("a", QUESTION);
    const between = await step(ctx, "before b");
    await ctx.elicit("b", QUESTION);
    return [before, between];
  });
}

async function throughAllRounds(next: () => Served<unknown>): Promise<WireReply> {
  const first = await ask(next());
  const second = await ask(next(), { a: YES }, first);
  return ask(next(), { b: YES }, second);
}

describe("a step", () => {
  test("runs once, however many rounds follow, and keeps its value", async () => {
    const effect = vi.fn((key: string) => ({ key, at: effect.mock.calls.length }));
    const handler = withSteps((ctx, key) => ctx.step(key, () => effect(key)));
    const reply = await throughAllRounds(() => handler);
    expect(JSON.parse(textOf(reply))).toEqual([
      { key: "before a", at: 1 },
      { key: "before b", at: 2 },
    ]);
    expect(effect).toHaveBeenCalledTimes(2);
  });

  test("runs once even when every round meets another instance", async () => {
    const effect = vi.fn((key: string) => key);
    const reply = await throughAllRounds(() => withSteps((ctx, key) => ctx.step(key, () => effect(key))));
    expect(JSON.parse(textOf(reply))).toEqual(["before a", "before b"]);
    expect(effect).toHaveBeenCalledTimes(2);
  });

  test.each([[undefined], [null], [0], [""], [false], [[]], [{ a: { b: [1] } }]])(
    "that gives %j runs once as well",
    async (value) => {
      const effect = vi.fn(() => value);
      const seen: unknown[] = [];
      const handler = withSteps(async (ctx) => seen.push(await ctx.step("same", effect)));
      await throughAllRounds(() => handler);
      expect(effect).toHaveBeenCalledTimes(1);
      expect(seen).toEqual(Array.from({ length: 5 }, () => value));
    },
  );

  test("runs again in a call that is not a retry", async () => {
    const effect = vi.fn(() => 1);
    const handler = asking((ctx) => ctx.step("s", effect));
    await ask(handler);
    await ask(handler);
    expect(effect).toHaveBeenCalledTimes(2);
  });

  test("that fails is not remembered", async () => {
    const effect = vi.fn(() => (effect.mock.calls.length === 1 ? Promise.reject(new Error("once")) : 7));
    const handler = asking(async (ctx) => {
      const tried = await ctx.step("s", effect).catch(() => ctx.step("s", effect));
      await ctx.elicit("a", QUESTION);
      return tried;
    });
    expect(textOf(await ask(handler, { a: YES }, await ask(handler)))).toBe("7");
    expect(effect).toHaveBeenCalledTimes(2);
  });

  test("asked for twice at once runs once", async () => {
    const effect = vi.fn(async () => Promise.resolve("v"));
    const handler = asking((ctx) => Promise.all([ctx.step("s", effect), ctx.step("s", effect)]));
    expect(textOf(await ask(handler))).toBe('["v","v"]');
    expect(effect).toHaveBeenCalledTimes(1);
  });

  test("that still runs beside a question is waited for, and does not run again", async () => {
    const effect = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 5, "v")));
    const handler = asking((ctx) => Promise.all([ctx.step("s", effect), ctx.elicit("a", QUESTION)]));
    expect(JSON.parse(textOf(await ask(handler, { a: YES }, await ask(handler))))).toEqual(["v", YES]);
    expect(effect).toHaveBeenCalledTimes(1);
  });

  test("under the key of a prototype's member is a step like any other", async () => {
    for (const key of ["__proto__", "constructor"]) {
      const effect = vi.fn(() => "v");
      const handler = withSteps((ctx) => ctx.step(key, effect));
      expect(textOf(await throughAllRounds(() => handler))).toBe('["v","v"]');
      expect(effect).toHaveBeenCalledTimes(1);
    }
  });

  test("with a value JSON cannot write fails the call, not the exchange", async () => {
    const handler = withSteps((ctx) => ctx.step("s", () => 1n));
    const reply = await ask(handler);
    expect([reply.status, resultOf(reply)["isError"]]).toEqual([200, true]);
    expect(handler.errors).toHaveLength(1);
  });
});

describe("an open question", () => {
  test("is asked although the handler catches what it throws", async () => {
    const handler = asking(async (ctx) => {
      try {
        return (await ctx.elicit("a", QUESTION)).action;
      } catch {
        return "swallowed";
      }
    });
    const first = await ask(handler);
    expect(resultOf(first)["resultType"]).toBe("input_required");
    expect(textOf(await ask(handler, { a: YES }, first))).toBe('"accept"');
  });

  test("is asked although the handler makes another error of it", async () => {
    const handler = asking(async (ctx) => {
      try {
        return await ctx.elicit("a", QUESTION);
      } catch (cause) {
        throw new ToolError("could not ask", { cause });
      }
    });
    expect(resultOf(await ask(handler))["resultType"]).toBe("input_required");
    expect(handler.errors).toEqual([]);
  });

  test("is asked together with others of the same round", async () => {
    const handler = asking((ctx) => Promise.all([ctx.elicit("a", QUESTION), ctx.elicit("b", QUESTION)]));
    const first = await ask(handler);
    expect(Object.keys(resultOf(first)["inputRequests"] as object)).toEqual(["a", "b"]);
    expect(JSON.parse(textOf(await ask(handler, { a: YES, b: YES }, first)))).toEqual([YES, YES]);
  });

  test("that nobody awaits takes no process down, and is asked", async () => {
    const handler = asking(async (ctx) => {
      void ctx.elicit("forgotten", QUESTION);
      return (await ctx.elicit("a", QUESTION)).action;
    });
    const first = await ask(handler);
    expect(Object.keys(resultOf(first)["inputRequests"] as object)).toEqual(["forgotten", "a"]);
    expect(textOf(await ask(handler, { a: YES, forgotten: YES }, first))).toBe('"accept"');
  });

  test("lets a ProtocolError pass that names what is wrong with another answer", async () => {
    const handler = asking(async (ctx) => {
      void ctx.elicit("open", QUESTION);
      return ctx.elicit("a", QUESTION);
    });
    expect(errorOf(await ask(handler, { a: { action: "maybe" } })).code).toBe(-32602);
  });

  test("runs the handler from the top each round", async () => {
    const rounds = vi.fn();
    const handler = withSteps(() => rounds());
    await throughAllRounds(() => handler);
    expect(rounds).toHaveBeenCalledTimes(5);
  });
});

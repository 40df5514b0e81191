/** What comes back to a question is judged before the handler sees it; what may not be asked is not. */
import { describe, expect, test } from "vitest";
import type { FormSchema, RequestContext } from "../../src/core.ts";
import { ask, asking, EVERYTHING, questionsOf } from "../kit/ask.ts";
import type { Served } from "../kit/serve.ts";
import { errorOf, textOf, type WireObject } from "../kit/wire.ts";

const FORM = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const MODEL = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };

/** A call that asks the form `q` and returns the answer. */
function form(schema: FormSchema = FORM): Served<unknown> {
  return asking((ctx) => ctx.elicit("q", { message: "Well?", schema }));
}

const answer = (v: unknown): object => ({ q: { action: "accept", content: { v } } });

describe("answers that are malformed", () => {
  test.each<[string, unknown]>([
    ["a list", []],
    ["text", "x"],
    ["null", null],
  ])("as a whole, %s, are invalid params", async (_name, inputResponses) => {
    expect(errorOf(await ask(form(), inputResponses))).toMatchObject({
      code: -32602,
      message: expect.stringContaining("inputResponses"),
    });
  });

  test.each<[unknown, string]>([
    [null, ""],
    ["yes", ""],
    [[], ""],
    [{}, ".action"],
    [{ action: "maybe" }, ".action"],
    [{ action: 5 }, ".action"],
    [{ action: "accept" }, ".content"],
    [{ action: "accept", content: null }, ".content"],
    [{ action: "accept", content: ["x"] }, ".content"],
    [{ action: "accept", content: {} }, ".content/text"],
    [{ action: "accept", content: { text: 5 } }, ".content/text"],
    [{ action: "accept", content: { text: "x", more: 1 } }, ".content/more"],
  ])("%j are invalid params with the member named", async (q, member) => {
    const reply = await ask(form(), { q });
    expect(reply.status).toBe(200);
    const { code, message } = errorOf(reply);
    expect(code).toBe(-32602);
    expect(message).toContain(`inputResponses["q"]${member}`);
  });

  test.each<[string, unknown]>([
    ["m", { ...MODEL, role: "system" }],
    ["m", { ...MODEL, model: undefined }],
    ["m", { ...MODEL, content: "hi" }],
    ["m", { ...MODEL, content: [{ text: "hi" }] }],
    ["roots", {}],
    ["roots", { roots: {} }],
    ["roots", { roots: [{ name: "no uri" }] }],
  ])("to %s, %j, are invalid params", async (key, answer) => {
    const handler = asking((ctx) => (key === "m" ? ctx.sample("m", { messages: [], maxTokens: 1 }) : ctx.roots()));
    const { code, message } = errorOf(await ask(handler, { [key]: answer }));
    expect([code, message]).toEqual([-32602, expect.stringContaining(`inputResponses["${key}"]`)]);
  });

  const fields: [string, object, unknown, unknown[]][] = [
    ["an integer", { type: "integer" }, 42, ["42xyz", "42", 4.5, null, true]],
    ["a number, whole or not,", { type: "number", maximum: 10 }, 3.5, ["3.5", 10.1, [3]]],
    ["a boolean", { type: "boolean" }, false, ["false", 0, null]],
    ["a choice", { type: "string", enum: ["a", "b"] }, "b", ["c", 1, ["a"]]],
    ["a titled choice", { type: "string", oneOf: [{ const: "a", title: "A" }] }, "a", ["A"]],
    [
      "a titled list of choices",
      {
        type: "array",
        maxItems: 2,
        items: { anyOf: ["x", "y", "z"].map((value) => ({ const: value, title: value })) },
      },
      ["x", "z"],
      [["x", "y", "z"], ["w"], "x"],
    ],
    ["a date", { type: "string", format: "date" }, "2024-02-29", ["2026-02-30", "30.11.2026", ""]],
    ["an address", { type: "string", format: "email" }, "a@b.test", ["a"]],
    ["a short text", { type: "string", maxLength: 2 }, "😀😀", ["abc"]],
  ];
  test.each(fields)("by the form never reach the handler: %s", async (_name, field, good, bad) => {
    const handler = form({ type: "object", properties: { v: field }, required: ["v"] } as unknown as FormSchema);
    expect(JSON.parse(textOf(await ask(handler, answer(good))))).toEqual(answer(good)["q" as never]);
    for (const value of bad) expect(errorOf(await ask(handler, answer(value))).code).toBe(-32602);
  });
});

describe("what the client did not declare", () => {
  const kinds: [string, (ctx: RequestContext) => unknown, object[], WireObject][] = [
    [
      "a form",
      (ctx) => ctx.elicit("q", { message: "?", schema: FORM }),
      [{}, { elicitation: { url: {} } }],
      { elicitation: { form: {} } },
    ],
    [
      "a page",
      (ctx) => ctx.elicit("q", { message: "?", url: "https://a.test" }),
      [{}, { elicitation: {} }, { elicitation: { form: {} } }],
      { elicitation: { url: {} } },
    ],
    [
      "the model",
      (ctx) => ctx.sample("q", { messages: [], maxTokens: 1 }),
      [{}, { elicitation: {} }],
      { sampling: {} },
    ],
    [
      "the model with tools",
      (ctx) => ctx.sample("q", { messages: [], maxTokens: 1, tools: [] }),
      [{}, { sampling: {} }],
      { sampling: { tools: {} } },
    ],
    ["the roots", (ctx) => ctx.roots("q"), [{}, { sampling: {} }], { roots: {} }],
  ];
  test.each(kinds)("is not asked: %s", async (_name, run, lacking, requiredCapabilities) => {
    const handler = asking(run);
    for (const capabilities of lacking) {
      const reply = await ask(handler, undefined, undefined, { capabilities: capabilities as WireObject });
      expect(reply.status).toBe(400);
      expect(errorOf(reply)).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    }
    expect(handler.errors).toEqual([]);
    const enough = await ask(handler, undefined, undefined, { capabilities: requiredCapabilities });
    expect(Object.keys(questionsOf(enough))).toEqual(["q"]);
  });

  test("is an empty elicitation capability for forms alone", async () => {
    expect(
      Object.keys(questionsOf(await ask(form(), undefined, undefined, { capabilities: { elicitation: {} } }))),
    ).toEqual(["q"]);
  });

  test("is judged for each request, even between others of the same handler", async () => {
    const handler = form();
    const statuses = await Promise.all(
      Array.from(
        { length: 100 },
        async (_, index) =>
          (await ask(handler, undefined, undefined, { capabilities: index % 2 === 0 ? EVERYTHING : {} })).status,
      ),
    );
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 200 : 400)));
  });

  test("refuses a group of questions as a whole", async () => {
    const handler = asking((ctx) => ctx.input({ a: { message: "?", schema: FORM }, b: { roots: true } }));
    expect((await ask(handler, undefined, undefined, { capabilities: { elicitation: {} } })).status).toBe(400);
  });
});

/** The model APIs of the chat: what they are asked, and what is made of whatever they answer. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/client.ts";
import { APIS, type ModelSettings, type Reply, type Turn } from "../../web/chat/model.ts";

const SETTINGS = { url: "https://model.test/v1", model: "m-1", key: "sk-secret", system: "Be brief.", maxTokens: 100 };
const TOOL = { name: "add", description: "Adds", schema: { type: "object" } };
const IMAGE = { mimeType: "image/png", data: "AAAA" };

const replyOf = (api: ModelSettings["api"], body: JsonObject): Reply => {
  const reply = APIS[api].reply(body);
  if (reply === undefined) throw new Error("no reply");
  return reply;
};

describe("Anthropic Messages", () => {
  const body = {
    content: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "One" },
      { type: "tool_use", id: "t1", name: "add", input: { a: 1 } },
      { type: "text", text: "Two" },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 5, output_tokens: 6 },
  };

  test("a reply gives its text, calls and usage, and goes back as it came", () => {
    const reply = replyOf("anthropic", body);
    expect(reply).toMatchObject({
      text: "One\n\nTwo",
      calls: [{ id: "t1", name: "add", args: { a: 1 } }],
      usage: [5, 6],
      cut: false,
    });
    expect(reply.message).toEqual({ role: "assistant", content: body.content });
  });

  test("turns become messages, results with pictures and failures", () => {
    const turns: Turn[] = [
      { role: "user", text: "Add" },
      { role: "assistant", reply: replyOf("anthropic", body) },
      { role: "results", outcomes: [{ id: "t1", text: "no", images: [IMAGE], failed: true }] },
    ];
    expect(APIS.anthropic.body({ api: "anthropic", ...SETTINGS }, turns, [TOOL])).toEqual({
      model: "m-1",
      max_tokens: 100,
      system: "Be brief.",
      tools: [{ name: "add", description: "Adds", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Add" },
        { role: "assistant", content: body.content },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              is_error: true,
              content: [
                { type: "text", text: "no" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
              ],
            },
          ],
        },
      ],
    });
  });

  test("the limit is noticed", () => {
    expect(replyOf("anthropic", { content: [], stop_reason: "max_tokens" }).cut).toBe(true);
  });
});

describe("chat completions", () => {
  const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
  const body = { choices: [{ finish_reason: "tool_calls", message: { content: null, tool_calls: [call] } }] };

  test("a reply gives its text and calls, and goes back as it came", () => {
    const reply = replyOf("openai", body);
    expect(reply).toMatchObject({ text: "", calls: [{ id: "c1", name: "add", args: { a: 1 } }], usage: undefined });
    expect(reply.message).toEqual({ role: "assistant", content: null, tool_calls: [call] });
  });

  test("turns become messages, a result each", () => {
    const turns: Turn[] = [
      { role: "user", text: "Add" },
      { role: "assistant", reply: replyOf("openai", body) },
      { role: "results", outcomes: [{ id: "c1", text: "no", images: [IMAGE], failed: true }] },
    ];
    expect(APIS.openai.body({ api: "openai", ...SETTINGS }, turns, [TOOL])).toEqual({
      model: "m-1",
      tools: [{ type: "function", function: { name: "add", description: "Adds", parameters: { type: "object" } } }],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Add" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "Error: no" },
      ],
    });
  });

  test.each([
    ["text that is no JSON", "{", undefined],
    ["nothing", "", {}],
    ["an object already", { a: 1 }, { a: 1 }],
    ["nothing at all", undefined, undefined],
  ])("arguments that are %s are handed on for what they are", (_what, given, args) => {
    const odd = { id: "c", function: { name: "add", arguments: given } };
    expect(replyOf("openai", { choices: [{ message: { tool_calls: [odd] } }] }).calls).toEqual([
      { id: "c", name: "add", args },
    ]);
  });

  test("calls that cannot be answered do not go back either", () => {
    const reply = replyOf("openai", {
      choices: [{ message: { content: "x", tool_calls: [7, { id: 1 }, call, null] } }],
    });
    expect(reply.calls).toHaveLength(1);
    expect(reply.message).toMatchObject({ tool_calls: [call] });
  });
});

test.each([
  ["anthropic", {}],
  ["anthropic", { content: "text" }],
  ["openai", {}],
  ["openai", { choices: [] }],
  ["openai", { choices: [7] }],
  ["openai", { choices: [{ message: "hello" }] }],
] as const)("%s: %j is no reply", (api, body) => {
  expect(APIS[api].reply(body)).toBeUndefined();
});

test.each([
  ["anthropic", { content: [null, 7, [], { type: "text" }, { type: "tool_use", id: 1 }, { type: "text", text: {} }] }],
  ["openai", { choices: [{ message: { content: [1], tool_calls: "no" } }], usage: { prompt_tokens: "many" } }],
] as const)("%s: parts of the wrong kind are left out", (api, body) => {
  expect(replyOf(api, body)).toMatchObject({ text: "", calls: [], usage: undefined });
});

/** The model APIs of the chat: what they are told, and what is made of whatever they answer. */
import { describe, expect, test } from "vitest";
import { apiOf } from "../../web/chat/model.ts";

const TOOL = { name: "add", description: "Adds", schema: { type: "object" } };
const OUTCOMES = [
  { id: "1", text: "3" },
  { id: "2", text: "Error: no" },
];
const anthropic = apiOf({ Endpoint: "https://api.anthropic.com/v1/messages" });
const openai = apiOf({ Endpoint: "http://localhost:11434/v1/chat/completions" });

const replyWith = (message: unknown) => openai.reply({ choices: [{ finish_reason: "stop", message }] });

test("the endpoint says which API it is", () => {
  expect(apiOf({ Endpoint: "https://proxy.test/anthropic/v1/messages?beta=true" })).toBe(anthropic);
  expect(anthropic).not.toBe(openai);
  for (const Endpoint of ["https://messages.test/v1/chat/completions", "https://a.test/", undefined])
    expect(apiOf({ Endpoint })).toBe(openai);
});

describe("Anthropic Messages", () => {
  const content = [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "text", text: "One" },
    { type: "tool_use", id: "t1", name: "add", input: { a: 1 } },
    { type: "text", text: "Two" },
  ];

  test("a reply gives its text and calls, and goes back as it came", () => {
    expect(anthropic.reply({ content, stop_reason: "tool_use", usage: {} })).toEqual({
      text: "One\n\nTwo",
      calls: [{ id: "t1", name: "add", args: { a: 1 } }],
      message: { role: "assistant", content },
    });
  });

  test("tools and results are as it wants them", () => {
    expect(anthropic.tool(TOOL)).toEqual({ name: "add", description: "Adds", input_schema: { type: "object" } });
    expect(anthropic.answer(OUTCOMES)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "3" },
          { type: "tool_result", tool_use_id: "2", content: "Error: no" },
        ],
      },
    ]);
  });
});

describe("chat completions", () => {
  const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
  test("a reply gives its text and calls, and goes back as it came", () => {
    expect(replyWith({ content: null, tool_calls: [call] })).toEqual({
      text: "",
      calls: [{ id: "c1", name: "add", args: { a: 1 } }],
      message: { role: "assistant", content: null, tool_calls: [call] },
    });
  });

  test("an empty list of calls does not go back", () => {
    expect(JSON.parse(JSON.stringify(replyWith({ content: "Hi", tool_calls: [] })))).toEqual({
      text: "Hi",
      calls: [],
      message: { role: "assistant", content: "Hi" },
    });
  });

  test("tools and results are as it wants them", () => {
    const { name, description, schema: parameters } = TOOL;
    expect(openai.tool(TOOL)).toEqual({ type: "function", function: { name, description, parameters } });
    expect(openai.answer(OUTCOMES)).toEqual([
      { role: "tool", tool_call_id: "1", content: "3" },
      { role: "tool", tool_call_id: "2", content: "Error: no" },
    ]);
  });

  test.each([
    ["text that is no JSON", "{", "{"],
    ["nothing", "", {}],
    ["an object already", { a: 1 }, { a: 1 }],
    ["nothing at all", undefined, {}],
  ])("arguments that are %s are handed on for what they are", (_what, given, args) => {
    const odd = { id: "c", function: { name: "add", arguments: given } };
    expect(replyWith({ tool_calls: [odd] }).calls).toEqual([{ id: "c", name: "add", args }]);
  });
});

test.each([
  [anthropic, {}],
  [anthropic, { content: "text" }],
  [anthropic, { content: [null] }],
  [openai, {}],
  [openai, { choices: [] }],
  [openai, { choices: [7] }],
  [openai, { choices: [{ message: { tool_calls: "no" } }] }],
  [openai, { choices: [{ message: { tool_calls: [7] } }] }],
] as const)("%#: what is no reply throws", (api, body) => {
  expect(() => api.reply(body)).toThrow(TypeError);
});

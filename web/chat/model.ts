/**
 * The two APIs that models are asked by, told apart by their endpoints: what they make of tools and results, and what is in
 * their replies.
 *
 * Contract: messages are those of the API itself, so what a model said goes back to it as it came.
 *
 * @see https://docs.anthropic.com/en/api/messages
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import { parsed } from "../../src/protocol/json-text.ts";
import type { JsonObject } from "../../src/client.ts";
import { asText } from "../text.ts";

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** What should be an object, and need not be. */
  readonly args: unknown;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** To be sent back. */
  readonly message: JsonObject;
}

export interface Outcome {
  readonly id: string;
  readonly text: string;
}

interface Api {
  headers(key: string): Record<string, string>;
  /** What its limit of tokens is called, and what it is unless somebody asks for less. */
  readonly limit: readonly [name: string, tokens?: number];
  readonly tool: (tool: ModelTool) => JsonObject;
  /** @throws whatever, for what is no reply of this API */
  reply(body: unknown): Reply;
  /** The messages that answer the calls of one reply. */
  readonly answer: (outcomes: readonly Outcome[]) => JsonObject[];
}

/** As much of a reply as is read. */
interface AnthropicReply {
  readonly content: readonly (Pick<ModelCall, "id" | "name"> & { type: string; text?: string; input: unknown })[];
}

const anthropic: Api = {
  headers: (key) => ({
    "x-api-key": key,
    "anthropic-version": "2023-06-01",
    // Without it the endpoint refuses pages.
    "anthropic-dangerous-direct-browser-access": "true",
  }),
  limit: ["max_tokens", 4_096],
  tool: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
  reply(body) {
    const { content } = body as AnthropicReply; // Anything else throws, or has nothing in it.
    return {
      text: content.flatMap(({ text }) => text ?? []).join("\n\n"),
      calls: content
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => ({ id, name, args: input })),
      message: { role: "assistant", content },
    };
  },
  answer: (outcomes) => [
    {
      role: "user",
      content: outcomes.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
    },
  ],
};

interface OpenaiReply {
  readonly choices: readonly [
    { message: { content?: unknown; tool_calls?: { id: string; function: { name: string; arguments: unknown } }[] } },
  ];
}

/** Of OpenAI, and of the many servers that are compatible, on one's own machine too. */
const openai: Api = {
  // Servers on one's own machine want none, and may not allow it.
  headers: (key): Record<string, string> => (key === "" ? {} : { authorization: `Bearer ${key}` }),
  limit: ["max_completion_tokens"],
  tool: ({ schema, ...named }) => ({ type: "function", function: { ...named, parameters: schema } }),
  reply(body) {
    const { content, tool_calls: calls = [] } = (body as OpenaiReply).choices[0].message; // As above.
    return {
      text: asText(content ?? ""),
      // Arguments come as text; some servers send an object. What is no JSON stays text.
      calls: calls.map(({ id, function: { name, arguments: args } }) => {
        return { id, name, args: parsed(asText(args) || "{}") ?? args };
      }),
      // Empty lists are refused.
      message: { role: "assistant", content, tool_calls: calls.length > 0 ? calls : undefined },
    };
  },
  answer: (outcomes) => outcomes.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
};

/** @param settings as model-choice.ts has them */
export function apiOf({ Endpoint }: JsonObject): Api {
  return /[^/]\/messages\b/.test(asText(Endpoint)) ? anthropic : openai;
}

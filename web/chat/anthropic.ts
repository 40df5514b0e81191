/**
 * The Messages API of Anthropic.
 *
 * @see https://docs.anthropic.com/en/api/messages
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { Api, CallOutcome, ModelCall, Turn } from "./model.ts";

export const anthropic: Api = {
  url: "https://api.anthropic.com/v1/messages",
  headers: (key) => ({
    "x-api-key": key,
    "anthropic-version": "2023-06-01",
    // Without it the endpoint refuses pages.
    "anthropic-dangerous-direct-browser-access": "true",
  }),
  body: ({ model, maxTokens, system }, turns, tools) => ({
    model,
    max_tokens: maxTokens,
    ...(system !== "" && { system }),
    messages: turns.map(messageOf),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    }),
  }),
  reply({ content, stop_reason: reason, usage }) {
    if (!Array.isArray(content)) return undefined;
    const blocks: unknown[] = content;
    const texts: string[] = [];
    const calls: ModelCall[] = [];
    for (const block of blocks) {
      if (!isObject(block)) continue;
      const { type, text, id, name, input } = block;
      if (type === "text" && typeof text === "string") texts.push(text);
      if (type === "tool_use" && typeof id === "string" && typeof name === "string")
        calls.push({ id, name, args: input });
    }
    const { input_tokens: read, output_tokens: written } = isObject(usage) ? usage : {};
    return {
      text: texts.join("\n\n"),
      calls,
      cut: reason === "max_tokens",
      usage: typeof read === "number" && typeof written === "number" ? [read, written] : undefined,
      message: { role: "assistant", content },
    };
  },
};

function messageOf(turn: Turn): unknown {
  if (turn.role === "user") return { role: "user", content: turn.text };
  if (turn.role === "assistant") return turn.reply.message;
  return { role: "user", content: turn.outcomes.map(resultOf) };
}

function resultOf({ id, text, images, failed }: CallOutcome): unknown {
  const pictures = images.map(({ mimeType, data }) => ({
    type: "image",
    source: { type: "base64", media_type: mimeType, data },
  }));
  return {
    type: "tool_result",
    tool_use_id: id,
    content: [{ type: "text", text }, ...pictures],
    ...(failed && { is_error: true }),
  };
}

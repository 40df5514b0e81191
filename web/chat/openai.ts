/**
 * Chat completions as OpenAI defined them and many others offer them, on one's own machine too.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { Api, ModelCall, Turn } from "./model.ts";

export const openai: Api = {
  url: "https://api.openai.com/v1/chat/completions",
  // Servers on one's own machine want none.
  headers: (key): Record<string, string> => (key === "" ? {} : { authorization: `Bearer ${key}` }),
  // No limit of tokens: what it is called differs from server to server.
  body: ({ model, system }, turns, tools) => ({
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...turns.flatMap(messagesOf)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      })),
    }),
  }),
  reply({ choices, usage }) {
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const message = isObject(choice) ? choice["message"] : undefined;
    if (!isObject(choice) || !isObject(message)) return undefined;
    const { content, tool_calls: listed } = message;
    const calls = (Array.isArray(listed) ? listed : []).flatMap(callOf);
    const { prompt_tokens: read, completion_tokens: written } = isObject(usage) ? usage : {};
    return {
      text: typeof content === "string" ? content : "",
      calls,
      cut: choice["finish_reason"] === "length",
      usage: typeof read === "number" && typeof written === "number" ? [read, written] : undefined,
      message: {
        role: "assistant",
        content: content ?? null,
        // Every call that goes back has to be answered, so those that cannot be are left out.
        ...(calls.length > 0 && {
          tool_calls: (listed as unknown[]).filter((call) => callOf(call).length > 0), // It was an array, as it had calls.
        }),
      },
    };
  },
};

function callOf(call: unknown): ModelCall[] {
  const { id, function: called } = isObject(call) ? call : {};
  const { name, arguments: text } = isObject(called) ? called : {};
  return typeof id === "string" && typeof name === "string" ? [{ id, name, args: parsed(text) }] : [];
}

/** They come as text; some servers send an object. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messagesOf(turn: Turn): unknown[] {
  if (turn.role === "user") return [{ role: "user", content: turn.text }];
  if (turn.role === "assistant") return [turn.reply.message];
  // Pictures have no place in results here.
  return turn.outcomes.map(({ id, text, failed }) => ({
    role: "tool",
    tool_call_id: id,
    content: failed ? `Error: ${text}` : text,
  }));
}

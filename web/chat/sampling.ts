/**
 * Answers what servers ask of a model (`sampling/createMessage`) by the person's own.
 *
 * @see spec 2026-07-28 client/sampling
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { Sampler } from "../input/sampler.ts";
import type { ModelSettings, Turn } from "./model.ts";
import { askModel } from "./model-request.ts";

export function samplerOf(chosen: ModelSettings): Sampler {
  return async (params, signal) => {
    const { systemPrompt, maxTokens, messages } = params;
    const asked: ModelSettings = {
      ...chosen,
      system: typeof systemPrompt === "string" ? systemPrompt : "",
      maxTokens: typeof maxTokens === "number" ? maxTokens : chosen.maxTokens,
    };
    const turns = (Array.isArray(messages) ? messages : []).flatMap(turnOf);
    const { text, cut } = await askModel(asked, { turns, tools: [], signal });
    const stopReason = cut ? "maxTokens" : "endTurn";
    return { role: "assistant", content: { type: "text", text }, model: chosen.model, stopReason };
  };
}

function turnOf(message: unknown): Turn[] {
  if (!isObject(message)) return [];
  const blocks: unknown[] = [message["content"]].flat();
  const text = blocks.map(textOf).join("\n\n");
  if (message["role"] !== "assistant") return [{ role: "user", text }];
  const said = { role: "assistant", content: text };
  return [{ role: "assistant", reply: { text, calls: [], cut: false, usage: undefined, message: said } }];
}

function textOf(block: unknown): string {
  const { type, text }: JsonObject = isObject(block) ? block : {};
  return typeof text === "string" ? text : `[${typeof type === "string" ? type : "something"} left out]`;
}

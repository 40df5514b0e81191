/**
 * The loop between a model and tools: ask the model, call what it wants called, tell it what came of that, and so on until it
 * has nothing left to call.
 *
 * Contract: `messages` can be sent at any time, as every call in them has its outcome. What ends a run early leaves them as
 * they were before the reply that is missing, so that it can be tried again.
 */
import type { CheckedToolResult, JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, jsonText } from "../text.ts";
import type { ModelCall, Outcome, Reply } from "./model.ts";

export interface Host {
  ask(messages: readonly JsonObject[]): Promise<Reply>;
  show(text: string): void;
  /** Calls a tool, once somebody allowed it. @throws why there is no result */
  call(call: ModelCall): Promise<CheckedToolResult>;
  answer(outcomes: readonly Outcome[]): JsonObject[];
}

/** Models go round in circles, and the person pays for each round. */
export const MAX_ROUNDS = 20;
const MAX_RESULT = 100_000;

/** @throws why it ended before the model had finished */
export async function converse(messages: JsonObject[], host: Host, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { text, calls, message } = await host.ask(messages);
    host.show(text);
    messages.push(message);
    if (calls.length === 0) return;
    const outcomes: Outcome[] = [];
    // One after the other, as the person is asked about each.
    for (const call of calls) {
      const told = await host.call(call).then(resultText, (error: unknown) => `Error: ${(error as Error).message}`);
      outcomes.push({ id: call.id, text: told });
    }
    messages.push(...host.answer(outcomes));
    signal.throwIfAborted();
  }
  throw new Error(`Stopped after ${MAX_ROUNDS} rounds of calls.`);
}

/** What a model is told of a result. */
export function resultText({ content, structuredContent, isError }: CheckedToolResult): string {
  const text = textOf(content) || jsonText(structuredContent);
  const told = isError === true ? `Error: ${text}` : text;
  return told.length > MAX_RESULT ? `${told.slice(0, MAX_RESULT)} [cut]` : told;
}

/** Content as a model reads it: text, and everything else as JSON without its data. */
export function textOf(content: unknown): string {
  const blocks: unknown[] = [content ?? []].flat();
  return blocks
    .map((block) => asText(isObject(block) ? (block["text"] ?? { ...block, data: undefined }) : block))
    .join("\n\n");
}

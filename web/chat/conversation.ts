/**
 * The loop between a model and tools: ask the model, call what it wants called, tell it what came of that, and so on until it
 * has nothing left to call.
 *
 * Contract: `run` changes nothing but `turns`, which always can be sent: every call in them has its outcome. What ends a run
 * early leaves them as they were before the reply that is missing, so that it can be tried again.
 */
import type { CheckedToolResult, JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { CallOutcome, ModelCall, ModelTool, Reply, Turn } from "./model.ts";

export interface ConversationParts {
  readonly ask: (turns: readonly Turn[], signal: AbortSignal) => Promise<Reply>;
  /** Calls a tool, once somebody allowed it. @returns undefined when they did not. @throws what the call failed with */
  readonly call: (call: ModelCall, args: JsonObject, signal: AbortSignal) => Promise<CheckedToolResult | undefined>;
  readonly knows: (name: string) => boolean;
  readonly onReply: (reply: Reply) => void;
  readonly onOutcome: (call: ModelCall, outcome: CallOutcome) => void;
}

/** Models go round in circles, and the person pays for each round. */
export const MAX_ROUNDS = 20;
const MAX_RESULT_LENGTH = 100_000;
const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp)$/;

export class Conversation {
  readonly turns: Turn[] = [];
  readonly #parts: ConversationParts;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** @returns whether the model had finished; false: it may go on for as many rounds again */
  async run(signal: AbortSignal): Promise<boolean> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const reply = await this.#parts.ask(this.turns, signal);
      this.#parts.onReply(reply);
      // Both APIs refuse replies without any content.
      if (reply.text !== "" || reply.calls.length > 0) this.turns.push({ role: "assistant", reply });
      if (reply.calls.length === 0) return true;
      const outcomes: CallOutcome[] = [];
      for (const call of reply.calls) {
        const outcome = await this.#outcomeOf(call, signal);
        outcomes.push(outcome);
        this.#parts.onOutcome(call, outcome);
      }
      this.turns.push({ role: "results", outcomes });
      signal.throwIfAborted();
    }
    return false;
  }

  async #outcomeOf(call: ModelCall, signal: AbortSignal): Promise<CallOutcome> {
    const { id, name, args } = call;
    const failed = (text: string): CallOutcome => ({ id, text, images: [], failed: true });
    if (signal.aborted) return failed("The user stopped this before it was called.");
    if (!this.#parts.knows(name)) return failed("There is no such tool.");
    if (!isObject(args)) return failed("The arguments have to be a JSON object.");
    try {
      const result = await this.#parts.call(call, args, signal);
      return result === undefined ? failed("The user declined this call.") : outcomeOf(id, result);
    } catch (error) {
      if (signal.aborted) return failed("The user stopped this call. What was done by then stays done.");
      return failed(error instanceof Error ? error.message : "The call failed.");
    }
  }
}

export function outcomeOf(id: string, { content, structuredContent, isError }: CheckedToolResult): CallOutcome {
  const images: { mimeType: string; data: string }[] = [];
  const texts: string[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isObject(block)) continue;
    const { type, text, mimeType, data } = block;
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (type === "image" && typeof mimeType === "string" && typeof data === "string" && IMAGE_TYPES.test(mimeType))
      images.push({ mimeType, data });
    else texts.push(JSON.stringify(type === "audio" || type === "image" ? { type, mimeType } : block));
  }
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const text = texts.join("\n\n");
  return {
    id,
    text:
      text.length > MAX_RESULT_LENGTH ? `${text.slice(0, MAX_RESULT_LENGTH)}\n[cut: ${text.length} characters]` : text,
    images,
    failed: isError === true,
  };
}

/** What `tools` a model is told of: without what the page keeps beside them. */
export function modelTools(offered: Iterable<ModelTool>): ModelTool[] {
  return [...offered].map(({ name, description, schema }) => ({ name, description, schema }));
}

/**
 * A model as the chat sees it: turns and tools in, text and calls out. What either API makes of that is in anthropic.ts and
 * openai.ts.
 */
import type { JsonObject } from "../../src/client.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";

export interface ModelSettings {
  readonly api: "anthropic" | "openai";
  readonly url: string;
  readonly model: string;
  readonly key: string;
  readonly system: string;
  readonly maxTokens: number;
}

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

export interface CallOutcome {
  readonly id: string;
  readonly text: string;
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
  readonly failed: boolean;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** Whether the model ran into its limit of tokens. */
  readonly cut: boolean;
  /** Tokens read and written. */
  readonly usage: readonly [number, number] | undefined;
  /** The message as it came, to be sent back as it is: it may hold more than text and calls. */
  readonly message: unknown;
}

export type Turn =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly reply: Reply }
  | { readonly role: "results"; readonly outcomes: readonly CallOutcome[] };

export interface Api {
  readonly url: string;
  headers(key: string): Record<string, string>;
  body(settings: ModelSettings, turns: readonly Turn[], tools: readonly ModelTool[]): JsonObject;
  /** @returns undefined for what is no reply of this API */
  reply(body: JsonObject): Reply | undefined;
}

export const APIS: Readonly<Record<ModelSettings["api"], Api>> = { anthropic, openai };

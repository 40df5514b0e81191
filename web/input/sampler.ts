/** The person's own model, where they set one up: what drafts answers to sampling requests. */
import type { JsonObject } from "../../src/client.ts";

/** Takes the params of `sampling/createMessage`. @returns its result */
export type Sampler = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

let current: Sampler | undefined;

export function setSampler(sampler: Sampler | undefined): void {
  current = sampler;
}

export function currentSampler(): Sampler | undefined {
  return current;
}

/** What a schema allows, in one line: `min length 1, pattern ^a`. What is long is left out: nobody reads it. */
import type { JsonObject } from "../../src/protocol/types.ts";

export function limitsOf(schema: JsonObject): string {
  return Object.entries(schema)
    .map(([keyword, value]) => `${keyword.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`)} ${text(value)}`)
    .filter((limit) => /^(min|max|multiple|exclusive|pattern|unique).{0,60}$/.test(limit))
    .join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

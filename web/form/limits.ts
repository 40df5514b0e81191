/** What a schema allows, in one line: `minLength 1, pattern ^a`. */
import type { JsonObject } from "../../src/protocol/types.ts";

export function limitsOf(schema: JsonObject): string {
  return Object.entries(schema)
    .filter(([keyword, value]) => typeof value === "number" || keyword === "pattern")
    .map(([keyword, value]) => `${keyword} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

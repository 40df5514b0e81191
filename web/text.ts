/** Values that servers send, whatever they are: as text, and as objects. There need be no document. */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";

/** What a server sent where a string belongs. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Empty for undefined, an ellipsis for what is nested too deeply to be written. */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return "…";
  }
}

/** Without members when it is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** What the JSON-RPC messages in a body are, as far as one can tell. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { objectOf } from "../text.ts";

/** The messages that a parsed body holds: one, or the batch of an older revision. */
export function messagesIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => isObject(each) && "jsonrpc" in each);
}

export function labelOf({ id, method, result, error }: JsonObject): string {
  if (typeof method === "string") return id === undefined ? method.replace("notifications/", "") : `request ${method}`;
  if (isObject(error)) return `error ${wordOf(error["code"])}`;
  const { resultType, isError } = objectOf(result);
  return resultType === "input_required" ? "input required" : isError === true ? "tool error" : "response";
}

/** What stands where a string or a number belongs, if it is one. */
export function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

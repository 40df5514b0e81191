/** What the JSON-RPC messages in a body are, as far as one can tell. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

/** The messages that a parsed body holds: one, or the batch of an older revision. */
export function messagesIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => isObject(each) && "jsonrpc" in each);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function labelOf({ id, method, result, error }: JsonObject): string {
  if (typeof method === "string") return id === undefined ? (SHORT[method] ?? method) : `request ${method}`;
  if (error !== undefined) return `error ${isObject(error) ? String(error["code"]) : ""}`;
  if (!isObject(result)) return "response";
  if (result["resultType"] === "input_required") return "input required";
  return result["isError"] === true ? "tool error" : "response";
}

const SHORT: Readonly<Record<string, string>> = {
  "notifications/progress": "progress",
  "notifications/message": "log",
};

/** What a request is about, if it has a name. */
export function nameIn(params: unknown): string {
  if (!isObject(params)) return "";
  const name = params["name"] ?? params["uri"];
  return typeof name === "string" ? name : "";
}

/**
 * The defaults of a form, put where an accepted answer leaves a field out.
 *
 * @see spec 2025-11-25 client/elicitation#requested-schema (SEP-1034)
 */
import { isObject } from "../../protocol/json-rpc.ts";
import type { JsonObject } from "../../protocol/types.ts";

/** @param requestedSchema of the server's making: its fields are judged by the server, not here */
export function withFormDefaults(answer: JsonObject, requestedSchema: unknown): JsonObject {
  const properties = isObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  if (answer["action"] !== "accept" || !isObject(properties)) return answer;
  const given = isObject(answer["content"]) ? answer["content"] : {};
  const missing = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && field["default"] !== undefined && !Object.hasOwn(given, name) ? [[name, field["default"]]] : [],
  );
  // From entries, so that a field called `__proto__` is one like any other.
  return { ...answer, content: Object.fromEntries([...Object.entries(given), ...missing]) };
}

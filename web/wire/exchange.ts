/**
 * One request as the page sees it: what went over the wire, and what it came to.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";

/** One HTTP request and what came back, as sent. The browser adds headers of its own to the first. */
export interface WireExchange {
  readonly url: string;
  readonly requestHeaders: readonly (readonly [string, string])[];
  readonly requestBody: string;
  status?: string;
  responseHeaders?: readonly (readonly [string, string])[];
  /** Grows while a stream is read; cut where it becomes too long to show. */
  responseBody: string;
}

export type Outcome =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown }
  /** An HTTP status with a body that is no JSON-RPC. */
  | { readonly kind: "refused"; readonly status: string; readonly text: string }
  /** No answer, or none that can be read. */
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "cancelled" };

/** The outcome a JSON-RPC response stands for, or undefined when the message is something else. */
export function toOutcome(message: JsonObject): Outcome | undefined {
  const { result, error } = message;
  if (isObject(error)) {
    const { code, message: text, data } = error;
    return { kind: "error", code: Number(code), message: typeof text === "string" ? text : "", data };
  }
  if (!isObject(result)) return undefined;
  const { resultType = "complete" } = result;
  if (resultType === "complete" || resultType === "input_required") return { kind: "result", result };
  // MUST — basic/index#resulttype: a kind of result that is not known is not taken for success.
  return { kind: "broken", reason: `the server sent a result of the unknown type ${JSON.stringify(resultType)}` };
}

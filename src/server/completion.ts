/**
 * `completion/complete`: suggestions for prompt arguments and template variables.
 *
 * @see spec 2026-07-28 server/utilities/completion
 */
import { clip, invalidParams } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";
import { RequestContext } from "./context.ts";
import type { Completer } from "./definitions.ts";
import type { Exchange } from "./exchange.ts";
import type { ResultWriter } from "./result-writer.ts";

/** MUST — server/utilities/completion#completion-results. */
const MAX_VALUES = 100;

export interface CompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context: Readonly<Record<string, string>>;
}

/** @throws {ProtocolError} −32602 naming the member that is wrong */
export function readCompletionRequest(params: JsonObject): CompletionRequest {
  const { ref, argument, context } = params;
  if (!isObject(argument) || typeof argument["name"] !== "string" || typeof argument["value"] !== "string") {
    throw invalidParams("Invalid params: argument must be an object with the strings name and value");
  }
  return {
    ref: readReference(ref),
    argument: { name: argument["name"], value: argument["value"] },
    context: readContext(context),
  };
}

/** @returns the result as JSON text */
export async function complete<Env>(
  completer: Completer<Env> | undefined,
  request: CompletionRequest,
  exchange: Exchange<Env>,
  writer: ResultWriter,
): Promise<string> {
  const { value } = request.argument;
  const found =
    completer === undefined ? [] : await completer(value, { arguments: request.context }, new RequestContext(exchange));
  const { values, total, hasMore } = isList(found) ? { values: found, total: found.length, hasMore: undefined } : found;
  if (!isList(values) || !values.every((entry) => typeof entry === "string")) {
    throw new TypeError(`completer of ${request.argument.name}: returned no list of strings`);
  }
  const completion = {
    values: values.slice(0, MAX_VALUES),
    total,
    hasMore: values.length > MAX_VALUES || (hasMore ?? (total !== undefined && total > values.length)),
  };
  return writer.result({ completion });
}

/** `Array.isArray` does not narrow read-only arrays. */
function isList(found: unknown): found is readonly string[] {
  return Array.isArray(found);
}

function readReference(ref: unknown): CompletionRequest["ref"] {
  if (isObject(ref)) {
    if (ref["type"] === "ref/prompt" && typeof ref["name"] === "string")
      return { type: "ref/prompt", name: ref["name"] };
    if (ref["type"] === "ref/resource" && typeof ref["uri"] === "string")
      return { type: "ref/resource", uri: ref["uri"] };
  }
  throw invalidParams('Invalid params: ref must be {type: "ref/prompt", name} or {type: "ref/resource", uri}');
}

function readContext(context: unknown): Record<string, string> {
  const given = context === undefined ? {} : isObject(context) ? (context["arguments"] ?? {}) : undefined;
  if (!isObject(given)) throw invalidParams("Invalid params: context.arguments must be an object");
  const settled: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") {
      throw invalidParams(`Invalid params: context.arguments[${JSON.stringify(clip(name))}] must be a string`);
    }
    settled[name] = value;
  }
  return settled;
}

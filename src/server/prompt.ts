/**
 * Prompts: registration and `prompts/get`.
 *
 * @see spec 2026-07-28 server/prompts
 */
import { clip, invalidParams, type ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { GetPromptResult, JsonObject, PromptMessage } from "../protocol/types.ts";
import type { RequestContext } from "./context.ts";
import { isSoundBlock } from "./content.ts";
import type { Completer, PromptArgumentDefinition, PromptDefinition } from "./definitions.ts";
import { PROMPT, toWire } from "./described.ts";
import type { Caller, Exchange } from "./exchange.ts";
import { internalError } from "./internal-error.ts";
import type { ResultWriter } from "./result-writer.ts";
import { runHandler } from "./rounds.ts";

export interface Prompt<Env = unknown> {
  readonly name: string;
  /** The definition as `prompts/list` shows it. */
  readonly wire: JsonObject;
  readonly description: string | undefined;
  /** Declared arguments by name. */
  readonly arguments: ReadonlyMap<
    string,
    { readonly required: boolean; readonly complete: Completer<Env> | undefined }
  >;
  readonly visibleTo: ((caller: Caller<Env>) => boolean) | undefined;
  readonly handler: (args: Record<string, string>, ctx: RequestContext<Env>) => unknown;
}

/** @throws {TypeError} naming the prompt and the field */
export function compilePrompt<Env>(
  name: string,
  definition: PromptDefinition<readonly PromptArgumentDefinition<Env>[], Env>,
  handler: (args: never, ctx: RequestContext<Env>) => unknown,
): Prompt<Env> {
  const where = `prompt ${JSON.stringify(name)}`;
  if (typeof handler !== "function") throw new TypeError(`${where}: the handler must be a function`);
  const { arguments: declared = [], visibleTo, ...described } = definition;
  const byName: Map<string, { required: boolean; complete: Completer<Env> | undefined }> = new Map();
  for (const { name: argument, required = false, complete } of declared) {
    if (typeof argument !== "string" || argument === "") throw new TypeError(`${where}: an argument needs a name`);
    if (byName.has(argument)) throw new TypeError(`${where}: argument ${JSON.stringify(argument)} is declared twice`);
    byName.set(argument, { required, complete });
  }
  const args = declared.map(({ complete: _complete, ...shown }) => shown);
  return {
    name,
    wire: toWire(where, { name, ...described, arguments: args.length > 0 ? args : undefined }, PROMPT),
    description: definition.description,
    arguments: byName,
    visibleTo,
    // readArguments() makes what the author's type says of the declared arguments.
    handler: handler as (args: Record<string, string>, ctx: RequestContext<Env>) => unknown,
  };
}

export function unknownPrompt(name: string): ProtocolError {
  return invalidParams(`Unknown prompt: ${clip(name)}`);
}

/** @returns the result as JSON text. @throws {ProtocolError} */
export async function getPrompt<Env>(
  prompt: Prompt<Env>,
  exchange: Exchange<Env>,
  writer: ResultWriter,
): Promise<string> {
  const args = readArguments(prompt, exchange.params);
  const ran = await runHandler(exchange, { target: prompt.name, args }, writer, (ctx) => prompt.handler(args, ctx));
  if (ran.interim !== undefined) return ran.interim;
  const result = toPromptResult(ran.value, prompt.description);
  if (result === undefined)
    throw internalError(
      exchange,
      new TypeError(`prompt ${prompt.name}: returned no messages, or one that is malformed`),
    );
  return writer.result(result);
}

/** @throws {ProtocolError} −32602 naming the argument */
function readArguments(prompt: Prompt<never>, params: JsonObject): Record<string, string> {
  const given = params["arguments"] ?? (Object.hasOwn(params, "arguments") ? undefined : {});
  if (!isObject(given)) throw invalidParams("Invalid params: arguments must be an object");
  const args: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (!prompt.arguments.has(name))
      throw invalidParams(`Invalid params: unknown argument ${JSON.stringify(clip(name))}`);
    if (typeof value !== "string")
      throw invalidParams(`Invalid params: argument ${JSON.stringify(name)} must be a string`);
    args[name] = value;
  }
  for (const [name, { required }] of prompt.arguments) {
    if (required && args[name] === undefined) {
      throw invalidParams(`Invalid params: argument ${JSON.stringify(name)} is required`);
    }
  }
  return args;
}

function toPromptResult(value: unknown, description: string | undefined): GetPromptResult | undefined {
  const common = description === undefined ? {} : { description };
  if (typeof value === "string")
    return { ...common, messages: [{ role: "user", content: { type: "text", text: value } }] };
  if (isMessage(value)) return { ...common, messages: [value] };
  if (Array.isArray(value)) return value.every(isMessage) ? { ...common, messages: value } : undefined;
  if (!isObject(value) || !Array.isArray(value["messages"]) || !value["messages"].every(isMessage)) return undefined;
  return { ...common, ...(value as unknown as GetPromptResult) }; // Its messages were just checked.
}

function isMessage(value: unknown): value is PromptMessage {
  return (
    isObject(value) && (value["role"] === "user" || value["role"] === "assistant") && isSoundBlock(value["content"])
  );
}

/**
 * A tool as `tools/list` describes it, read with care, and the call of one.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { SchemaError } from "../src/schema/engine.ts";
import { type ParamHeader, planParamHeaders, valueAt } from "../src/schema/param-headers.ts";
import { iconUri } from "./dom.ts";
import type { Outcome } from "./exchange.ts";
import type { RequestOptions, WireClient } from "./wire.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string | undefined;
  readonly chips: readonly Chip[];
  readonly inputSchema: JsonObject;
  readonly paramHeaders: readonly ParamHeader[];
  /** Why the tool must not be called, if so. */
  readonly unusable: string | undefined;
}

export interface Chip {
  readonly label: string;
  readonly tone: "calm" | "plain" | "alarm";
  readonly meaning: string;
}

/** A server that keeps asking is not going to finish. */
const MAX_ROUNDS = 20;

/** Undefined for an entry without a name. */
export function parseTool(entry: unknown): Tool | undefined {
  if (!isObject(entry) || typeof entry["name"] !== "string") return undefined;
  const { name, title, description, icons } = entry;
  const annotations = isObject(entry["annotations"]) ? entry["annotations"] : {};
  const inputSchema = isObject(entry["inputSchema"]) ? entry["inputSchema"] : { type: "object" };
  const shown = title ?? annotations["title"];
  return {
    name,
    title: typeof shown === "string" && shown !== "" ? shown : name,
    description: typeof description === "string" ? description : "",
    icon: iconUri(icons),
    chips: chipsOf(annotations),
    inputSchema,
    ...planOf(inputSchema),
  };
}

/** MUST — basic/transports/streamable-http#schema-extension: a tool whose annotations break the rules is left alone. */
function planOf(schema: JsonObject): Pick<Tool, "paramHeaders" | "unusable"> {
  try {
    return { paramHeaders: planParamHeaders(schema), unusable: undefined };
  } catch (error) {
    const reason = error instanceof SchemaError ? `${error.path} ${error.reason}` : "it cannot be read";
    return { paramHeaders: [], unusable: `Its input schema breaks a rule: ${reason}.` };
  }
}

/** Hints of the server about its own tool: to be shown, not to be relied on. */
function chipsOf({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: JsonObject): Chip[] {
  const chips: Chip[] = [];
  if (readOnlyHint === true) chips.push({ label: "read only", tone: "calm", meaning: "Says that it changes nothing" });
  else if (destructiveHint === true)
    chips.push({ label: "destructive", tone: "alarm", meaning: "Says that it may overwrite or delete" });
  else if (destructiveHint === false)
    chips.push({ label: "adds only", tone: "plain", meaning: "Says that it adds without taking away" });
  if (readOnlyHint !== true && idempotentHint === true) {
    chips.push({ label: "idempotent", tone: "plain", meaning: "Says that calling it twice is the same as once" });
  }
  if (openWorldHint === true)
    chips.push({ label: "open world", tone: "plain", meaning: "Says that it reaches beyond its server" });
  return chips;
}

export interface CallOptions extends Pick<RequestOptions, "onExchange" | "onNotification" | "progressToken"> {
  readonly signal: AbortSignal;
  /** Answers to what the server asks; undefined gives up. */
  readonly ask: (requests: JsonObject) => Promise<JsonObject | undefined>;
}

/** Calls the tool, and again with answers for as long as the server asks for them. */
export async function callTool(
  client: WireClient,
  tool: Tool,
  args: JsonObject,
  options: CallOptions,
): Promise<Outcome> {
  const { ask, ...request } = options;
  const paramHeaders = mirror(tool.paramHeaders, args);
  let retry: JsonObject = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const params = { name: tool.name, arguments: args, ...retry };
    const outcome = await client.request("tools/call", params, { ...request, paramHeaders });
    if (outcome.kind !== "result" || outcome.result["resultType"] !== "input_required") return outcome;
    const { inputRequests = {}, requestState } = outcome.result;
    const inputResponses = isObject(inputRequests) ? await ask(inputRequests) : undefined;
    if (options.signal.aborted) return { kind: "cancelled" };
    if (inputResponses === undefined)
      return { kind: "broken", reason: "the server asks for something this page cannot give" };
    // MUST — basic/patterns/mrtr: state goes back as it came, and not at all when none came.
    retry = { inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  return { kind: "broken", reason: `the server asked ${MAX_ROUNDS} times without coming to an end` };
}

function mirror(headers: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const mirrored: Record<string, string> = {};
  for (const { header, path } of headers) {
    const value = valueAt(args, path);
    // Other types have no header form; a schema that lets them through is the server's to mend.
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      mirrored[header] = String(value);
  }
  return mirrored;
}

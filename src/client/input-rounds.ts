/**
 * Requests that need input on the way: the same request again, with what the server asked for, until it has all it needs.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr
 */
import { clip, McpError } from "../protocol/errors.ts";
import type { FormSchema } from "../protocol/form-schema.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { ClientCapabilities, InputRequest, JsonObject } from "../protocol/types.ts";
import { Deadline } from "./deadline.ts";
import type { InputHandlers } from "./session.ts";

/**
 * A request that waits for input, in manual mode. It is plain JSON and holds all that `McpClient.resume` needs, so it can
 * be stored and taken up again by another page or process. It holds the request's arguments, too.
 */
export interface PendingInput {
  readonly resultType: "input_required";
  readonly method: string;
  /** Of the request as it was first sent. */
  readonly params: JsonObject;
  /** What is asked, by the names that the answers go by. Empty: the server only wants to be asked again. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /** The server's own note, to be sent back as it is. */
  readonly requestState?: string;
}

/** Tells what a call in manual mode returned: pending input, or its result. */
export function isPendingInput(returned: object): returned is PendingInput {
  return "resultType" in returned && returned.resultType === "input_required";
}

/** Answers under the names of their questions. */
export type InputResponses = Readonly<Record<string, JsonObject>>;

export interface Rounds {
  readonly method: string;
  readonly params: JsonObject;
  /** Sends the request with these params under an id of its own. `input`: whether it carries answers. */
  readonly send: (params: JsonObject, input: boolean) => Promise<JsonObject>;
  /** Undefined: whoever called answers, so an interim result is returned to them. */
  readonly handlers: InputHandlers | undefined;
  readonly capabilities: ClientCapabilities;
  readonly maxRounds: number;
  readonly signal: AbortSignal | undefined;
  /** Ends the questions too, with its reason. */
  readonly owner: AbortSignal;
}

/**
 * MUST NOT — mrtr#supported-requests: no other request is answered by an interim result. Each with the list that its final
 * result cannot do without.
 */
export const MAY_ASK: ReadonlyMap<string, string> = new Map([
  ["tools/call", "content"],
  ["prompts/get", "messages"],
  ["resources/read", "contents"],
]);

export async function sendInRounds(rounds: Rounds, answered?: JsonObject): Promise<JsonObject | PendingInput> {
  const { method, params, send, handlers, maxRounds } = rounds;
  let result = await send({ ...params, ...answered }, answered !== undefined);
  for (let round = 1; result["resultType"] === "input_required"; round++) {
    const pending = parsePending(result, { method, params });
    if (handlers === undefined) return pending;
    if (round > maxRounds) {
      throw new McpError("too_many_rounds", `${method} asked for input more than ${maxRounds} times`);
    }
    const inputResponses = await answerAll(pending, handlers, rounds);
    result = await send({ ...params, ...answerParams(pending, inputResponses) }, true);
  }
  return result;
}

/** MUST — mrtr#client-requirements-basic-workflow: the exact state, and none where there was none. */
export function answerParams(
  { inputRequests, requestState }: PendingInput,
  inputResponses: InputResponses,
): JsonObject {
  return {
    ...(Object.keys(inputRequests).length > 0 && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** The answers that the defaults of a form make, for handlers that want to start from them. */
export function formDefaults({ properties }: FormSchema): JsonObject {
  const filled = Object.entries(properties).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(filled.map(([name, field]) => [name, field.default]));
}

function parsePending(result: JsonObject, request: { method: string; params: JsonObject }): PendingInput {
  const { inputRequests = {}, requestState } = result;
  const isInOrder =
    MAY_ASK.has(request.method) &&
    isObject(inputRequests) &&
    Object.values(inputRequests).every(isQuestion) &&
    (requestState === undefined ? result["inputRequests"] !== undefined : typeof requestState === "string");
  if (!isInOrder) {
    throw new McpError("invalid_response", `The interim result of ${clip(request.method)} is malformed`);
  }
  return {
    resultType: "input_required",
    ...request,
    // Each is an object with a method; a handler judges the params of those that it answers.
    inputRequests: inputRequests as PendingInput["inputRequests"],
    ...(typeof requestState === "string" && { requestState }),
  };
}

function isQuestion(asked: unknown): boolean {
  if (!isObject(asked) || typeof asked["method"] !== "string") return false;
  return asked["params"] === undefined || isObject(asked["params"]);
}

async function answerAll(
  pending: PendingInput,
  handlers: InputHandlers,
  { capabilities, signal, owner }: Rounds,
): Promise<InputResponses> {
  const { method, params, inputRequests } = pending;
  // People take the time they need.
  const unlimited = { timeoutMs: Infinity, maxTimeoutMs: Infinity };
  const deadline = new Deadline({ ...unlimited, ...(signal && { signal }) }, owner);
  const ctx = { signal: deadline.signal, request: { method, params } };
  try {
    ctx.signal.throwIfAborted();
    // All of them are found before a person is asked the first.
    const found = Object.entries(inputRequests).map(
      ([name, asked]) => [name, asked.method, handlerFor(asked, handlers, capabilities)] as const,
    );
    const answers = found.map(async ([name, asked, ask]) => [name, await answer(asked, () => ask(ctx))]);
    // An own property whatever its name is, `__proto__` included.
    return Object.fromEntries(await deadline.race(Promise.all(answers))) as InputResponses; // answer() has looked.
  } catch (error) {
    deadline.abort(error); // Nobody needs the other answers any more.
    throw error;
  } finally {
    deadline.end();
  }
}

type Context = Parameters<NonNullable<InputHandlers["roots"]>>[0];

async function answer(method: string, ask: () => Promise<JsonObject>): Promise<JsonObject> {
  let given: unknown;
  try {
    given = await ask();
  } catch (cause) {
    throw new McpError("input_unanswered", `The handler of ${method} failed`, { cause });
  }
  if (!isObject(given)) throw new McpError("input_unanswered", `The handler of ${method} returned no object`);
  return given;
}

/** @throws {McpError} `input_unanswered` when there is none */
function handlerFor(
  asked: InputRequest,
  { elicit, sample, roots }: InputHandlers,
  { elicitation }: ClientCapabilities,
): (ctx: Context) => Promise<JsonObject> {
  if (asked.method === "elicitation/create" && elicit && isDeclared(asked.params, elicitation))
    return (ctx) => elicit(asked.params, ctx);
  if (asked.method === "sampling/createMessage" && sample) return (ctx) => sample(asked.params, ctx);
  if (asked.method === "roots/list" && roots) return roots;
  throw new McpError("input_unanswered", `There is no handler of ${clip(asked.method)}`);
}

/** MUST NOT — client/elicitation#capabilities: no mode that was not declared. Our choice: no URL but one of HTTP. */
function isDeclared(
  params: { readonly mode?: unknown; readonly url?: unknown } | undefined,
  modes: ClientCapabilities["elicitation"],
): boolean {
  const { mode = "form", url } = params ?? {}; // A server may have left them out.
  if (mode === "url") return modes?.url !== undefined && /^https?:\/\//i.test(String(url));
  // Declared without modes, it is forms.
  return mode === "form" && modes !== undefined && (modes.form !== undefined || modes.url === undefined);
}

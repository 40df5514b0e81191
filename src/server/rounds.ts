/**
 * Multi round-trip requests around a handler: opens what the retry brings, runs the handler, and turns open questions
 * into an interim result whose state is sealed.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr
 */
import { invalidParams, ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { InputRequest, JsonObject } from "../protocol/types.ts";
import { type Carried, RequestContext } from "./context.ts";
import type { InterimResult } from "./definitions.ts";
import type { Exchange } from "./exchange.ts";
import { assertCapability } from "./input.ts";
import type { ResultWriter } from "./result-writer.ts";
import type { StateBinding } from "./sealed-state.ts";

/** What the handler returned, or the interim result that ends this round. */
export type Ran = { readonly value: unknown; readonly interim?: undefined } | { readonly interim: string };

export interface CallSubject {
  /** The tool or prompt name, or the resource URI. */
  readonly target: string;
  readonly args: JsonObject;
}

/** @throws whatever the handler throws, and {ProtocolError} −32602 for a state or responses that are no good */
export async function runHandler<Env>(
  exchange: Exchange<Env>,
  subject: CallSubject,
  writer: ResultWriter,
  run: (ctx: RequestContext<Env>) => unknown,
): Promise<Ran> {
  const { requestState, inputResponses = NOTHING } = exchange.params;
  if (!isObject(inputResponses)) throw invalidParams("Invalid params: inputResponses must be an object");
  const binding: StateBinding = { principal: exchange.auth?.subject ?? "", method: exchange.method, ...subject };
  const carried = requestState === undefined ? undefined : await openState(exchange, requestState, binding);
  const ctx = new RequestContext(exchange, carried, inputResponses);
  let value: unknown;
  try {
    value = await run(ctx);
  } catch (error) {
    // The marker of an open question ends up here, or an error the handler made of it. A malformed answer is no question.
    if (error instanceof ProtocolError || RequestContext.suspension(ctx) === undefined) throw error;
  }
  if (RequestContext.suspension(ctx) !== undefined) await RequestContext.stepsDone(ctx);
  const suspension = RequestContext.suspension(ctx);
  if (suspension !== undefined) {
    const inputRequests = Object.fromEntries(suspension.asked);
    return { interim: await interim(exchange, binding, writer, { inputRequests, state: suspension.state }) };
  }
  if (!isInterim(value)) return { value };
  for (const request of Object.values(value.inputRequests ?? {})) assertCapability(request, exchange.meta.capabilities);
  const state = RequestContext.carry(ctx, value.requestState);
  return { interim: await interim(exchange, binding, writer, { inputRequests: value.inputRequests, state }) };
}

const NOTHING: JsonObject = Object.freeze({});

async function interim(
  exchange: Exchange,
  binding: StateBinding,
  writer: ResultWriter,
  next: { inputRequests: Record<string, InputRequest> | undefined; state: JsonObject },
): Promise<string> {
  const requestState = await exchange.sealer.seal(next.state, binding);
  return writer.result({ inputRequests: next.inputRequests, requestState }, "input_required");
}

/** MUST — basic/patterns/mrtr#server-requirements-basic-workflow 4: state that fails verification is refused. */
async function openState(exchange: Exchange, state: unknown, binding: StateBinding): Promise<Carried> {
  if (typeof state !== "string") throw invalidParams("Invalid params: requestState must be a string");
  const opened = await exchange.sealer.open(state, binding);
  if (opened === undefined) {
    throw invalidParams("Invalid params: requestState is not valid for this request, or has expired; start again without it");
  }
  const { answers, steps, own } = opened;
  return { answers: toMap(answers) as Carried["answers"], steps: toSteps(steps), own }; // Sealed by carry().
}

function toMap(value: unknown): Map<string, unknown> {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** As carry() wrote them. */
function toSteps(value: unknown): Map<string, unknown> {
  return new Map([...toMap(value)].map(([key, done]) => [key, Array.isArray(done) ? (done as unknown[])[0] : undefined]));
}

function isInterim(value: unknown): value is InterimResult {
  return isObject(value) && value["resultType"] === "input_required";
}

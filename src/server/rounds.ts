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
import type { Awaitable, InterimResult } from "./definitions.ts";
import type { Exchange } from "./exchange.ts";
import { assertAskable } from "./input.ts";
import type { ResultWriter } from "./result-writer.ts";
import type { StateBinding } from "./sealed-state.ts";

/** What the handler returned, or the interim result that ends this round. */
export type Ran = { readonly value: unknown; readonly interim?: undefined } | { readonly interim: string };

export interface CallSubject {
  /** The tool or prompt name, or the resource URI. */
  readonly target: string;
  readonly args: JsonObject;
}

type Handler<Env> = (ctx: RequestContext<Env>) => unknown;

/**
 * Runs a handler, with the answers that a retry brings. Not a promise when the handler answers at once, as most do: each
 * promise in between costs a call about as much as looking up its tool.
 *
 * @throws or rejects with whatever the handler throws, and {ProtocolError} −32602 for a state or responses that are no good
 */
export function runHandler<Env>(
  exchange: Exchange<Env>,
  subject: CallSubject,
  writer: ResultWriter,
  run: Handler<Env>,
): Awaitable<Ran> {
  const { requestState, inputResponses = NOTHING } = exchange.params;
  if (!isObject(inputResponses)) throw invalidParams("Invalid params: inputResponses must be an object");
  const round = new Round(exchange, subject, writer);
  if (requestState === undefined) return round.run(new RequestContext(exchange, undefined, inputResponses), run);
  return round
    .resume(requestState)
    .then((carried) => round.run(new RequestContext(exchange, carried, inputResponses), run));
}

const NOTHING: JsonObject = Object.freeze({});

/** One run of a handler, from the top to its value or its questions. */
class Round<Env> {
  readonly #exchange: Exchange<Env>;
  readonly #subject: CallSubject;
  readonly #writer: ResultWriter;

  constructor(exchange: Exchange<Env>, subject: CallSubject, writer: ResultWriter) {
    this.#exchange = exchange;
    this.#subject = subject;
    this.#writer = writer;
  }

  run(ctx: RequestContext<Env>, handler: Handler<Env>): Awaitable<Ran> {
    let value: unknown;
    try {
      value = handler(ctx);
    } catch (error) {
      return this.#fail(ctx, error);
    }
    if (!isThenable(value)) return this.#conclude(ctx, value);
    return Promise.resolve(value).then(
      (value) => this.#conclude(ctx, value),
      (error: unknown) => this.#fail(ctx, error),
    );
  }

  /** MUST — basic/patterns/mrtr#server-requirements-basic-workflow 4: state that fails verification is refused. */
  async resume(state: unknown): Promise<Carried> {
    if (typeof state !== "string") throw invalidParams("Invalid params: requestState must be a string");
    const opened = await this.#exchange.sealer.open(state, this.#binding());
    if (opened === undefined) {
      throw invalidParams(
        "Invalid params: requestState is not valid for this request, or has expired; start again without it",
      );
    }
    const { answers, steps, own } = opened;
    return { answers: toMap(answers) as Carried["answers"], steps: toSteps(steps), own }; // Sealed by carry().
  }

  #conclude(ctx: RequestContext<Env>, value: unknown): Awaitable<Ran> {
    if (RequestContext.asked(ctx) !== undefined) return this.#suspend(ctx);
    return isInterim(value) ? this.#interimByHand(ctx, value) : { value };
  }

  /** The marker of an open question, or an error the handler made of it, is none. A malformed answer is. */
  #fail(ctx: RequestContext<Env>, error: unknown): Promise<Ran> {
    if (error instanceof ProtocolError || RequestContext.asked(ctx) === undefined) throw error;
    return this.#suspend(ctx);
  }

  async #suspend(ctx: RequestContext<Env>): Promise<Ran> {
    const clash = RequestContext.clash(ctx);
    if (clash !== undefined) throw clash;
    await RequestContext.stepsDone(ctx);
    const inputRequests = Object.fromEntries(RequestContext.asked(ctx) ?? []);
    return this.#interim(inputRequests, RequestContext.carry(ctx, undefined));
  }

  #interimByHand(ctx: RequestContext<Env>, { inputRequests, requestState }: InterimResult): Promise<Ran> {
    if (inputRequests !== undefined) assertAskable(inputRequests, this.#exchange.meta.capabilities);
    return this.#interim(inputRequests, RequestContext.carry(ctx, requestState));
  }

  async #interim(inputRequests: Record<string, InputRequest> | undefined, state: JsonObject): Promise<Ran> {
    const requestState = await this.#exchange.sealer.seal(state, this.#binding());
    return { interim: this.#writer.result({ inputRequests, requestState }, "input_required") };
  }

  #binding(): StateBinding {
    const { auth, method } = this.#exchange;
    return { server: this.#writer.serverName, principal: auth?.subject ?? null, method, ...this.#subject };
  }
}

/** Durable Object stubs and database drivers answer with thenables that are no `Promise`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function toMap(value: unknown): Map<string, unknown> {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** As carry() wrote them. */
function toSteps(value: unknown): Map<string, unknown> {
  return new Map(
    [...toMap(value)].map(([key, done]) => [key, Array.isArray(done) ? (done as unknown[])[0] : undefined]),
  );
}

function isInterim(value: unknown): value is InterimResult {
  return isObject(value) && value["resultType"] === "input_required";
}

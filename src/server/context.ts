/**
 * `ctx`, the second argument of every handler.
 *
 * One handler runs under every delivery. In the modern era a question that has no answer yet ends the run: `input()`
 * throws a marker, the call ends as `input_required`, and on the retry the handler runs again from the top with the
 * answer in place. A handler that swallows the marker changes nothing, because what was asked is kept here.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr, basic/patterns/progress, server/utilities/logging
 */
import { missingCapability, type ProtocolError } from "../protocol/errors.ts";
import { encodeNotification } from "../protocol/json-rpc.ts";
import {
  type ClientCapabilities,
  type CreateMessageResult,
  type ElicitResult,
  type Implementation,
  type InputRequest,
  type JsonObject,
  type ListRootsResult,
  LOG_LEVELS,
  type LogLevel,
} from "../protocol/types.ts";
import type { FormContent, FormSchema } from "../protocol/form-schema.ts";
import type { AuthInfo, Exchange } from "./exchange.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import {
  type Answer,
  checkAnswer,
  type FormQuestion,
  missingFor,
  type Question,
  type SamplingQuestion,
  toInputRequest,
  type UrlQuestion,
} from "./input.ts";

/** What earlier rounds of this call left behind, from the sealed state. */
export interface Carried {
  readonly answers: Map<string, JsonObject>;
  readonly steps: Map<string, unknown>;
  /** What the author put into an interim result by hand. */
  readonly own: unknown;
}

/** The marker behind "not answered yet". Not an `Error`: nothing failed. */
const SUSPENDED = Symbol("input required");

/** W3C trace context as the caller sent it, for propagation. */
export interface TraceContext {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly baggage: string | undefined;
}

export class RequestContext<Env = unknown> {
  readonly #exchange: Exchange<Env>;
  readonly #carried: Carried | undefined;
  /** Undefined where the method may not ask for input. */
  readonly #responses: JsonObject | undefined;
  #asked: Map<string, InputRequest> | undefined;
  /** Every question of this run as text, by its key. */
  #questions: Map<string, string> | undefined;
  /** Two questions under one key. */
  #clash: TypeError | undefined;
  #refusal: { readonly required: ClientCapabilities; readonly error: ProtocolError } | undefined;
  #answers: Map<string, JsonObject> | undefined;
  #steps: Map<string, unknown> | undefined;
  #running: Map<string, Promise<unknown>> | undefined;
  #notifier: Notifier | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(exchange: Exchange<Env>, carried?: Carried, responses?: JsonObject) {
    this.#exchange = exchange;
    this.#carried = carried;
    this.#responses = responses;
  }

  /** Aborts when the caller cancels or disconnects. Pass it to whatever you await. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
  /** Who is calling, or null without authentication. */
  get auth(): AuthInfo | null {
    return this.#exchange.auth;
  }
  /** What the client says of itself. Unverified: for display, and to choose what to ask, never for permissions. */
  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    return { info: this.#exchange.meta.clientInfo, capabilities: this.#exchange.meta.capabilities };
  }
  /** Bindings and variables of the runtime, as passed to `fetch(request, env)`. */
  get env(): Env {
    return this.#exchange.env;
  }
  /** The Web-standard request, where the transport has one. Its body is already read. */
  get request(): Request | undefined {
    return this.#exchange.request;
  }
  /** The request's `_meta`, for extensions. */
  get meta(): JsonObject {
    return this.#exchange.meta.raw;
  }
  get trace(): TraceContext {
    const { raw } = this.#exchange.meta;
    return {
      traceparent: text(raw["traceparent"]),
      tracestate: text(raw["tracestate"]),
      baggage: text(raw["baggage"]),
    };
  }

  /** Tells those who listen that something changed. Does nothing where the server has no `subscriptions`. */
  get notify(): Notifier {
    return (this.#notifier ??= createNotifier(
      async (changes) => this.#exchange.publish?.(changes),
      (work) => this.#exchange.waitUntil(work),
    ));
  }

  /** Keeps the runtime alive for work that outlives the reply. */
  waitUntil(work: Promise<unknown>): void {
    this.#exchange.waitUntil(work);
  }

  /**
   * Reports progress to a caller that asked for it; does nothing otherwise, or once the call has ended. A value that
   * is not larger than the last one is left out, since the protocol has them increase.
   *
   * @throws {TypeError} when `progress` or `total` is not a finite number
   */
  progress(progress: number, total?: number, message?: string): void {
    if (!Number.isFinite(progress)) throw new TypeError("progress: must be a finite number");
    if (total !== undefined && !Number.isFinite(total)) throw new TypeError("total: must be a finite number");
    const { progressToken } = this.#exchange.meta;
    if (progressToken === undefined || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    this.#exchange.notify(encodeNotification("notifications/progress", { progressToken, progress, total, message }));
  }

  /**
   * Sends a log message to a caller that asked for this level or a milder one.
   *
   * @param data any JSON value; keep credentials and personal data out of it
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#exchange.meta;
    // MUST NOT — server/utilities/logging#per-request-log-level: nothing without the request's own opt-in.
    if (logLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
    this.#exchange.notify(encodeNotification("notifications/message", { level, logger, data: loggable(data) }));
  }

  /**
   * Asks several questions at once. Keys name the questions within this call, so each stands for one question only.
   *
   * @throws {ProtocolError} −32021 when the client did not declare what a question needs
   */
  input<const Q extends Record<string, Question>>(questions: Q): Promise<{ [K in keyof Q]: Answer<Q[K]> }> {
    return this.#ask(questions, (answers) => answers) as Promise<unknown> as Promise<{ [K in keyof Q]: Answer<Q[K]> }>; // checkAnswer() judged each shape.
  }

  /** Asks a person to fill in a form, or to visit a page. Always allow for `decline` and `cancel`. */
  elicit<const S extends FormSchema>(key: string, question: FormQuestion<S>): Promise<ElicitResult<FormContent<S>>>;
  elicit(key: string, question: UrlQuestion): Promise<ElicitResult<never>>;
  elicit(key: string, question: FormQuestion | UrlQuestion): Promise<ElicitResult<never>> {
    return this.#ask({ [key]: question }, (answers) => answers[key] as unknown as ElicitResult<never>); // As input().
  }

  /** Asks the client's model to write a message. */
  sample(key: string, question: SamplingQuestion): Promise<CreateMessageResult> {
    return this.#ask({ [key]: question }, (answers) => answers[key] as unknown as CreateMessageResult); // As input().
  }

  /** Asks for the client's root directories. */
  roots(key = "roots"): Promise<ListRootsResult> {
    return this.#ask({ [key]: { roots: true } }, (answers) => answers[key] as unknown as ListRootsResult); // As input().
  }

  /**
   * Runs a side effect once per call, however many rounds of questions the call takes: its value travels in the sealed
   * state. The value must survive JSON; what the caller's arguments would make different belongs into the key.
   */
  async step<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const steps = (this.#steps ??= new Map(this.#carried?.steps));
    if (steps.has(key)) return steps.get(key) as T; // Written by this very step, in this round or an earlier one.
    const running = (this.#running ??= new Map<string, Promise<unknown>>());
    let work = running.get(key) as Promise<T> | undefined; // As above.
    if (work === undefined) {
      work = (async () => run())();
      running.set(key, work);
    }
    try {
      const value = await work;
      steps.set(key, value);
      return value;
    } finally {
      running.delete(key);
    }
  }

  /** The raw `inputResponses` of this round, for handlers that return interim results by hand. Unchecked. */
  get inputResponses(): Readonly<JsonObject> {
    return this.#responses ?? {};
  }
  /** What a handler put into `requestState` of an interim result it returned by hand. */
  get requestState(): unknown {
    return this.#carried?.own;
  }

  #ask<T>(questions: Record<string, Question>, pick: (answers: Record<string, JsonObject>) => T): Promise<T> {
    const answered = this.#input(questions).then(pick);
    // A handler that asks twice and awaits once leaves the other promise rejected; Node ends a process for that.
    answered.catch(ignore);
    return answered;
  }

  async #input(questions: Record<string, Question>): Promise<Record<string, JsonObject>> {
    if (this.#responses === undefined) throw new TypeError(`${this.#exchange.method} cannot ask for input`);
    const answers: Record<string, JsonObject> = Object.create(null);
    const open: [string, InputRequest][] = [];
    const requests = Object.entries(questions).map(([key, question]) => [key, toInputRequest(question)] as const);
    for (const [key, request] of requests) this.#claim(key, request);
    this.#assertDeclared(requests.map(([, request]) => request));
    for (const [key, request] of requests) {
      const answer = this.#answer(key, request);
      if (answer === undefined) open.push([key, request]);
      else answers[key] = answer;
    }
    if (open.length === 0) return answers;
    for (const [key, request] of open) (this.#asked ??= new Map()).set(key, request);
    // oxlint-disable-next-line no-throw-literal -- a marker, not a failure; see the top of this file.
    throw SUSPENDED;
  }

  /** @throws {TypeError} for a key that stands for another question already: one answer would go to both */
  #claim(key: string, request: InputRequest): void {
    const text = JSON.stringify(request);
    const questions = (this.#questions ??= new Map());
    if ((questions.get(key) ?? text) !== text) {
      this.#clash = new TypeError(`key ${JSON.stringify(key)} is already asked with another question`);
      throw this.#clash;
    }
    questions.set(key, text);
  }

  /**
   * MUST NOT — basic/index#meta: rely on what the client did not declare. So a question that is answered counts too.
   *
   * @throws {ProtocolError} −32021; one for all questions that are asked side by side, with what all of them lack
   */
  #assertDeclared(requests: readonly InputRequest[]): void {
    const required = missingFor(requests, this.#exchange.meta.capabilities, this.#refusal?.required);
    if (required === undefined) return;
    const error = missingCapability(required);
    if (this.#refusal === undefined) {
      this.#refusal = { required, error };
      // Long enough for the questions beside this one; one that a handler asks instead is a matter of its own.
      queueMicrotask(() => (this.#refusal = undefined));
    } else {
      Object.assign(this.#refusal.error, { message: error.message, data: error.data });
      this.#refusal = { ...this.#refusal, required };
    }
    throw this.#refusal.error;
  }

  #answer(key: string, request: InputRequest): JsonObject | undefined {
    const responses = this.#responses;
    if (responses !== undefined && Object.hasOwn(responses, key)) {
      const answer = checkAnswer(key, request, responses[key]);
      (this.#answers ??= new Map(this.#carried?.answers)).set(key, answer);
      return answer;
    }
    return this.#carried?.answers.get(key);
  }

  /** For the dispatcher: the open questions by key, or undefined when nothing is open. */
  static asked(ctx: RequestContext): ReadonlyMap<string, InputRequest> | undefined {
    return ctx.#asked;
  }

  /** For the dispatcher: why the questions cannot be asked, if they cannot. */
  static clash(ctx: RequestContext): TypeError | undefined {
    return ctx.#clash;
  }

  /** For the dispatcher: everything earlier rounds and this one want remembered. */
  static carry(ctx: RequestContext, own: unknown): JsonObject {
    const answers = Object.fromEntries(ctx.#answers ?? ctx.#carried?.answers ?? []);
    // In a list, since JSON leaves out a member that is undefined, and with it that the step has run.
    const done = [...(ctx.#steps ?? ctx.#carried?.steps ?? [])].map(([key, value]) => [
      key,
      value === undefined ? [] : [value],
    ]);
    return { answers, steps: Object.fromEntries(done) as JsonObject, own };
  }

  /** For the dispatcher: steps that run beside an open question. Sealed before they end, they would run again. */
  static async stepsDone(ctx: RequestContext): Promise<void> {
    if (ctx.#running !== undefined) await Promise.allSettled(ctx.#running.values());
  }
}

/** Logging is never what fails a call, so what JSON cannot express goes out as text. `data` is a required member. */
function loggable(data: unknown): unknown {
  try {
    if (JSON.stringify(data) !== undefined) return data;
  } catch {
    if (typeof data === "object") return "[not JSON]"; // A cycle, or a BigInt somewhere inside.
  }
  return String(data);
}

function ignore(): void {
  // The dispatcher reads what was asked from the context.
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

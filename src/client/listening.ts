/**
 * `subscriptions/listen` as its owner sees it: one subscription, over as many streams as it takes.
 *
 * A stream that breaks is followed by another one, under a request of its own. What changed between the two is told by
 * neither, which is what the event `resumed` is for. An end that the server announces is one, unless the owner says
 * otherwise.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { McpError, ProtocolError } from "../protocol/errors.ts";
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import { backOffMs, pause, retryAfterOf } from "./back-off.ts";
import { changeOf, grantedPart } from "./change-notifications.ts";
import { httpFailureOf } from "./http-failure.ts";
import type { Session, SignIns, StreamEnd, StreamSink } from "./session.ts";

/** `resumed`: changes may have been missed, so everything that is listened for is worth a look. */
export type ListenEvent = Change | { readonly type: "resumed" };

export type ListeningState =
  | { readonly phase: "connecting" }
  /** What the server granted of the filter, which may be less than all of it, or nothing. */
  | { readonly phase: "live"; readonly granted: SubscriptionFilter }
  | { readonly phase: "waiting"; readonly ms: number; readonly error: unknown }
  /** For good. `error` is undefined when the server ended it in order, or its owner did; `aborted`: its client was closed. */
  | { readonly phase: "ended"; readonly error: unknown };

export interface ListenOptions {
  /** Called with each event as it comes. What it throws becomes a warning. */
  onEvent?: (event: ListenEvent) => void;
  onState?: (state: ListeningState) => void;
  /** Whether to join again when the server ends the subscription in order, as it does after a while. Default false. */
  rejoinAfterEnd?: boolean;
  /** Closes it when it aborts. */
  signal?: AbortSignal;
}

export interface ListenSurroundings {
  readonly now: () => number;
  readonly random: () => number;
  readonly onWarning: (message: string) => void;
  /** Ends it, with its reason. */
  readonly owner?: AbortSignal;
  readonly signIns?: Readonly<SignIns>;
  /** Waits, or until the signal aborts. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A stream that lives this long was no failure, however it ends. */
const STEADY_MS = 30_000;
/** Our choice: between asking for a stream and its acknowledgment. */
const JOIN_TIMEOUT_MS = 30_000;
/** Our choice: a server may name parts of what is listened for, so the filter's length is no bound. */
const MAX_WAITING = 1_000;

/** −32603 and whatever a server made up may pass; these the same request would get again. */
const FINAL_RPC_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32020, -32021, -32022]);
const FINAL_CODES: ReadonlySet<string> = new Set([
  "aborted",
  "unauthorized",
  "forbidden",
  "redirect_refused",
  "no_common_version",
  "no_common_era",
]);
/** What a provider of tokens may fail with that passes. */
const PASSING_CODES: ReadonlySet<string> = new Set(["connection_failed", "timeout", "http_error"]);
/** Of 4xx, those that time mends: time-out, too early, too many. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

interface Stream extends StreamEnd {
  readonly livedMs: number;
}

/**
 * An open subscription. Iterating it yields its events and ends with it, by throwing where it ended with an error. An
 * iterator that is behind gets each thing once, however often it changed meanwhile. Leaving the loop closes it.
 */
export class Listening implements AsyncIterable<ListenEvent> {
  readonly #session: Pick<Session, "openStream">;
  readonly #filter: SubscriptionFilter;
  readonly #options: ListenOptions & ListenSurroundings;
  readonly #closing = new AbortController();
  readonly #waiting: Map<string, ListenEvent> = new Map();
  #state: ListeningState = { phase: "connecting" };
  #attempts = 0;
  /** Those who wait for the next event or state. */
  #wakes: (() => void)[] = [];
  readonly #close = (): void => this.close();

  constructor(
    session: Pick<Session, "openStream">,
    filter: SubscriptionFilter,
    options: ListenOptions & ListenSurroundings,
  ) {
    this.#session = session;
    this.#filter = filter;
    this.#options = options;
    for (const signal of [options.signal, options.owner]) {
      if (signal?.aborted) this.close();
      signal?.addEventListener("abort", this.#close);
    }
    void this.#run(); // Never rejects: every failure is a state.
  }

  get state(): ListeningState {
    return this.#state;
  }

  /**
   * Resolves with what is granted once it is live: from then on no change is missed without `resumed`.
   *
   * @throws what it ended with, or {McpError} `stream_ended`
   */
  async joined(): Promise<SubscriptionFilter> {
    for (;;) {
      const state = this.#state;
      if (state.phase === "live") return state.granted;
      if (state.phase === "ended") throw state.error ?? new McpError("stream_ended", "The subscription has ended");
      await this.#next();
    }
  }

  /** Ends it. Nothing is delivered afterwards. */
  close(): void {
    if (this.#state.phase === "ended") return;
    this.#waiting.clear();
    // Without a reason unless it is the owner who ends it.
    this.#end(this.#options.owner?.reason);
    this.#closing.abort();
  }

  [Symbol.asyncIterator](): AsyncGenerator<ListenEvent, void, undefined> {
    const events = this.#events();
    const leave = events.return.bind(events);
    // A generator's own would wait for the next event first.
    events.return = (value) => {
      this.close();
      return leave(value);
    };
    return events;
  }

  async *#events(): AsyncGenerator<ListenEvent, void, undefined> {
    try {
      for (;;) {
        for (const [key, event] of this.#waiting) {
          this.#waiting.delete(key);
          yield event;
        }
        if (this.#state.phase !== "ended") await this.#next();
        else if (this.#waiting.size === 0) break;
      }
    } finally {
      this.close();
    }
    if (this.#state.phase === "ended" && this.#state.error !== undefined) throw this.#state.error;
  }

  async #run(): Promise<void> {
    const { random, rejoinAfterEnd, pause: wait = pause } = this.#options;
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      this.#enter({ phase: "connecting" });
      const { how, error, livedMs } = await this.#stream();
      if (this.#closing.signal.aborted) return;
      if (how === "closed") return this.#end(new McpError("aborted", "The client was closed"));
      if (how === "graceful" ? rejoinAfterEnd !== true : isFinal(error, this.#options.signIns)) return this.#end(error);
      failures = livedMs >= STEADY_MS ? 1 : failures + 1;
      const ms = Math.max(backOffMs(failures, random), retryAfterOf(error) ?? 0);
      this.#enter({ phase: "waiting", ms, error });
      await wait(ms, this.#closing.signal);
      this.#attempts += 1;
    }
  }

  /** One stream, from the request for it to its end. */
  async #stream(): Promise<Stream> {
    const { now } = this.#options;
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    let joinedAt: number | undefined;
    let isLate = false;
    const timer = setInterval(() => {
      // A person takes the time they need.
      if (this.#options.signIns?.underWay) return;
      isLate = true;
      leave();
    }, JOIN_TIMEOUT_MS);
    const sink = this.#sink(leaving.signal, () => {
      clearInterval(timer);
      joinedAt = now();
    });
    this.#closing.signal.addEventListener("abort", leave);
    try {
      const end = await this.#session.openStream(this.#filter, sink, leaving.signal);
      if (!isLate) return { ...end, livedMs: joinedAt === undefined ? 0 : now() - joinedAt };
    } catch (error) {
      if (!isLate) return { how: "broken", error, livedMs: 0 };
    } finally {
      clearInterval(timer);
      this.#closing.signal.removeEventListener("abort", leave);
      leave();
    }
    const error = new McpError("timeout", "The server did not acknowledge the subscription");
    return { how: "broken", error, livedMs: 0 };
  }

  #sink(left: AbortSignal, onJoined: () => void): StreamSink {
    let granted: SubscriptionFilter | undefined;
    return {
      acknowledged: (notifications) => {
        if (granted !== undefined || left.aborted) return;
        onJoined();
        granted = grantedPart(this.#filter, notifications);
        this.#enter({ phase: "live", granted });
        if (this.#attempts > 0) this.#deliver({ type: "resumed" });
      },
      notified: (method, params) => {
        // MUST NOT — #acknowledgment: a server sends nothing before it, so what comes all the same is not listened to.
        if (granted === undefined || left.aborted) return;
        const change = changeOf(method, params, granted);
        if (change !== undefined) this.#deliver(change);
      },
    };
  }

  #deliver(event: ListenEvent): void {
    const key = event.type === "resourceUpdated" ? `uri ${event.uri}` : event.type;
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key)) {
      this.#waiting.clear();
      this.#waiting.set("resumed", { type: "resumed" });
    } else {
      this.#waiting.set(key, event);
    }
    this.#tell("onEvent", event);
    this.#wake();
  }

  #enter(state: ListeningState): void {
    if (this.#state.phase === "ended") return;
    this.#state = state;
    this.#tell("onState", state);
    this.#wake();
  }

  #end(error: unknown): void {
    this.#enter({ phase: "ended", error });
    const { signal, owner } = this.#options;
    for (const one of [signal, owner]) one?.removeEventListener("abort", this.#close);
  }

  /** A callback that fails must not end the stream for whoever iterates it. */
  #tell<K extends "onEvent" | "onState">(name: K, value: K extends "onEvent" ? ListenEvent : ListeningState): void {
    try {
      // TypeScript cannot see that the name goes with the value.
      (this.#options[name] as ((value: unknown) => void) | undefined)?.(value);
    } catch (error) {
      this.#options.onWarning(`${name} of a subscription threw ${error instanceof Error ? error.name : typeof error}`);
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#wakes.push(resolve));
  }

  #wake(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }
}

/** Opens a subscription. Several of them know nothing of one another. */
export function listen(
  session: Pick<Session, "openStream">,
  filter: SubscriptionFilter,
  options: ListenOptions & ListenSurroundings,
): Listening {
  return new Listening(session, filter, options);
}

/** Whether the same request would be refused again, or a person asked to sign in again. */
function isFinal(error: unknown, signIns?: Readonly<SignIns>): boolean {
  const code = error instanceof McpError ? error.code : "";
  if (error !== undefined && error === signIns?.failure) return !PASSING_CODES.has(code);
  const status = httpFailureOf(error)?.status ?? 0;
  if (status >= 400 && status < 500) return !PASSING_STATUSES.has(status);
  if (error instanceof ProtocolError) return FINAL_RPC_CODES.has(error.code);
  return FINAL_CODES.has(code);
}

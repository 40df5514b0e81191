/**
 * `Subscriptions`: serves `subscriptions/listen` over a bus, and publishes to it.
 *
 * A listener is registered with the bus first and acknowledged then, so that nothing that changes after the
 * acknowledgment is missed. What is granted is what was asked for, as far as the server has it and the policy allows it.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { ErrorCode, McpError, ProtocolError, UnavailableError } from "../protocol/errors.ts";
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import type { Caller, Exchange } from "../server/exchange.ts";
import { createNotifier, type Notifier } from "../server/notifier.ts";
import type { SubscriptionService, SupportedKinds } from "../server/subscription-service.ts";
import type { Bus } from "./bus.ts";
import { intersect, isEmpty, parseFilter, supportedPart } from "./filter.ts";
import { memoryBus } from "./memory-bus.ts";
import { Deadline } from "./deadline.ts";
import { Slots } from "./slots.ts";
import { type Ending, SubscriptionStream } from "./stream.ts";
import { RETRY_AFTER_MS, unavailable } from "./unavailable.ts";

export interface SubscriptionOptions<Env = unknown> {
  /** What carries changes to the streams. Default: the memory of this process. */
  bus?: Bus<Env>;
  /**
   * Whose changes a caller hears, and whom its own concern: the name of a tenant. Changes never cross from one to
   * another. Must not be empty. Default: all callers are one tenant, `default`.
   */
  tenant?: (caller: Caller<Env>) => string;
  /**
   * Sees the caller and what it wants to hear before it is acknowledged, and returns what it may: all, a part, or `{}`. A
   * `ProtocolError` refuses the request. What is returned beyond what was asked for does not count.
   */
  authorize?: (filter: SubscriptionFilter, caller: Caller<Env>) => SubscriptionFilter | Promise<SubscriptionFilter>;
  /** Streams that may be open at once in this process or isolate; more are refused with 503. Default 500. */
  maxStreams?: number;
  /** Streams of one authenticated subject; more are refused with 429. Default 20. */
  maxStreamsPerPrincipal?: number;
  /**
   * Longest life of a stream in milliseconds, of which up to a fifth is taken off at random, so that they do not all come
   * again at once. It ends with its result. Default one hour.
   */
  maxLifetimeMs?: number;
  /** How long `authorize` and the bus may take together, in milliseconds, before the answer is 503. Default 10,000. */
  openTimeoutMs?: number;
  /** How long a reader may take nothing while there is something for it, in milliseconds. Default 60,000. */
  stallMs?: number;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** From 0 up to 1. Default `Math.random`. */
  random?: () => number;
}

const DEFAULT_TENANT = "default";
const DEFAULT_MAX_STREAMS = 500;
const DEFAULT_MAX_STREAMS_PER_PRINCIPAL = 20;
const DEFAULT_MAX_LIFETIME_MS = 3_600_000;
const DEFAULT_STALL_MS = 60_000;
/** Some hundred notifications: more would be old news to a reader that far behind. */
const MAX_UNREAD_BYTES = 65_536;
const DEFAULT_OPEN_TIMEOUT_MS = 10_000;
/** Timers take no longer delay than 24 days. */
const LONGEST_TICK_MS = 3_600_000;

interface Opening {
  readonly expiresAt: number;
  /** Aborts when the listener has left the bus. */
  readonly signal: AbortSignal;
}

export class Subscriptions<Env = unknown> implements SubscriptionService<Env> {
  readonly #options: SubscriptionOptions<Env>;
  readonly #bus: Bus<Env>;
  readonly #slots: Slots;
  readonly #now: () => number;
  readonly #streams: Set<SubscriptionStream<Env>> = new Set();
  #closed = false;

  /** @throws {TypeError} naming the option that is out of range */
  constructor(options: SubscriptionOptions<Env> = {}) {
    for (const name of ["maxStreams", "maxStreamsPerPrincipal", "maxLifetimeMs", "openTimeoutMs", "stallMs"] as const) {
      const value = options[name];
      if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
        throw new TypeError(`${name}: must be an integer of 1 or more`);
      }
    }
    this.#options = options;
    this.#bus = options.bus ?? memoryBus();
    this.#slots = new Slots({
      total: options.maxStreams ?? DEFAULT_MAX_STREAMS,
      perPrincipal: options.maxStreamsPerPrincipal ?? DEFAULT_MAX_STREAMS_PER_PRINCIPAL,
      retryAfterMs: RETRY_AFTER_MS,
    });
    this.#now = options.now ?? Date.now;
  }

  /** Streams that are open in this process or isolate. */
  get open(): number {
    return this.#slots.taken;
  }

  /** For what changes outside of a request: a cron trigger, a queue, an alarm, another Worker. */
  publisher(env: Env, tenant: string = DEFAULT_TENANT): Notifier {
    const scope = { tenant: assertTenant(tenant), env };
    return createNotifier((changes) => this.#bus.publish(changes, scope));
  }

  publish(changes: readonly Change[], caller: Caller<Env>): Promise<void> {
    return this.#bus.publish(changes, { tenant: this.#tenantOf(caller), env: caller.env });
  }

  /** Ends all streams with their results, and takes no more: for when the process shuts down. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.end("graceful");
  }

  async listen(exchange: Exchange<Env>, supported: SupportedKinds): Promise<Ending> {
    const asked = supportedPart(parseFilter(exchange.params["notifications"]), supported);
    if (this.#closed) throw new UnavailableError("busy", "The server is shutting down", RETRY_AFTER_MS);
    const expiresAt = expiryOf(exchange, this.#now());
    const giveBack = this.#slots.take(exchange.auth?.subject);
    const over = new AbortController();
    try {
      const stream = await this.#open(exchange, asked, { expiresAt, signal: over.signal });
      if (isEmpty(stream.filter)) return "graceful";
      return await this.#last(stream, expiresAt);
    } finally {
      over.abort();
      giveBack();
    }
  }

  /** What comes before the acknowledgment takes its time, but not for ever, and not longer than the caller stays. */
  async #open(exchange: Exchange<Env>, asked: SubscriptionFilter, opening: Opening): Promise<SubscriptionStream<Env>> {
    const { authorize, openTimeoutMs = DEFAULT_OPEN_TIMEOUT_MS, stallMs = DEFAULT_STALL_MS } = this.#options;
    const timely = new Deadline(exchange.signal, openTimeoutMs);
    try {
      const allowed = authorize === undefined ? asked : await timely.of(authorize(asked, exchange));
      const stream = new SubscriptionStream(exchange, intersect(asked, allowed), {
        maxUnreadBytes: MAX_UNREAD_BYTES,
        stallMs,
        expiresAt: opening.expiresAt,
        now: this.#now,
      });
      if (!isEmpty(stream.filter)) await timely.of(this.#subscribe(stream, opening.signal));
      stream.acknowledge();
      return stream;
    } finally {
      timely.clear();
    }
  }

  async #subscribe(stream: SubscriptionStream<Env>, signal: AbortSignal): Promise<void> {
    const { caller } = stream;
    try {
      await this.#bus.subscribe(stream, { tenant: this.#tenantOf(caller), env: caller.env }, signal);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      caller.report(error);
      throw unavailable();
    }
  }

  /** Until the bus, the clock or the caller ends it. */
  async #last(stream: SubscriptionStream<Env>, expiresAt: number): Promise<Ending> {
    const { maxLifetimeMs = DEFAULT_MAX_LIFETIME_MS, random = Math.random, stallMs = DEFAULT_STALL_MS } = this.#options;
    const { signal } = stream.caller;
    const endsAt = Math.min(this.#now() + maxLifetimeMs * (1 - random() / 5), expiresAt);
    let timer: ReturnType<typeof setTimeout> | undefined;
    // One timer, since a thousand streams have a thousand; and of the listener's own request, whoever publishes.
    const tick = (): void => {
      const leftMs = endsAt - this.#now();
      if (leftMs <= 0) return stream.end("graceful");
      stream.checkStall();
      timer = setTimeout(tick, Math.min(leftMs, stallMs, LONGEST_TICK_MS));
    };
    tick();
    const gone = (): void => stream.end("broken");
    signal.addEventListener("abort", gone, { once: true });
    if (signal.aborted) gone();
    this.#streams.add(stream);
    try {
      return await stream.ended;
    } finally {
      this.#streams.delete(stream);
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    }
  }

  #tenantOf(caller: Caller<Env>): string {
    const { tenant } = this.#options;
    return tenant === undefined ? DEFAULT_TENANT : assertTenant(tenant(caller));
  }
}

/** One that is missing by mistake must not make strangers a tenant. */
function assertTenant(tenant: unknown): string {
  if (typeof tenant !== "string" || tenant === "") throw new TypeError("tenant: must be a string that is not empty");
  return tenant;
}

/** MUST NOT — basic/authorization: serve a token beyond its end. @returns milliseconds since the epoch, or infinity */
function expiryOf<Env>({ auth }: Caller<Env>, now: number): number {
  if (auth?.expiresAt === undefined) return Number.POSITIVE_INFINITY;
  if (!Number.isFinite(auth.expiresAt)) throw new TypeError("auth.expiresAt: must be a number of seconds");
  const expiresAt = auth.expiresAt * 1_000;
  if (expiresAt <= now) throw new ProtocolError(ErrorCode.InvalidRequest, "Invalid request: the token has expired");
  return expiresAt;
}

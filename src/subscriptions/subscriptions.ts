/**
 * `Subscriptions`: serves `subscriptions/listen` over a bus, and publishes to it.
 *
 * A listener is registered with the bus first and acknowledged then, so that nothing that changes after the
 * acknowledgment is missed. What is granted is what was asked for, as far as the server has it and the policy allows it.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { McpError, UnavailableError } from "../protocol/errors.ts";
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import type { Caller, Exchange } from "../server/exchange.ts";
import { createNotifier, type Notifier } from "../server/notifier.ts";
import type { SubscriptionService, SupportedKinds } from "../server/subscription-service.ts";
import type { Bus } from "./bus.ts";
import { intersect, isEmpty, parseFilter, supportedPart } from "./filter.ts";
import { memoryBus } from "./memory-bus.ts";
import { Slots } from "./slots.ts";
import { type Ending, SubscriptionStream } from "./stream.ts";

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
const RETRY_AFTER_MS = 5_000;
/** Longest delay that timers take. */
const MAX_TIMER_MS = 2_147_483_647;

export class Subscriptions<Env = unknown> implements SubscriptionService<Env> {
  readonly #options: SubscriptionOptions<Env>;
  readonly #bus: Bus<Env>;
  readonly #slots: Slots;
  readonly #now: () => number;

  /** @throws {TypeError} naming the option that is out of range */
  constructor(options: SubscriptionOptions<Env> = {}) {
    for (const name of ["maxStreams", "maxStreamsPerPrincipal", "maxLifetimeMs", "stallMs"] as const) {
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

  async listen(exchange: Exchange<Env>, supported: SupportedKinds): Promise<Ending> {
    const asked = supportedPart(parseFilter(exchange.params["notifications"]), supported);
    const { authorize } = this.#options;
    const granted = authorize === undefined ? asked : intersect(asked, await authorize(asked, exchange));
    const giveBack = this.#slots.take(exchange.auth?.subject);
    const over = new AbortController();
    const leave = (): void => over.abort();
    exchange.signal.addEventListener("abort", leave, { once: true });
    try {
      const endsAt = this.#endOf(exchange);
      const stream = new SubscriptionStream(exchange, granted, {
        maxUnreadBytes: MAX_UNREAD_BYTES,
        stallMs: this.#options.stallMs ?? DEFAULT_STALL_MS,
        endsAt,
        now: this.#now,
      });
      if (isEmpty(granted)) {
        stream.acknowledge();
        return "graceful";
      }
      await this.#subscribe(stream, over.signal);
      stream.acknowledge();
      return await this.#last(stream, endsAt);
    } finally {
      over.abort();
      giveBack();
    }
  }

  async #subscribe(stream: SubscriptionStream<Env>, signal: AbortSignal): Promise<void> {
    const { caller } = stream;
    try {
      await this.#bus.subscribe(stream, { tenant: this.#tenantOf(caller), env: caller.env }, signal);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      caller.report(error);
      throw new UnavailableError("busy", "Subscriptions are not available right now", RETRY_AFTER_MS);
    }
  }

  /** Until the bus, the clock or the caller ends it. */
  async #last(stream: SubscriptionStream<Env>, endsAt: number): Promise<Ending> {
    const { signal } = stream.caller;
    const gone = (): void => stream.end("broken");
    const timer = setTimeout(() => stream.end("graceful"), Math.min(Math.max(0, endsAt - this.#now()), MAX_TIMER_MS));
    signal.addEventListener("abort", gone, { once: true });
    if (signal.aborted) gone();
    try {
      return await stream.ended;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    }
  }

  /** Milliseconds since the epoch. MUST NOT — basic/authorization: serve a token beyond its end. */
  #endOf({ auth }: Caller<Env>): number {
    const { maxLifetimeMs = DEFAULT_MAX_LIFETIME_MS, random = Math.random } = this.#options;
    const lifetime = maxLifetimeMs * (1 - random() / 5);
    const end = this.#now() + lifetime;
    return auth?.expiresAt === undefined ? end : Math.min(end, auth.expiresAt * 1_000);
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

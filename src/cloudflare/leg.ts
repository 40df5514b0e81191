/**
 * One listener's way to its hub: joins, delivers, and joins anew whenever the link breaks, so that the listener notices
 * nothing, or hears that it missed something.
 *
 * It lives inside the listener's own request and ends with it. Where it stands in the hub's log is all that outlives a
 * link: the hub sends what came after that.
 */
import { McpError } from "../protocol/errors.ts";
import type { Listener } from "../subscriptions/bus.ts";
import { createMatcher } from "../subscriptions/filter.ts";
import { backOffMs } from "./back-off.ts";
import type { Clock } from "./clock.ts";
import { encodeJoin, EVERYTHING, FRAME_VERSIONS, type HubFrame, interestOf, type Position } from "./frames.ts";
import { Link, type Parting } from "./link.ts";

export interface LegTimings {
  /** How long a hub may take to answer a join. 5,000 by default. */
  readonly joinTimeoutMs: number;
  /** How long a listener is kept without a hub before it is ended. 60,000 by default. */
  readonly maxOutageMs: number;
  /** How often a quiet hub's runtime is asked whether it is there, which does not wake the hub. 60,000 by default. */
  readonly probeMs: number;
}

export const DEFAULT_TIMINGS: LegTimings = { joinTimeoutMs: 5_000, maxOutageMs: 60_000, probeMs: 60_000 };

export interface LegOptions {
  readonly listener: Pick<Listener, "filter" | "deliver" | "missed" | "end">;
  /** Wants everything, whatever the filter says, and from that time on: milliseconds since the epoch. */
  readonly allAfter?: number | undefined;
  /** Aborts when the listener leaves. */
  readonly signal: AbortSignal;
  /** Asks the hub for a WebSocket, with the value of the join header. */
  readonly dial: (join: string) => Promise<Response>;
  readonly timings: LegTimings;
  readonly clock: Clock;
  /** 0 (included) to 1 (excluded). */
  readonly random: () => number;
}

/** A link that breaks sooner counts as a failure, so that a hub that lets join and then breaks is not hammered. */
const STEADY_MS = 1_000;

export class Leg {
  readonly #options: LegOptions;
  readonly #interest;
  readonly #matches;
  readonly #joined = Promise.withResolvers<void>();
  /** Of what was last seen; undefined until the first join. */
  #last: Position | undefined;
  /** When the present link was joined. */
  #joinedAt: number | undefined;
  /** When to give up, unless joined by then. */
  #deadline: number;

  constructor(options: LegOptions) {
    this.#options = options;
    const { allAfter, listener } = options;
    this.#interest = allAfter === undefined ? interestOf(listener.filter) : EVERYTHING;
    this.#matches = allAfter === undefined ? createMatcher(listener.filter) : () => true;
    this.#deadline = options.clock.now() + options.timings.joinTimeoutMs;
  }

  /**
   * Resolves once joined, or when the listener left before. To be called once.
   *
   * @throws {McpError} `subscription_unavailable`
   */
  open(): Promise<void> {
    void this.#live();
    return this.#joined.promise;
  }

  async #live(): Promise<void> {
    const { clock, random, signal, timings } = this.#options;
    for (let failures = 0; ;) {
      const parting = await this.#link();
      if (parting.how === "left") return this.#joined.resolve();
      const heldMs = this.#joinedAt === undefined ? 0 : clock.now() - this.#joinedAt;
      if (this.#joinedAt !== undefined) this.#deadline = clock.now() + timings.maxOutageMs;
      failures = heldMs >= STEADY_MS ? 0 : failures + 1;
      const waitMs = backOffMs(failures, random);
      if (this.#isFinal(parting) || clock.now() + waitMs >= this.#deadline) return this.#end(parting);
      await clock.pause(waitMs, signal);
    }
  }

  #link(): Promise<Parting> {
    const { clock, dial, signal, timings } = this.#options;
    this.#joinedAt = undefined;
    const join = encodeJoin({
      versions: FRAME_VERSIONS,
      interest: this.#interest,
      resume: this.#last,
      after: this.#options.allAfter,
    });
    return new Link({
      dial: () => dial(join),
      take: (frame) => this.#take(frame),
      joinTimeoutMs: Math.min(timings.joinTimeoutMs, this.#deadline - clock.now()),
      probeMs: timings.probeMs,
      signal,
    }).live();
  }

  #take(frame: HubFrame): void {
    if (frame.type === "joined") return this.#resume(frame.position, frame.missed);
    for (const { seq, change } of frame.changes) {
      if (this.#options.signal.aborted) return; // A listener may leave because of what it is told.
      if (this.#last === undefined || seq <= this.#last.seq) continue;
      this.#last = { epoch: this.#last.epoch, seq };
      // The hub knows hashes of URIs only, and two URIs may share one.
      if (this.#matches(change)) this.#options.listener.deliver(change);
    }
  }

  #resume(position: Position, missed: boolean): void {
    this.#joinedAt = this.#options.clock.now();
    const before = this.#last;
    const isSameLog = before?.epoch === position.epoch && !missed;
    this.#last = isSameLog ? { epoch: before.epoch, seq: Math.max(before.seq, position.seq) } : position;
    if (before !== undefined && !isSameLog) this.#options.listener.missed();
    this.#joined.resolve();
  }

  /** Whether another attempt would be in vain. A full hub refuses newcomers; whoever was in waits for a seat. */
  #isFinal({ how }: Parting): boolean {
    return how === "version" || (how === "full" && this.#last === undefined);
  }

  #end({ how, cause }: Parting): void {
    if (this.#last === undefined) {
      this.#joined.reject(new McpError("subscription_unavailable", "The hub cannot be joined now", { cause }));
    } else {
      // A client that comes back after a graceful end reaches a Worker of the hub's own version.
      this.#options.listener.end(how === "version" ? "graceful" : "broken");
    }
  }
}

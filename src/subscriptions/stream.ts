/**
 * One open subscription: what the bus delivers, as notifications on the caller's stream.
 *
 * A reader that is behind is owed each thing that changed once, however often it changes meanwhile, so what waits is
 * never more than its filter is long. One that takes nothing at all for long is cut off.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Listener } from "./bus.ts";
import { allChanges, createMatcher } from "./filter.ts";
import { encodeAcknowledgment, encodeChange } from "./notifications.ts";

export type Ending = "graceful" | "broken";

export interface StreamLimits {
  /** Bytes that may lie unread before changes wait instead. */
  readonly maxUnreadBytes: number;
  /** How long changes may wait for a reader, in milliseconds. */
  readonly stallMs: number;
  /** Milliseconds since the epoch; nothing is delivered from then on. */
  readonly endsAt: number;
  readonly now: () => number;
}

export class SubscriptionStream<Env> implements Listener<Env> {
  readonly filter: SubscriptionFilter;
  readonly caller: Exchange<Env>;
  /** Resolves when the subscription is over. */
  readonly ended: Promise<Ending>;
  readonly #limits: StreamLimits;
  readonly #covers: (change: Change) => boolean;
  /** Changes that wait for the reader, by what they are about. */
  readonly #waiting: Map<string, Change> = new Map();
  /** Since when. */
  #waitingSince = 0;
  /** What came before the acknowledgment. */
  #early: Change[] | undefined = [];
  #over = false;
  #end: (how: Ending) => void = () => undefined;

  constructor(caller: Exchange<Env>, granted: SubscriptionFilter, limits: StreamLimits) {
    this.caller = caller;
    this.filter = granted;
    this.#limits = limits;
    this.#covers = createMatcher(granted);
    this.ended = new Promise((resolve) => (this.#end = resolve));
    caller.onRead(() => this.#sendWaiting());
  }

  /** MUST NOT — #acknowledgment: nothing goes out before it. */
  acknowledge(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.caller.notify(encodeAcknowledgment(this.caller.id, this.filter));
    for (const change of early) this.deliver(change);
  }

  deliver(change: Change): void {
    if (this.#over || !this.#covers(change)) return;
    if (this.#early !== undefined) {
      this.#early.push(change);
      return;
    }
    const { now, endsAt, stallMs } = this.#limits;
    // A timer may be late, a token must not be.
    if (now() >= endsAt) return this.end("graceful");
    if (this.#waiting.size === 0 && this.#send(change)) return;
    if (this.#waiting.size === 0) this.#waitingSince = now();
    else if (now() - this.#waitingSince > stallMs) return this.end("broken");
    const key = change.type === "resourceUpdated" ? change.uri : change.type;
    if (!this.#waiting.has(key)) this.#waiting.set(key, change);
  }

  missed(): void {
    for (const change of allChanges(this.filter)) this.deliver(change);
  }

  end(how: Ending): void {
    this.#over = true;
    this.#waiting.clear();
    this.#end(how);
  }

  #send(change: Change): boolean {
    return this.caller.notify(encodeChange(this.caller.id, change), this.#limits.maxUnreadBytes);
  }

  #sendWaiting(): void {
    if (this.#waiting.size === 0) return;
    if (this.#limits.now() >= this.#limits.endsAt) return this.end("graceful");
    this.#waitingSince = this.#limits.now(); // It reads, if slowly.
    for (const [key, change] of this.#waiting) {
      if (!this.#send(change)) return;
      this.#waiting.delete(key);
    }
  }
}

/**
 * One open subscription: what the bus delivers, as notifications on the caller's stream.
 *
 * A reader that is behind is owed each thing that changed once, however often it changes meanwhile, so what waits is
 * never more than its filter is long. One that takes nothing at all for long is cut off.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { type Change, subjectOf, type SubscriptionFilter } from "../protocol/subscription.ts";
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
  /** When the caller's token ends, in milliseconds since the epoch: nothing is delivered from then on. */
  readonly expiresAt: number;
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
  /** When the reader last took something, or had nothing to take. */
  #waitingSince = 0;
  #acknowledged = false;
  #over = false;
  #end: (how: Ending) => void = () => undefined;

  constructor(caller: Exchange<Env>, granted: SubscriptionFilter, limits: StreamLimits) {
    this.caller = caller;
    this.filter = granted;
    this.#limits = limits;
    this.#covers = createMatcher(granted);
    this.ended = new Promise((resolve) => (this.#end = resolve));
    caller.onRead(() => this.#read());
  }

  /** MUST NOT — #acknowledgment: nothing goes out before it. */
  acknowledge(): void {
    this.#acknowledged = true;
    this.caller.notify(encodeAcknowledgment(this.caller.id, this.filter));
    this.#sendWaiting();
  }

  deliver(change: Change): void {
    if (this.#over || !this.#covers(change)) return;
    // A timer may be late, a token must not be.
    if (this.#isExpired()) return this.end("graceful");
    if (this.#waiting.size > 0) this.checkStall();
    else if (this.#acknowledged && this.#send(change)) return;
    else this.#waitingSince = this.#limits.now();
    if (!this.#over) this.#waiting.set(subjectOf(change), change);
  }

  missed(): void {
    for (const change of allChanges(this.filter)) this.deliver(change);
  }

  /** MUST NOT leave a reader in the belief that it heard everything: a graceful end pays first what is owed. */
  end(how: Ending): void {
    if (this.#over) return;
    const owes = this.#waiting.size > 0;
    const pays = how === "graceful" && owes && !this.#isExpired();
    if (pays) for (const change of this.#waiting.values()) this.caller.notify(this.#encode(change));
    this.#over = true;
    this.#waiting.clear();
    this.#end(owes && !pays ? "broken" : how);
  }

  /** Cuts off a reader that has taken nothing for too long. To be called from time to time. */
  checkStall(): void {
    const { now, stallMs } = this.#limits;
    if (this.#acknowledged && this.#waiting.size > 0 && now() - this.#waitingSince > stallMs) this.end("broken");
  }

  #read(): void {
    if (this.#waiting.size === 0) return;
    if (this.#isExpired()) return this.end("graceful");
    this.#waitingSince = this.#limits.now(); // It reads, if slowly.
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    for (const [subject, change] of this.#waiting) {
      if (!this.#send(change)) return;
      this.#waiting.delete(subject);
    }
  }

  #send(change: Change): boolean {
    return this.caller.notify(this.#encode(change), this.#limits.maxUnreadBytes);
  }

  #encode(change: Change): string {
    return encodeChange(this.caller.id, change);
  }

  #isExpired(): boolean {
    return this.#limits.now() >= this.#limits.expiresAt;
  }
}

/**
 * When a request is given up: after silence, after a hard maximum, or when its caller says so.
 *
 * One timer serves both limits, and hearing something only notes the time: progress may come a hundred thousand times a
 * second. It reads the monotonic clock, because a wall clock that is set back would keep a request for hours.
 *
 * @see spec 2026-07-28 basic/patterns/cancellation#timeouts
 */
import { McpError } from "../protocol/errors.ts";
import type { RequestOptions } from "./session.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_TIMEOUT_MS = 600_000;
/** What timers hold. Longer ones would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Nothing is later or more than NaN, so it would be no bound at all. @throws {TypeError} */
export function assertNumbers(options: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (Number.isNaN(value)) throw new TypeError(`${name} is not a number`);
  }
}

export class Deadline {
  readonly #controller = new AbortController();
  /** Aborts with an `McpError`: `timeout` or `aborted`. */
  readonly signal = this.#controller.signal;
  readonly #caller: AbortSignal | undefined;
  readonly #owner: AbortSignal;
  readonly #timeoutMs: number;
  #latest: number;
  #heard = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting: (() => void)[] = [];

  /** @param owner gives up whatever belongs to it, with its reason as it is */
  constructor({ signal, timeoutMs, maxTimeoutMs }: RequestOptions, owner: AbortSignal) {
    assertNumbers({ timeoutMs, maxTimeoutMs });
    this.#caller = signal;
    this.#owner = owner;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#latest = this.#heard + (maxTimeoutMs ?? DEFAULT_MAX_TIMEOUT_MS);
    if (owner.aborted) this.#disowned();
    else if (signal?.aborted) this.#cancelled();
    else {
      signal?.addEventListener("abort", this.#cancelled);
      owner.addEventListener("abort", this.#disowned);
      this.#arm();
    }
  }

  /** Starts the time of silence anew. */
  heard(): void {
    this.#heard = performance.now();
  }

  /** The outcome of `work`, or the reason for giving up, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(this.signal.reason as Error); // An McpError, or the owner's reason.
      // A list of callbacks, because listeners of a signal cost as much as all the rest of a small request.
      if (this.signal.aborted) giveUp();
      else this.#waiting.push(giveUp);
      work.then(resolve, reject);
    });
  }

  /** The same without the clock running: for what a person may have to do. The caller may still give up. */
  async unhurried<T>(work: Promise<T>): Promise<T> {
    const since = performance.now();
    clearTimeout(this.#timer);
    try {
      return await this.race(work);
    } finally {
      this.heard();
      this.#latest += this.#heard - since;
      if (!this.signal.aborted) this.#arm();
    }
  }

  /** Leaves no timer and no listener behind. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancelled);
    this.#owner.removeEventListener("abort", this.#disowned);
  }

  /** Gives up now, for this reason. */
  abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
    for (const giveUp of this.#waiting) giveUp();
  }

  readonly #cancelled = (): void => {
    this.abort(new McpError("aborted", "The request was cancelled by its caller", { cause: this.#caller?.reason }));
  };

  readonly #disowned = (): void => this.abort(this.#owner.reason);

  #arm(): void {
    const now = performance.now();
    const due = Math.min(this.#heard + this.#timeoutMs, this.#latest);
    if (due === Infinity) return;
    // Timers may fire a fraction of a millisecond early.
    if (due - now < 1 && this.#timer !== undefined) {
      const why = due === this.#latest ? "took too long in all" : "brought nothing in time";
      return this.abort(new McpError("timeout", `The request ${why}`));
    }
    this.#timer = setTimeout(() => this.#arm(), Math.min(Math.max(Math.ceil(due - now), 0), LONGEST_TIMER_MS));
  }
}

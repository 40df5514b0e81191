/**
 * One at a time: callers that need the same join what is under way, and what differs waits for its turn.
 */
import { McpError } from "../../protocol/errors.ts";
import { assertWanted, orAbort } from "../or-abort.ts";

interface Flight {
  readonly outcome: Promise<void>;
  readonly stop: AbortController;
  passengers: number;
}

export interface FlightOptions {
  /** How long one may take. */
  readonly limitMs: number;
  /** Whether it goes on without passengers, since what it spends cannot be spent again. */
  readonly endures: boolean;
}

export class OneFlight {
  readonly #options: FlightOptions;
  readonly #flights = new Map<string, Flight>();
  /** Those that are under way or wait for their turn. */
  readonly #stops = new Set<AbortController>();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: FlightOptions) {
    this.#options = options;
  }

  /**
   * Joins the flight of this key, or starts it when the others have landed. Unless it endures, the flight is given up when all
   * its passengers have been.
   *
   * @throws {McpError} `aborted` by the passenger's own signal, `timeout` at the limit
   */
  async join(
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    assertWanted(signal);
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.passengers++;
    try {
      await orAbort(flight.outcome, signal);
    } finally {
      flight.passengers--;
      if (flight.passengers === 0 && !this.#options.endures) {
        flight.stop.abort();
        // Whoever comes now would find it dying.
        this.#end(key, flight);
      }
    }
  }

  /** Gives up all flights. */
  stop(reason: McpError): void {
    this.#flights.clear();
    for (const stop of this.#stops) stop.abort(reason);
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<void>): Flight {
    const stop = new AbortController();
    const turn = this.#queue.then(() => this.#fly(work, stop));
    // Nobody waits for one that was stopped: its work may not heed that.
    const outcome = orAbort(turn, stop.signal);
    const flight: Flight = { outcome, stop, passengers: 0 };
    this.#stops.add(stop);
    // Its passengers hear how it ended; those who wait for their turn only that it has.
    const before = this.#queue;
    const over = outcome.catch(() => undefined).finally(() => this.#end(key, flight));
    this.#queue = Promise.all([before, over]).then(() => undefined);
    this.#flights.set(key, flight);
    return flight;
  }

  async #fly(work: (signal: AbortSignal) => Promise<void>, stop: AbortController): Promise<void> {
    assertWanted(stop.signal);
    const timer = setTimeout(
      () => stop.abort(new McpError("timeout", "Authorization took too long")),
      this.#options.limitMs,
    );
    stop.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    try {
      await work(stop.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #end(key: string, flight: Flight): void {
    this.#stops.delete(flight.stop);
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

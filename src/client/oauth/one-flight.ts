/**
 * One at a time: callers that need the same join what is under way, and what differs waits for its turn.
 */
import { orAbort } from "./or-abort.ts";

interface Flight {
  readonly outcome: Promise<void>;
  readonly stop: AbortController;
  passengers: number;
}

export class OneFlight {
  readonly #flights = new Map<string, Flight>();
  #queue: Promise<void> = Promise.resolve();

  /**
   * Joins the flight of this key, or starts it when the others have landed. The flight is given up when all its passengers have
   * been.
   *
   * @throws {McpError} `aborted` by the passenger's own signal
   */
  async join(
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.passengers++;
    try {
      await orAbort(flight.outcome, signal);
    } finally {
      flight.passengers--;
      if (flight.passengers === 0) {
        flight.stop.abort();
        // Whoever comes now would find it dying.
        this.#end(key, flight);
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<void>): Flight {
    const stop = new AbortController();
    const outcome = this.#queue.then(() => {
      stop.signal.throwIfAborted();
      return work(stop.signal);
    });
    const flight: Flight = { outcome, stop, passengers: 0 };
    // Its passengers hear how it ended; those who wait for their turn only that it has.
    this.#queue = outcome.catch(() => undefined).finally(() => this.#end(key, flight));
    this.#flights.set(key, flight);
    return flight;
  }

  #end(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

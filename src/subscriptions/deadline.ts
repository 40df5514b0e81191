/**
 * A limit to what somebody else's code may take, and an end to it when the caller has gone.
 */
import { unavailable } from "./unavailable.ts";

export class Deadline {
  readonly #over: Promise<never>;
  #clear: () => void = () => undefined;

  constructor(signal: AbortSignal, limitMs: number) {
    this.#over = new Promise((_resolve, reject) => {
      const end = (): void => reject(unavailable());
      const timer = setTimeout(end, limitMs);
      signal.addEventListener("abort", end, { once: true });
      this.#clear = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
      };
      if (signal.aborted) end();
    });
    this.#over.catch(ignore);
  }

  /** What the work comes to, if it does so in time. @throws {UnavailableError} */
  of<T>(work: T | Promise<T>): Promise<T> {
    return Promise.race([work, this.#over]);
  }

  /** To be called when all is done. */
  clear(): void {
    this.#clear();
  }
}

function ignore(): void {
  // Nobody may have asked for anything when it is over.
}

/** Time as a parameter: what tells it, and what lets it pass. */

export interface Clock {
  /** Milliseconds. */
  readonly now: () => number;
  /** Resolves after a time, or at once when the signal aborts. */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), pause };

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}

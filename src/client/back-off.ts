/**
 * How long to wait before asking again, and what to wait for. The clock and the dice come from outside.
 */
import { isObject } from "../protocol/json-rpc.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Our choice: a server that asks for more is asked again after an hour all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * The wait after `failures` failures in a row: up to 1 s after the first, then between half and all of 2 s, 4 s, and so
 * on to 30 s, so that clients which lost the same server do not come back at the same moment.
 *
 * @param failures 1 or more
 * @param random yields 0 (included) to 1 (excluded), as `Math.random` does
 */
export function backOffMs(failures: number, random: () => number): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return failures <= 1 ? random() * longest : longest * (0.5 + random() / 2);
}

/** `Retry-After`, which is seconds or a date. @returns undefined when there is none, or none that can be read */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? "";
  return bounded(/^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now);
}

/** How long the peer asked to be left alone: `retryAfterMs` of an error, of its cause, or of the data that came with it. */
export function retryAfterOf(error: unknown): number | undefined {
  if (!isObject(error)) return undefined;
  for (const holder of [error, error["cause"], error["data"]]) {
    const ms = isObject(holder) ? holder["retryAfterMs"] : undefined;
    if (typeof ms === "number") return bounded(ms);
  }
  return undefined;
}

/** Resolves after that time, or once the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    if (signal?.aborted === true) done();
    else signal?.addEventListener("abort", done);
  });
}

function bounded(ms: number): number | undefined {
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

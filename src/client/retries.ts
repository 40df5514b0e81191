/**
 * Asking again after a failure of the way there or back, for requests that do no harm when they are served twice.
 */
import { McpError } from "../protocol/errors.ts";
import { pause, retryAfterOf } from "./back-off.ts";
import { Deadline, DEFAULT_MAX_TIMEOUT_MS } from "./deadline.ts";
import { httpFailureOf } from "./http-failure.ts";
import type { RequestOptions } from "./session.ts";

export interface Retrying {
  /** How often to ask again. */
  readonly retries: number;
  readonly random: () => number;
  readonly options: RequestOptions;
  /** Ends the pauses too, with its reason. */
  readonly owner: AbortSignal;
}

/** Somebody may be waiting for this answer, so the first retry comes soon. */
const FIRST_WAIT_MS = 250;
/** A server that wants to be left alone for longer gets its way: the error goes to the caller. */
const MAX_WAIT_MS = 30_000;

/** @param send is to use another id each time; its options leave it what remains of the time for all sends together */
export async function withRetries<T>(
  send: (options: RequestOptions) => Promise<T>,
  { retries, random, options, owner }: Retrying,
): Promise<T> {
  const latest = performance.now() + (options.maxTimeoutMs ?? DEFAULT_MAX_TIMEOUT_MS);
  for (let failures = 0; ; failures++) {
    try {
      return await send({ ...options, maxTimeoutMs: latest - performance.now() });
    } catch (error) {
      if (failures >= retries || !isPassing(error)) throw error;
      const jittered = FIRST_WAIT_MS * 2 ** Math.min(failures, 10) * (0.5 + random() / 2);
      const ms = Math.max(jittered, retryAfterOf(error) ?? 0);
      if (ms > Math.min(MAX_WAIT_MS, latest - performance.now())) throw error;
      const deadline = new Deadline({ ...options, timeoutMs: Infinity, maxTimeoutMs: Infinity }, owner);
      await deadline.race(pause(ms, deadline.signal)).finally(() => deadline.end());
    }
  }
}

/** The server was not reached, or it was lost on the way, or something in front of it says that it is not there. */
function isPassing(error: unknown): boolean {
  const status = httpFailureOf(error)?.status ?? 0;
  if (status >= 502 && status <= 504) return true;
  return error instanceof McpError && (error.code === "connection_failed" || error.code === "stream_ended");
}

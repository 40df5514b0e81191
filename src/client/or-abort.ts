/** Settles with the promise, or rejects as soon as the signal aborts, for work that may not heed the signal itself. */
import { McpError } from "../protocol/errors.ts";

/** @throws {McpError} `aborted`, or the error that the signal was aborted with */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(givenUp(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    // Rejections go to `reject`, so what `finally` makes of them concerns nobody.
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** @throws {McpError} as `orAbort` */
export function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw givenUp(signal);
}

function givenUp({ reason }: AbortSignal): McpError {
  return reason instanceof McpError ? reason : new McpError("aborted", "This was given up", { cause: reason });
}

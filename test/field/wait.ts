/** A call that takes a given time and reports progress meanwhile. */
import type { RequestContext } from "../../src/index.ts";
import { probe } from "./probe.ts";

const STEP_MS = 10;
/** JSON can ask for 1e21 milliseconds; timers take less than 2^31 and would fire at once. */
const MAX_WAIT_MS = 60_000;

export interface WaitOptions {
  /** Goes on when the caller is gone, and writes all the same. */
  stubborn?: boolean;
}

export async function wait(ms: number, ctx: RequestContext, { stubborn = false }: WaitOptions = {}): Promise<string> {
  const limit = Math.min(Math.max(ms, 0), MAX_WAIT_MS);
  const { signal } = ctx;
  signal.addEventListener("abort", probe.aborted, { once: true });
  probe.started();
  try {
    for (let waited = 0; waited < limit; waited += STEP_MS) {
      if (signal.aborted && !stubborn) break;
      await pause(Math.min(STEP_MS, limit - waited));
      ctx.progress(waited + STEP_MS, limit);
      if (stubborn) ctx.log("error", `Waited ${waited + STEP_MS} ms`);
    }
    return `Waited ${limit} ms.`;
  } finally {
    probe.ended();
    signal.removeEventListener("abort", probe.aborted);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

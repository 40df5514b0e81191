/** What happened in this isolate since the last reset, for cases about calls that must not run and calls that must end. */

export interface Counters {
  calls: Record<string, number>;
  /** Waits whose signal fired. */
  aborted: number;
  /** Waits that have not ended. */
  running: number;
}

const calls: Map<string, number> = new Map();
let aborted = 0;
let running = 0;

export const probe = {
  called(tool: string): void {
    calls.set(tool, (calls.get(tool) ?? 0) + 1);
  },
  /** An arrow function, because it is a listener. */
  aborted: (): void => {
    aborted += 1;
  },
  started(): void {
    running += 1;
  },
  ended(): void {
    running -= 1;
  },
  /** `running` stays: what runs goes on running. */
  reset(): void {
    calls.clear();
    aborted = 0;
  },
  read(): Counters {
    return { calls: Object.fromEntries(calls), aborted, running };
  },
};

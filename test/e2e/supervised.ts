/**
 * Starts Node programs that end with the process that started them, and can be stopped as a whole.
 */
import { spawn } from "node:child_process";

export interface Supervised {
  /** What it printed so far, both streams, as far as it is worth keeping. */
  output(): string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  /** Ends it and everything it started. Safe to call twice. */
  stop(): Promise<void>;
}

/** Enough for any start-up message; a program that prints for an hour must not fill the memory of the tests. */
const MAX_OUTPUT_LENGTH = 262_144;
const GRACE_MS = 5_000;

export function startSupervised(
  script: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string>; onOutput?: (text: string) => void },
): Supervised {
  const { cwd, env, onOutput } = options;
  // A group of its own, so that what the program starts can be ended with it.
  const child = spawn(process.execPath, [`${import.meta.dirname}/supervise.ts`, script, ...args], {
    cwd,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH);
      onOutput?.(text);
    });
  }
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
  ended.catch(() => {}); // Whoever waits for it hears of it; a stopped program has nobody waiting.

  return {
    output: () => output,
    ended,
    async stop() {
      if (pid === undefined) return;
      child.kill("SIGTERM");
      const grace = setTimeout(() => killGroup(pid), GRACE_MS);
      await ended.catch(() => {});
      clearTimeout(grace);
      killGroup(pid); // Whatever outlived its parent.
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // process.kill() throws system errors only.
  }
}

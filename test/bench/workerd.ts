/**
 * workerd processes with one Worker each, on loopback. Whoever starts one ends it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** The bench keeps to the ports from here on. */
export const FIRST_PORT = 8841;
const HOST = "127.0.0.1";
const COMPATIBILITY_DATE = "2026-11-01";

/** The package names the executable of this platform, and comes without types. */
const { default: WORKERD } = createRequire(import.meta.url)("workerd") as { default: string };

export interface Worker {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Writes what workerd needs to a folder that lives as long as `run` does.
 *
 * @param durableObjects by the names of Workers: the Durable Object class that one exports
 */
export async function withWorkerFiles<T>(
  sources: ReadonlyMap<string, string>,
  run: (folder: string) => Promise<T>,
  durableObjects: ReadonlyMap<string, string> = new Map(),
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-edge-bench-"));
  try {
    for (const [name, source] of sources) {
      await writeFile(join(folder, `${name}.js`), source);
      const className = durableObjects.get(name);
      const disk = join(folder, `${name}-disk`);
      if (className !== undefined) await mkdir(disk);
      await writeFile(
        join(folder, `${name}.capnp`),
        config(name, className === undefined ? undefined : { className, disk }),
      );
    }
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves once it listens, by which time the Worker's global scope has run. */
export async function startWorker(folder: string, name: string, port: number): Promise<Worker> {
  const args = ["serve", join(folder, `${name}.capnp`), "--socket-addr", `http=${HOST}:${port}`, "--control-fd", "3"];
  const child = spawn(WORKERD, args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  endWithUs(child);
  const { pid } = child;
  if (pid === undefined) throw new Error("workerd did not start");
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    await listening(child, name);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    port,
    pid,
    stop: async () => {
      child.kill("SIGKILL"); // Nothing it holds is worth a graceful end, and it would wait for idle connections.
      await gone;
    },
  };
}

const running = new Set<ChildProcess>();

/** A run that is broken off leaves no process behind. */
function endWithUs(child: ChildProcess): void {
  if (!process.listeners("exit").includes(killAll)) {
    process.on("exit", killAll);
    process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143));
  }
  running.add(child);
  child.once("exit", () => running.delete(child));
}

function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

function listening(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const control = child.stdio[3] as Readable; // A pipe that the child writes.
    control.once("data", () => resolve());
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`workerd of ${name} ended with ${code}`)));
  });
}

interface Objects {
  readonly className: string;
  /** A folder of their own: SQLite is to be had on disk only. */
  readonly disk: string;
}

function config(name: string, objects: Objects | undefined): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "${name}.js")],
    compatibilityDate = "${COMPATIBILITY_DATE}",
    compatibilityFlags = ["enable_request_signal"],${objects === undefined ? "" : durable(name, objects)}
  ))${objects === undefined ? "" : `, (name = "disk", disk = (path = "${objects.disk}", writable = true))`}],
  sockets = [(name = "http", address = "${HOST}:0", http = (), service = "main")],
);
`;
}

function durable(name: string, { className }: Objects): string {
  return `
    durableObjectNamespaces = [(className = "${className}", uniqueKey = "${name}", enableSql = true)],
    durableObjectStorage = (localDisk = "disk"),`;
}

/** CPU time of a process so far, in microseconds and of all its threads, or NaN where Linux does not say. */
export async function cpuMicroseconds(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = await Promise.all(tasks.map((task) => procFile(pid, `task/${task}/schedstat`)));
  // The first number is nanoseconds on a CPU; `stat` counts in hundredths of a second, too coarse for short slices.
  return times.reduce((sum, line) => sum + Number(line.split(" ")[0]), times.length === 0 ? Number.NaN : 0) / 1_000;
}

/** Resident memory of a process in MB, or NaN where there is no `/proc`. */
export async function residentMegabytes(pid: number): Promise<number> {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(await procFile(pid, "status"));
  return found === null ? Number.NaN : Number(found[1]) / 1024;
}

async function procFile(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}

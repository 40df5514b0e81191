/**
 * Runs a Worker on workerd by `wrangler dev`, for tests that talk to it over HTTP.
 *
 * Contract: `startWrangler` resolves once the Worker answers, and rejects, with what wrangler printed, when it does not
 * build, exits, or takes longer than a minute. Nothing outlives `stop()`, nor the process that called `startWrangler`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSupervised, type Supervised } from "./supervised.ts";

export interface WranglerOptions {
  /** Default a free one. */
  port?: number;
  /** Variables that the Worker finds in its `env`. */
  vars?: Record<string, string>;
}

export interface RunningWorker {
  /** Without a path or a trailing slash, such as `http://127.0.0.1:40000`. */
  readonly url: string;
  readonly port: number;
  /** What wrangler and the Worker printed so far. */
  output(): string;
  stop(): Promise<void>;
}

const ROOT = resolve(import.meta.dirname, "../..");
const START_LIMIT_MS = 60_000;
const POLL_MS = 100;
/** A request that comes in while workerd starts may never be answered, so patience is worse than another try. */
const ANSWER_LIMIT_MS = 2_000;

/** Between finding a free port and listening on it, another process may take it. */
const PORT_ATTEMPTS = 3;

/** @param configs path of the wrangler.toml, from the root of the repository; of further Workers beside the first */
export async function startWrangler(
  configs: string | readonly string[],
  options: WranglerOptions = {},
): Promise<RunningWorker> {
  if (options.port !== undefined) return startOn(options.port, configs, options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await findFreePort(), configs, options);
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !String(error).includes("Address already in use")) throw error;
    }
  }
}

async function startOn(
  port: number,
  configs: string | readonly string[],
  options: WranglerOptions,
): Promise<RunningWorker> {
  // Storage, logs and the registry of local Workers: of this run alone, so that runs do not meet.
  const scratch = await mkdtemp(join(tmpdir(), "mcp-edge-wrangler-"));
  const vars = Object.entries(options.vars ?? {}).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const at = ["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"];
  const wrangler = startSupervised(
    `${ROOT}/node_modules/wrangler/bin/wrangler.js`,
    [
      "dev",
      ...[configs].flat().flatMap((config) => ["-c", config]),
      ...at,
      "--persist-to",
      join(scratch, "state"),
      ...vars,
    ],
    { cwd: ROOT, env: environment(scratch) },
  );
  const stop = async (): Promise<void> => {
    await wrangler.stop();
    await rm(scratch, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilAnswering(url, wrangler);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, output: () => wrangler.output(), stop };
}

function environment(scratch: string): Record<string, string> {
  return {
    CLOUDFLARE_CF_FETCH_ENABLED: "false", // `Request.cf` would come from the network.
    FORCE_COLOR: "0",
    WRANGLER_LOG_PATH: join(scratch, "logs"),
    WRANGLER_REGISTRY_PATH: join(scratch, "registry"),
    WRANGLER_SEND_METRICS: "false",
  };
}

async function waitUntilAnswering(url: string, wrangler: Supervised): Promise<void> {
  let exited = false;
  const onExit = (): void => {
    exited = true;
  };
  wrangler.ended.then(onExit, onExit);
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    if (await answers(url)) return;
    // A build that fails leaves wrangler waiting for the next edit.
    if (exited || wrangler.output().includes("[ERROR]")) break;
    await sleep(POLL_MS);
  }
  throw new Error(`wrangler dev did not come up at ${url}:\n${wrangler.output()}`);
}

/** Any answer will do: a Worker with one endpoint says 404 here. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false; // Not listening yet, or still building.
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

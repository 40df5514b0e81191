/**
 * Runs the official suite's server scenarios of one revision against the fixture Worker on workerd.
 *
 * Contract: what a revision requires is read from the suite's own frozen list. A scenario that should count and left no
 * result counts as failed. There is no list of expected failures. Nothing outlives the returned promise.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSupervised } from "../e2e/supervised.ts";
import { startWrangler } from "../e2e/wrangler-dev.ts";

export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
}

export interface ScenarioResult {
  readonly scenario: string;
  /** `scored`: the revision requires it. `extra`: we require it. `unscored`: reported only. */
  readonly standing: "scored" | "extra" | "unscored";
  readonly checks: readonly Check[];
}

export interface ConformanceReport {
  readonly revision: string;
  readonly scenarios: readonly ScenarioResult[];
}

export interface ConformanceOptions {
  /** Only these scenarios, instead of everything that the revision lists. */
  only?: readonly string[];
  signal?: AbortSignal;
  /** Receives what the suite prints. */
  onOutput?: (text: string) => void;
}

const ROOT = resolve(import.meta.dirname, "../..");
const SUITE = `${ROOT}/node_modules/@modelcontextprotocol/conformance`;
const RUN_LIMIT_MS = 300_000;

/** Not scored, because the suite's own reference fixture fails them. This project is to pass them. */
const EXTRA: ReadonlyMap<string, readonly string[]> = new Map([
  ["2026-07-28", ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"]],
]);

export async function runServerConformance(
  revision: string,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const scored = await readRequired(revision);
  const extra = EXTRA.get(revision) ?? [];
  const { only, onOutput } = options;
  const limit = AbortSignal.timeout(RUN_LIMIT_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  const results = await mkdtemp(join(tmpdir(), "mcp-edge-conformance-"));
  const worker = await startWrangler("test/conformance/wrangler.toml");
  try {
    const common = ["server", "--url", `${worker.url}/mcp`, "--output-dir", results];
    const runs = only?.map((scenario) => ["--scenario", scenario, "--spec-version", revision]);
    for (const run of runs ?? [["--requirements", revision]]) await runSuite([...common, ...run], signal, onOutput);
    const found = await readResults(results);
    const all = new Set([...(only ?? [...scored, ...extra]), ...found.keys()]);
    const scenarios = [...all].map((scenario): ScenarioResult => {
      const standing = scored.includes(scenario) ? "scored" : extra.includes(scenario) ? "extra" : "unscored";
      return { scenario, standing, checks: found.get(scenario) ?? [NO_RESULT] };
    });
    return { revision, scenarios };
  } finally {
    await worker.stop();
    await rm(results, { recursive: true, force: true });
  }
}

const NO_RESULT: Check = {
  id: "no-result",
  status: "FAILURE",
  description: "The scenario leaves a result",
  errorMessage: "The suite wrote no result; see its output",
};

/** The `server:` list of the suite's requirements file, which has one `- name` a line. */
async function readRequired(revision: string): Promise<readonly string[]> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(revision)) throw new TypeError(`not a revision: ${revision}`);
  const yaml = await readFile(`${SUITE}/requirements/${revision}.yaml`, "utf8");
  const [, list = ""] = /^server:\n((?: *- .*\n|\n|#.*\n)*)/m.exec(yaml) ?? [];
  const names = [...list.matchAll(/^ *- (\S+)/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`no server scenarios in the requirements of ${revision}`);
  return names;
}

async function runSuite(args: readonly string[], signal: AbortSignal, onOutput = (_text: string) => {}): Promise<void> {
  signal.throwIfAborted();
  const suite = startSupervised(`${SUITE}/dist/index.js`, args, { cwd: tmpdir(), onOutput });
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }); // A DOMException, or the caller's own.
  });
  try {
    // The exit code says less than the results do.
    await Promise.race([suite.ended, aborted]);
  } finally {
    await suite.stop();
  }
}

/** Folders are named `server-<scenario>-<time>`. */
async function readResults(folder: string): Promise<Map<string, readonly Check[]>> {
  const found = new Map<string, readonly Check[]>();
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name) ?? [];
    if (scenario === undefined) continue;
    const file = await readFile(join(folder, name, "checks.json"), "utf8").catch(() => undefined);
    if (file !== undefined) found.set(scenario, JSON.parse(file) as Check[]); // The suite's documented form.
  }
  return found;
}

/** A scenario passes when none of its checks failed; warnings are advice. */
export function hasPassed({ checks }: ScenarioResult): boolean {
  return checks.every(({ status }) => status !== "FAILURE");
}

/** What makes a run fail: failed checks of every scenario that counts. */
export function failuresOf({ scenarios }: ConformanceReport): string[] {
  return scenarios.filter(({ standing }) => standing !== "unscored").flatMap((result) => linesOf(result, "FAILURE"));
}

/** One line for each check of that status. */
export function linesOf({ scenario, checks }: ScenarioResult, status: Check["status"]): string[] {
  return checks
    .filter((check) => check.status === status)
    .map(({ id, description, errorMessage }) => `${scenario} / ${id}: ${errorMessage ?? description}`);
}

/**
 * The official suite as these runs use it: what a revision requires, one run of it, and the results that it leaves.
 *
 * Contract: what a revision requires is read from the suite's own frozen list. A scenario that should count and left no
 * result counts as failed. There is no list of expected failures.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { startSupervised } from "../e2e/supervised.ts";

export type Leg = "server" | "client";

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
  readonly leg: Leg;
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

export const ROOT = resolve(import.meta.dirname, "../..");
const SUITE = `${ROOT}/node_modules/@modelcontextprotocol/conformance`;
const RUN_LIMIT_MS = 300_000;

/** Not scored, because they are extensions, came later, or fail on the suite's own fixture. This project is to pass them. */
const EXTRA: Readonly<Record<Leg, ReadonlyMap<string, readonly string[]>>> = {
  server: new Map([
    ["2026-07-28", ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"]],
  ]),
  client: new Map([
    [
      "2026-07-28",
      [
        "json-schema-2020-12-preservation",
        "auth/client-credentials-jwt",
        "auth/client-credentials-basic",
        "auth/enterprise-managed-authorization",
        "auth/dpop",
        "auth/dpop-nonce",
        "auth/wif-jwt-bearer",
      ],
    ],
  ]),
};

export interface LegRun {
  readonly leg: Leg;
  readonly revision: string;
  /** Of the suite, beside what names the scenarios and the folder for results. */
  readonly args: readonly string[];
}

/** Runs what a revision requires of one side, or only the scenarios named. */
export async function runLeg(
  { leg, revision, args }: LegRun,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const scored = await readRequired(leg, revision);
  const extra = EXTRA[leg].get(revision) ?? [];
  const { only, onOutput } = options;
  const limit = AbortSignal.timeout(RUN_LIMIT_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  const results = await mkdtemp(join(tmpdir(), "mcp-edge-conformance-"));
  try {
    const common = [leg, ...args, "--output-dir", results];
    const runs = only?.map((scenario) => ["--scenario", scenario, "--spec-version", revision]);
    for (const run of runs ?? [["--requirements", revision]]) await runSuite([...common, ...run], signal, onOutput);
    const found = await readResults(leg, results);
    const all = new Set([...(only ?? [...scored, ...extra]), ...found.keys()]);
    const scenarios = [...all].map((scenario): ScenarioResult => {
      const standing = scored.includes(scenario) ? "scored" : extra.includes(scenario) ? "extra" : "unscored";
      return { scenario, standing, checks: found.get(scenario) ?? [NO_RESULT] };
    });
    return { leg, revision, scenarios };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

const NO_RESULT: Check = {
  id: "no-result",
  status: "FAILURE",
  description: "The scenario leaves a result",
  errorMessage: "The suite wrote no result; see its output",
};

/** The list of one side in the suite's requirements file, which has one `- name` a line. */
async function readRequired(leg: Leg, revision: string): Promise<readonly string[]> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(revision)) throw new TypeError(`not a revision: ${revision}`);
  const yaml = await readFile(`${SUITE}/requirements/${revision}.yaml`, "utf8");
  const [, list = ""] = new RegExp(`^${leg}:\\n((?: *- .*\\n|\\n|#.*\\n)*)`, "m").exec(yaml) ?? [];
  const names = [...list.matchAll(/^ *- (\S+)/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`no ${leg} scenarios in the requirements of ${revision}`);
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

/** Folders are named after the scenario, whose name may hold slashes, and the time; those of servers say so. */
async function readResults(leg: Leg, folder: string): Promise<Map<string, readonly Check[]>> {
  const found = new Map<string, readonly Check[]>();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith("/checks.json")) continue;
    const name = relative(folder, dirname(join(folder, file)));
    const [, scenario] = /^(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name) ?? [];
    if (scenario === undefined) continue;
    const checks = JSON.parse(await readFile(join(folder, file), "utf8")) as Check[]; // The suite's documented form.
    found.set(leg === "server" ? scenario.replace(/^server-/, "") : scenario, checks);
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

import { expect, it } from "vitest";
import { runClientConformance } from "../conformance/client-run.ts";
import { failuresOf, hasPassed, runServerConformance } from "../conformance/server-run.ts";
import type { ConformanceReport } from "../conformance/suite.ts";

const LIMIT_MS = 300_000;

/** Fails unless all that counts passed, and as much counted as should: an empty list would pass everything else. */
function expectPassed(report: ConformanceReport, scored: number, extra: number): void {
  expect(failuresOf(report)).toEqual([]);
  const counted = report.scenarios.filter(({ standing }) => standing !== "unscored");
  expect(counted.filter((scenario) => !hasPassed(scenario))).toEqual([]);
  expect(counted.filter(({ standing }) => standing === "scored")).toHaveLength(scored);
  expect(counted.filter(({ standing }) => standing === "extra")).toHaveLength(extra);
}

it(
  "the server passes what the official suite requires of 2026-07-28, and the three scenarios beside it",
  { timeout: LIMIT_MS },
  async () => expectPassed(await runServerConformance("2026-07-28"), 37, 3),
);

it(
  "the client passes what the official suite requires of 2026-07-28, and the extensions beside it",
  { timeout: LIMIT_MS },
  async () => expectPassed(await runClientConformance("2026-07-28"), 32, 7),
);

it("the client passes what the official suite requires of 2025-11-25", { timeout: LIMIT_MS }, async () =>
  expectPassed(await runClientConformance("2025-11-25"), 18, 0),
);

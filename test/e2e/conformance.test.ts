import { expect, it } from "vitest";
import { failuresOf, hasPassed, runServerConformance } from "../conformance/server-run.ts";

const LIMIT_MS = 300_000;

it(
  "passes what the official suite requires of 2026-07-28, and the three scenarios beside it",
  { timeout: LIMIT_MS },
  async () => {
    const report = await runServerConformance("2026-07-28");
    expect(failuresOf(report)).toEqual([]);
    const counted = report.scenarios.filter(({ standing }) => standing !== "unscored");
    expect(counted.filter((scenario) => !hasPassed(scenario))).toEqual([]);
    // A list that came back empty would pass everything above.
    expect(counted.filter(({ standing }) => standing === "scored")).toHaveLength(37);
    expect(counted.filter(({ standing }) => standing === "extra")).toHaveLength(3);
  },
);

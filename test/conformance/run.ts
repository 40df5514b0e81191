/**
 * `npm run conformance -- server|client 2026-07-28 [scenario…]`: the official suite against the fixture Worker, or
 * against the client in Node.
 *
 * Exits 0 when every scenario that counts passed, 1 when one did not, 2 when there is nothing to run.
 */
import { runClientConformance } from "./client-run.ts";
import { runServerConformance } from "./server-run.ts";
import { type ConformanceReport, failuresOf, hasPassed, linesOf } from "./suite.ts";

export { runServerConformance };

const USAGE = "usage: npm run conformance -- server|client <revision> [scenario…]";

async function main([mode, revision = "2026-07-28", ...only]: readonly string[]): Promise<number> {
  if (mode !== "server" && mode !== "client") {
    console.error(USAGE);
    return 2;
  }
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interrupted.abort(new Error(`Stopped by ${signal}`)));
  }
  const runConformance = mode === "server" ? runServerConformance : runClientConformance;
  const report = await runConformance(revision, {
    signal: interrupted.signal,
    onOutput: (text) => process.stdout.write(text),
    ...(only.length > 0 && { only }),
  });
  print(report);
  return failuresOf(report).length === 0 ? 0 : 1;
}

function print(report: ConformanceReport): void {
  const { leg, revision, scenarios } = report;
  console.log(`\n=== ${revision}, ${leg} ===`);
  for (const result of scenarios.filter(({ standing }) => standing === "unscored")) {
    console.log(`not scored: ${hasPassed(result) ? "passed" : "failed"} ${result.scenario}`);
  }
  for (const line of scenarios.flatMap((result) => linesOf(result, "WARNING"))) console.log(`warning: ${line}`);
  for (const line of failuresOf(report)) console.log(`FAILED: ${line}`);
  for (const standing of ["scored", "extra"] as const) {
    const counted = scenarios.filter((result) => result.standing === standing);
    if (counted.length === 0) continue;
    const count = (status: string): number =>
      counted.flatMap(({ checks }) => checks).filter((check) => check.status === status).length;
    console.log(
      `${standing}: ${counted.filter(hasPassed).length}/${counted.length} scenarios passed; ` +
        `checks: ${count("SUCCESS")} passed, ${count("FAILURE")} failed, ${count("WARNING")} warnings, ` +
        `${count("SKIPPED")} skipped`,
    );
  }
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
}

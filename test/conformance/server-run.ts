/**
 * Runs the official suite's server scenarios of one revision against the fixture Worker on workerd. Nothing outlives the
 * returned promise.
 */
import { startWrangler } from "../e2e/wrangler-dev.ts";
import { type ConformanceOptions, type ConformanceReport, runLeg } from "./suite.ts";

export { failuresOf, hasPassed } from "./suite.ts";

export async function runServerConformance(
  revision: string,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const worker = await startWrangler("test/conformance/wrangler.toml");
  try {
    return await runLeg({ leg: "server", revision, args: ["--url", `${worker.url}/mcp`] }, options);
  } finally {
    await worker.stop();
  }
}

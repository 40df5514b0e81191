/** Runs the official suite's client scenarios of one revision against `client.ts` in Node. */
import { type ConformanceOptions, type ConformanceReport, ROOT, runLeg } from "./suite.ts";

export function runClientConformance(revision: string, options: ConformanceOptions = {}): Promise<ConformanceReport> {
  // The suite starts the command once a scenario, in a shell, and adds the server's URL.
  const command = `"${process.execPath}" "${ROOT}/test/conformance/client.ts"`;
  return runLeg({ leg: "client", revision, args: ["--command", command] }, options);
}

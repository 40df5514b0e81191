/** Prints the totals of a run as one plain line, for whatever reads a log. */
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === "pending" ? "skipped" : state] += 1;
      }
      // A file that cannot be loaded has no tests, and is a failure all the same.
      if (module.errors().length > 0) count.failed += 1;
    }
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}

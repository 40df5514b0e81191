/**
 * What both engines do with a verdict: findings become issues of bounded length, and whatever ends a validation early becomes one too.
 */
import type { SchemaIssue } from "./engine.ts";
import { Refusal, TOO_DEEP } from "./expense.ts";
import { clip, MAX_ISSUES } from "./issue-limits.ts";
import { pointerFrom, type Finding } from "./rule.ts";

export function issuesOf(findings: readonly Finding[]): SchemaIssue[] {
  return findings.map(({ at, message }) => ({ path: pointerFrom(at), message }));
}

/** Turns what ends a validation early into an issue, so that a check never throws. */
export function guarded(judge: () => readonly SchemaIssue[] | undefined): readonly SchemaIssue[] | undefined {
  try {
    return judge()
      ?.slice(0, MAX_ISSUES)
      .map(({ path, message }) => ({ path: clip(path), message: clip(message) }));
  } catch (error) {
    if (error instanceof Refusal) return [{ path: clip(error.path), message: error.message }];
    // The stack ran out in a recursive schema, or in comparing values. Anything else a strange value can cause (a getter that
    // throws, a proxy) is no reason to let it pass either.
    return [{ path: "", message: error instanceof RangeError ? TOO_DEEP : "cannot be validated" }];
  }
}

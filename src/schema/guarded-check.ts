/**
 * What both engines do with a verdict: findings become issues, and whatever ends a validation early becomes one too.
 */
import type { SchemaIssue } from "./engine.ts";
import { MAX_ISSUES, Refusal, TOO_DEEP } from "./expense.ts";
import { pointerFrom, type Finding } from "./rule.ts";

export function issuesOf(findings: readonly Finding[]): SchemaIssue[] {
  return findings.map(({ at, message }) => ({ path: pointerFrom(at), message }));
}

/** Turns what ends a validation early into an issue, so that a check never throws. */
export function guarded(judge: () => readonly SchemaIssue[] | undefined): readonly SchemaIssue[] | undefined {
  try {
    return judge()?.slice(0, MAX_ISSUES);
  } catch (error) {
    if (error instanceof Refusal) return [{ path: error.path, message: error.message }];
    // The stack ran out in a recursive schema, or in comparing values. Anything else a strange value can cause (a getter that
    // throws, a proxy) is no reason to let it pass either.
    return [{ path: "", message: error instanceof RangeError ? TOO_DEEP : "cannot be validated" }];
  }
}

/**
 * A validator that needs no code generation, for schemas that arrive while a request is handled, and for pages under a strict CSP.
 *
 * Contract: `SchemaEngine`, same verdicts and refusals as Ajv's engine.
 *
 * Why not `@cfworker/json-schema`, which is good and was tried first: its cost cannot be bounded from outside. It has no step hook, runs
 * every branch of `anyOf`, compares each pair for `uniqueItems`, runs patterns on strings of any length and writes the whole `enum`
 * into every error; and an `allOf` branch with `unevaluatedProperties` sees what a `$ref` beside it evaluated, which accepts too much.
 */
import type { SchemaCheck, SchemaEngine, SchemaIssue } from "./engine.ts";
import { Expense, MAX_ISSUES, Refusal, TOO_DEEP } from "./expense.ts";
import { inspectSchema } from "./inspect.ts";
import { PatternSet } from "./guarded-pattern.ts";
import { pointerFrom, type Finding, type Rule, type Run } from "./rule.ts";
import { RuleCompiler } from "./rule-compiler.ts";

export function interpreterEngine(): SchemaEngine {
  return {
    name: "interpreter",
    compile(schema) {
      const graph = inspectSchema(schema);
      return checkOf(new RuleCompiler(graph, new PatternSet()).compileAll());
    },
  };
}

function checkOf(rule: Rule): SchemaCheck {
  return (value) => {
    const run: Run = { expense: new Expense(), findings: [] };
    run.expense.start();
    return guarded(() => (rule(value, run, undefined, undefined) ? undefined : issuesOf(run.findings)));
  };
}

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

/**
 * A validator that needs no code generation, for schemas that arrive while a request is handled, and for pages under a strict CSP.
 *
 * Contract: `SchemaEngine`, same verdicts and refusals as Ajv's engine, but that it matches in linear time the patterns and strings that
 * the guard of Ajv's refuses as too costly.
 *
 * Why not `@cfworker/json-schema`, which is good and was tried first: its cost cannot be bounded from outside. It has no step hook, runs
 * every branch of `anyOf`, compares each pair for `uniqueItems`, runs patterns on strings of any length and writes the whole `enum`
 * into every error; and an `allOf` branch with `unevaluatedProperties` sees what a `$ref` beside it evaluated, which accepts too much.
 */
import type { SchemaCheck, SchemaEngine } from "./engine.ts";
import { Expense } from "./expense.ts";
import { guarded, issuesOf } from "./guarded-check.ts";
import { inspectSchema } from "./inspect.ts";
import { linearPatterns } from "./linear-pattern.ts";
import type { Rule, Run } from "./rule.ts";
import { RuleCompiler } from "./rule-compiler.ts";

export function interpreterEngine(): SchemaEngine {
  return {
    name: "interpreter",
    compile(schema) {
      const graph = inspectSchema(schema);
      return checkOf(new RuleCompiler(graph, linearPatterns()).compileAll());
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

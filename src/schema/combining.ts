/**
 * Ways to apply rules together: as a try, as alternatives, and with a record of what was evaluated.
 *
 * Contract: findings and records of what did not match are dropped.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.2
 */
import { issueMessage } from "./issue-message.ts";
import { failAbove, type At, type Rule, type Run, type Seen } from "./rule.ts";

function merge(from: Seen | undefined, run: Run, into: Seen | undefined): void {
  if (from === undefined || into === undefined) return;
  run.expense.spend(from.size * 2);
  for (const key of from) into.add(key);
}

/** Applies a rule whose failure is no failure of the whole: its findings are dropped, and so is what it saw. */
export function attempt(rule: Rule, value: unknown, run: Run, at: At | undefined, seen: Seen | undefined): boolean {
  const mark = run.findings.length;
  const mine: Seen | undefined = seen === undefined ? undefined : new Set();
  const matches = rule(value, run, at, mine);
  run.findings.length = mark;
  if (matches) merge(mine, run, seen);
  return matches;
}

export function alternatives(rules: readonly Rule[], keyword: string, suffices: (matches: number) => boolean): Rule {
  const message = issueMessage(keyword);
  return (value, run, at, seen) => {
    const mark = run.findings.length;
    let matches = 0;
    for (const rule of rules) {
      const mine: Seen | undefined = seen === undefined ? undefined : new Set();
      if (!rule(value, run, at, mine)) continue;
      matches++;
      merge(mine, run, seen);
      // Without anybody to report to, the first match settles `anyOf` and the second `oneOf`.
      if (seen === undefined && (keyword === "anyOf" || matches > 1)) break;
    }
    if (matches > 0) run.findings.length = mark;
    return suffices(matches) || failAbove(run, mark, at, message);
  };
}

/** Keeps its own record, because what siblings of the schema saw is none of its business, and passes it on when all is well. */
export function unevaluated(parts: readonly Rule[], rest: readonly Rule[]): Rule {
  return (value, run, at, seen) => {
    const mine: Seen = new Set();
    for (const part of [...parts, ...rest]) if (!part(value, run, at, mine)) return false;
    merge(mine, run, seen);
    return true;
  };
}

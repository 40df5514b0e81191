/**
 * What the interpreter compiles a schema to.
 *
 * Contract: a `Rule` tells whether a value satisfies what it was made from, adds at least one finding when not, and records in `seen`
 * (present when somebody above has `unevaluated…`) the names and indexes it vouches for.
 */
import type { Expense } from "./expense.ts";
import { MAX_ISSUES } from "./issue-limits.ts";
import { escapeToken } from "./walk.ts";

/** A place in the value, as a chain: pointers are only spelled out for what is reported. */
export interface At {
  readonly above: At | undefined;
  readonly key: string | number;
}

export interface Finding {
  readonly at: At | undefined;
  readonly message: string;
}

export interface Run {
  readonly expense: Expense;
  readonly findings: Finding[];
}

export type Seen = Set<string | number>;

export type Rule = (value: unknown, run: Run, at: At | undefined, seen: Seen | undefined) => boolean;

export function pointerFrom(at: At | undefined): string {
  let pointer = "";
  for (let place = at; place !== undefined; place = place.above)
    pointer = `/${escapeToken(String(place.key))}${pointer}`;
  return pointer;
}

export function fail(run: Run, at: At | undefined, message: string): false {
  if (run.findings.length < MAX_ISSUES) run.findings.push({ at, message });
  return false;
}

/** Puts what failed as a whole before the findings about its parts, which start at `mark`. */
export function failAbove(run: Run, mark: number, at: At | undefined, message: string): false {
  run.findings.splice(mark, 0, { at, message });
  run.findings.length = Math.min(run.findings.length, MAX_ISSUES);
  return false;
}

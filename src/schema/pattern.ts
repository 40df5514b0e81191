/**
 * What a schema's regular expressions are to the code that runs them; each engine has its own.
 *
 * Contract: `Patterns.get` makes a pattern once for each source and throws a `SchemaError` with the path for what it cannot run
 * safely. `test` never runs long: every call is charged, and what costs too much ends in a `Refusal`.
 */
import type { Expense } from "./expense.ts";

export interface Pattern {
  /** @throws {Refusal} with the path that `where` gives, or none when the whole validation is too expensive. */
  test(text: string, expense: Expense, where: () => string): boolean;
}

export interface Patterns {
  /** @throws {SchemaError} */
  get(source: string, path: string): Pattern;
}

export const NO_PATTERN = "is not a regular expression (ECMAScript, with the u flag)";

/** How many steps of a matcher, each a character looked at in one place of the pattern, make one step of the validation. */
export const LOOKS_PER_STEP = 8;

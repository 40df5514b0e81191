/**
 * Regular expressions that are safe to run on strings from strangers.
 *
 * Contract: `PatternSet.get` refuses what pattern-cost.ts calls exponential or unknown. `test` never runs long: a string too long for
 * its pattern ends the validation, and every test is charged.
 */
import { SchemaError } from "./engine.ts";
import { Refusal, type Expense } from "./expense.ts";
import { LOOKS_PER_STEP, NO_PATTERN, type Pattern, type Patterns } from "./pattern.ts";
import { MAX_SEARCH_STEPS, patternCost } from "./pattern-cost.ts";

/**
 * The longest string for a pattern whose number of readings is polynomial of degree 1, 2, 3. Measured on V8: the worst known pattern
 * of each degree stays below 100 ms at this length. Beyond degree 3 little is left that is worth matching, so such patterns are refused.
 */
const MAX_MATCHED_LENGTH: readonly number[] = [Infinity, 5_000, 300, 100];

const TOO_LONG = "is too long to be matched against its pattern";

/** For one string; the worst known pattern takes 0.3 s for so many. */
const MAX_CHARACTER_STEPS = 24_000_000;

interface GuardedCost {
  readonly degree: number;
  readonly factor: number;
}

export class GuardedPattern implements Pattern {
  readonly #pattern: RegExp;
  readonly #cost: GuardedCost;

  constructor(source: string, cost: GuardedCost) {
    this.#pattern = new RegExp(source, "u");
    this.#cost = cost;
  }

  /** @throws {Refusal} with the path that `where` gives. */
  test(text: string, expense: Expense, where: () => string): boolean {
    const { length } = text;
    const { degree, factor } = this.#cost;
    // The ways to place `degree` boundaries and an end in the text: length² / 2, length³ / 6, …
    let characters = length * factor;
    for (let power = 1; power <= degree; power++) characters *= length / (power + 1);
    if (length > (MAX_MATCHED_LENGTH[degree] ?? 0) || characters > MAX_CHARACTER_STEPS)
      throw new Refusal(where(), TOO_LONG);
    expense.spend(1 + Math.floor(characters / LOOKS_PER_STEP));
    try {
      return this.#pattern.test(text);
    } catch (error) {
      // V8 gives up with a RangeError when megabytes of text overflow its own stack.
      if (error instanceof RangeError) throw new Refusal(where(), TOO_LONG);
      throw error;
    }
  }
}

export class PatternSet implements Patterns {
  readonly #patterns = new Map<string, GuardedPattern>();
  readonly #allowance = { steps: MAX_SEARCH_STEPS };

  /** @throws {SchemaError} */
  get(source: string, path: string): GuardedPattern {
    let pattern = this.#patterns.get(source);
    if (pattern === undefined) {
      pattern = new GuardedPattern(source, this.#judge(source, path));
      this.#patterns.set(source, pattern);
    }
    return pattern;
  }

  #judge(source: string, path: string): GuardedCost {
    let cost;
    try {
      cost = patternCost(source, this.#allowance);
    } catch {
      throw new SchemaError(path, NO_PATTERN);
    }
    if (cost.kind === "unknown")
      throw new SchemaError(path, "uses back-references or is too large to be known as safe to match");
    const degree = cost.kind === "polynomial" ? cost.degree : 0;
    if (cost.kind === "exponential" || degree >= MAX_MATCHED_LENGTH.length)
      throw new SchemaError(path, "can take exponential time to match");
    return { degree, factor: cost.factor };
  }
}

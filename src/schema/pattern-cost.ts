/**
 * How much a regular expression can cost, decided from its source.
 *
 * A backtracking engine tries every way to read the subject, so the cost of a failing match is the number of ways. The automaton of the
 * pattern is searched for the two shapes that make ways multiply (Weber & Seidl 1991): a loop with two readings of the same word
 * (exponential), and two loops that share a word and a path between them (one more power of the length each time). What is read again
 * without a loop, as by `a{0,60}a{0,15}!` at each character, is the factor before the power.
 *
 * Contract: never hangs (the search has a step limit) and errs towards the costlier answer. `unknown` covers back-references, modifiers
 * and patterns too large to judge.
 */
import { Alphabet, type SearchAllowance } from "./pattern-alphabet.ts";
import { Automaton } from "./pattern-automaton.ts";
import { NEVER, Search, type Degree } from "./pattern-search.ts";
import { parsePattern, Unsupported, type Tree } from "./pattern-tree.ts";

export type PatternCost =
  | { readonly kind: "exponential" }
  | { readonly kind: "unknown" }
  /** The time grows with the length, `factor` steps of the engine a character. */
  | { readonly kind: "linear"; readonly factor: number }
  /** The number of ways grows like the length to the power of `degree`, and the time by one power more. */
  | { readonly kind: "polynomial"; readonly degree: number; readonly factor: number };

const MAX_POSITIONS = 160;
const MAX_SOURCE_LENGTH = 4_000;
/** What judging may cost, shared by the patterns of one schema: about 100 ms. What needs more is `unknown`. */
export const MAX_SEARCH_STEPS = 2_000_000;
const STEPS_PER_PROPERTY = 1_000;

/** @throws {SyntaxError} when the source is not a regular expression in `u` mode. */
export function patternCost(source: string, allowance: SearchAllowance = { steps: MAX_SEARCH_STEPS }): PatternCost {
  // Before anything reads it: V8 builds the set of each property that is named, which takes up to 0.1 ms.
  allowance.steps -= STEPS_PER_PROPERTY * (source.split(/\\p/i).length - 1);
  if (source.length > MAX_SOURCE_LENGTH || allowance.steps < 0) return { kind: "unknown" };
  void new RegExp(source, "u");
  try {
    const { degree, factor } = degreeOf(parsePattern(source), new Alphabet(source, allowance), false);
    if (degree === NEVER) return { kind: "exponential" };
    return degree === 0 ? { kind: "linear", factor } : { kind: "polynomial", degree, factor };
  } catch (error) {
    // RangeError: groups nested beyond the stack.
    if (error instanceof Unsupported || error instanceof RangeError) return { kind: "unknown" };
    throw error;
  }
}

function degreeOf(tree: Tree, alphabet: Alphabet, inner: boolean): Degree {
  const head = headOf(tree);
  const anchored = inner || head.anchored;
  const abstract = new Automaton(tree, false, MAX_POSITIONS);
  const open = !inner && !hasAssertion(tree, head.anchored);
  let result = new Search(abstract, alphabet, anchored, open).run();
  if (result.degree > 0) {
    // Loops in place of counted repeats may have been too pessimistic: `\d{3}\d{4}` has one reading, `\d+\d+` many.
    try {
      const exact = new Search(new Automaton(tree, true, MAX_POSITIONS), alphabet, anchored, open).run();
      if (exact.degree < result.degree) result = exact;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
    }
  }
  let { degree, factor, loops } = result;
  let ahead = 0;
  for (const look of abstract.looks) {
    const inside = degreeOf(look, alphabet, true);
    // Behind `^` a look-around runs once; elsewhere it may run at every character.
    const once = anchored && head.looks.has(look);
    degree = once ? Math.max(degree, inside.degree) : degree + inside.degree + Number(inside.loops);
    if (once) factor += inside.factor;
    else ahead += inside.factor;
    loops ||= inside.loops;
  }
  return { degree, factor: factor * (1 + ahead), loops };
}

/** What the alternatives begin with: whether each has `^`, and the look-arounds that stand before any character. */
function headOf(tree: Tree): { anchored: boolean; looks: ReadonlySet<Tree> } {
  const looks = new Set<Tree>();
  const anchored = (tree.kind === "choice" ? tree.parts : [tree]).map((part) => {
    let caret = false;
    for (const item of part.kind === "join" ? part.parts : []) {
      if (item.kind === "look") looks.add(item.body);
      else if (item.kind === "assert") caret ||= item.source === "^";
      else break;
    }
    return caret;
  });
  return { anchored: !anchored.includes(false), looks };
}

function hasAssertion(tree: Tree, skipCaret: boolean): boolean {
  if (tree.kind === "repeat") return hasAssertion(tree.body, skipCaret);
  if ("parts" in tree) return tree.parts.some((part) => hasAssertion(part, skipCaret));
  return tree.kind === "look" || (tree.kind === "assert" && !(skipCaret && tree.source === "^"));
}

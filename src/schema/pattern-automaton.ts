/**
 * A regular expression (ECMAScript, `u` mode) as an automaton without empty steps, for pattern-cost.ts.
 *
 * Contract: one position for each character-matching atom, and between positions the number of *ways* to step, 1 or 2 (2 stands for
 * "several": two ways to read the same characters are what makes backtracking costly). Assertions match the empty string, which can only
 * add ways. Look-arounds are set aside. Throws `Unsupported` for what is too large.
 */

import { Unsupported, type Tree } from "./pattern-tree.ts";

type Ways = Map<number, number>;

interface Fragment {
  /** Ways to match the empty string. */
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

const EMPTY: Fragment = { empty: 1, first: new Map(), last: new Map() };

const several = (ways: number): number => Math.min(ways, 2);

function add(into: Ways, from: Ways, factor: number): Ways {
  if (factor > 0)
    for (const [position, ways] of from) into.set(position, several((into.get(position) ?? 0) + ways * factor));
  return into;
}

export class Automaton {
  /** The source of each position's atom. */
  readonly atoms: string[] = [];
  readonly steps: Ways[] = [];
  readonly looks: Tree[] = [];
  readonly whole: Fragment;
  readonly #limit: number;
  readonly #exact: boolean;

  /** `exact` unrolls counted repeats; otherwise they become loops, which can only look costlier. */
  constructor(tree: Tree, exact: boolean, limit: number) {
    this.#limit = limit;
    this.#exact = exact;
    this.whole = this.#build(tree);
  }

  #build(tree: Tree): Fragment {
    switch (tree.kind) {
      case "atom": {
        const position = this.atoms.push(tree.source) - 1;
        if (position >= this.#limit) throw new Unsupported("too large");
        this.steps.push(new Map());
        return { empty: 0, first: new Map([[position, 1]]), last: new Map([[position, 1]]) };
      }
      case "look":
        this.looks.push(tree.body);
        return EMPTY;
      case "assert":
        return EMPTY;
      case "join": {
        let all = EMPTY;
        for (const part of tree.parts) all = this.#join(all, this.#build(part));
        return all;
      }
      case "choice": {
        const parts = tree.parts.map((part) => this.#build(part));
        return {
          empty: several(parts.reduce((sum, part) => sum + part.empty, 0)),
          first: parts.reduce((into, part) => add(into, part.first, 1), new Map<number, number>()),
          last: parts.reduce((into, part) => add(into, part.last, 1), new Map<number, number>()),
        };
      }
      case "repeat":
        return this.#repeat(tree.body, tree.min, tree.max);
      default:
        throw new Unsupported(tree satisfies never);
    }
  }

  #join(left: Fragment, right: Fragment): Fragment {
    for (const [from, ways] of left.last) add(this.steps[from] ?? new Map(), right.first, ways);
    return {
      empty: several(left.empty * right.empty),
      first: add(new Map(left.first), right.first, left.empty),
      last: add(new Map(right.last), left.last, right.empty),
    };
  }

  #repeat(tree: Tree, min: number, max: number): Fragment {
    if (max === 0) return EMPTY;
    if (max === 1) return this.#optional(this.#build(tree), min);
    if (max === Infinity ? min > 1 : true) {
      if (this.#exact) {
        // x{2,4} is xx(x(x)?)?, and x{3,} is xxx+.
        const copies = max === Infinity ? min - 1 : max;
        if (copies > this.#limit) throw new Unsupported("too large");
        let tail = max === Infinity ? this.#repeat(tree, 1, Infinity) : EMPTY;
        for (let copy = copies; copy > 0; copy--)
          tail = this.#optional(this.#join(this.#build(tree), tail), copy > min ? 0 : 1);
        return tail;
      }
    }
    const body = this.#build(tree);
    // An iteration that may be empty can be left out anywhere among the counted ones.
    const ways = body.empty > 0 && (max < Infinity || min > 1) ? 2 : 1;
    for (const [from, count] of body.last) add(this.steps[from] ?? new Map(), body.first, count * ways);
    return this.#optional(body, min);
  }

  /** An optional iteration that matched nothing is not tried again, so the empty string has one way (ECMAScript, RepeatMatcher). */
  #optional(body: Fragment, min: number): Fragment {
    return min === 0 ? { ...body, empty: 1 } : body;
  }
}

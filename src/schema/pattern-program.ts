/**
 * A regular expression as a non-deterministic automaton (Thompson 1968), for linear-pattern.ts.
 *
 * Contract: nodes that lead on to others where a condition holds, some by reading one character. Counted repeats are written out, and
 * every node is charged. What an atom matches is decided by the regular-expression engine.
 */
import type { Expense } from "./expense.ts";
import type { Tree } from "./pattern-tree.ts";

/** A text while it is matched. */
export interface Match {
  readonly text: string;
  readonly expense: Expense;
  /** For each look-around done so far, at which places it holds. */
  readonly tables: Uint8Array[];
}

/** Of the code point to be read next, and of its place. */
type Condition = (point: number, at: number, match: Match) => boolean;

export interface Node {
  readonly to: Node | undefined;
  readonly holds: Condition;
  /** Whether the condition is about a character, which is then read. */
  readonly reads: boolean;
  /** Another node to go on to. */
  or: Node | undefined;
  /** The step in which this node was last entered, and the next of the nodes that were entered, and that read, in that step. */
  step: number;
  pending: Node | undefined;
  reader: Node | undefined;
}

/** What a look-around looks for. What looks ahead is reversed, to be read from the end. */
export interface Look {
  readonly start: Node | undefined;
  readonly end: Node;
  readonly reversed: boolean;
}

const isWord = (character = ""): boolean => /\w/.test(character);

function assertion(source: string): Condition {
  return (_point, at, { text }) => {
    if (source === "^") return at === 0;
    if (source === "$") return at === text.length;
    return (isWord(text[at - 1]) === isWord(text[at])) === (source === "\\B");
  };
}

/** What an atom matches: the engine is asked, once for each ASCII character. */
function reader(atom: string): Condition {
  const pattern = new RegExp(`^${atom}$`, "u");
  const matches = (point: number): boolean => pattern.test(String.fromCodePoint(point));
  // No more than these are kept: patterns live long, and strangers know a million characters.
  const ascii: boolean[] = [];
  return (point) => (point < 128 ? (ascii[point] ??= matches(point)) : matches(point));
}

/** What the patterns of one schema share. */
export interface Shared {
  /** By the source of an atom. */
  readonly readers: Map<string, Condition>;
  /** Throws when there is too much of everything. */
  spend(nodes: number): void;
}

/** What a regular expression for an atom weighs, and takes to make, beside a node. */
const READER_NODES = 50;

/**
 * What to look for in a text: the look-arounds, the inner before the outer, and last the whole, as if one looked behind for it.
 */
export function programOf(tree: Tree, shared: Shared): readonly Look[] {
  const looks: Look[] = [];
  const node = (to?: Node, holds: Condition = () => true, reads = false, or?: Node): Node => {
    shared.spend(1);
    return { to, holds, reads, or, step: 0, pending: undefined, reader: undefined };
  };
  const fork = (to: Node | undefined, or?: Node): Node => node(to, undefined, false, or);
  /** Where to enter `tree`, so that `next` is entered after it. */
  const build = (tree: Tree, next: Node | undefined, reversed: boolean): Node | undefined => {
    switch (tree.kind) {
      case "atom": {
        let holds = shared.readers.get(tree.source);
        if (holds === undefined) {
          shared.spend(READER_NODES);
          shared.readers.set(tree.source, (holds = reader(tree.source)));
        }
        return node(next, holds, true);
      }
      case "assert":
        return node(next, assertion(tree.source));
      case "look": {
        const index = add(tree.body, tree.ahead);
        return node(next, (_point, at, { tables }) => (tables[index]?.[at] === 0) === tree.negative);
      }
      case "join": {
        const parts = reversed ? tree.parts : tree.parts.toReversed();
        return parts.reduce((to, part) => build(part, to, reversed), next);
      }
      case "choice":
        return tree.parts.reduce<Node | undefined>((or, part) => fork(build(part, next, reversed), or), undefined);
      case "repeat": {
        // x{2,4} is xx(x(x)?)?, and x{3,} is xxx+. Empty iterations add nothing to what is matched.
        const { body, min, max } = tree;
        let [to, copies] = [next, max];
        if (max === Infinity) {
          const loop = fork(next);
          to = loop.or = build(body, loop, reversed);
          if (min === 0) return loop;
          copies = min - 1;
        }
        for (; copies > 0; copies--) {
          to = build(body, to, reversed);
          if (copies > min) to = fork(to, next);
        }
        return to;
      }
    }
  };
  const add = (body: Tree, reversed: boolean): number => {
    const end = node();
    return looks.push({ start: build(body, end, reversed), end, reversed }) - 1;
  };
  add(tree, false);
  return looks;
}

/**
 * Regular expressions that take time linear in the text, whatever the expression: every way to read the text is followed at once,
 * character by character (Thompson 1968). Which of the ways comes first does not matter, since nobody asks what was matched.
 *
 * Contract: `Patterns`, with the verdicts of `RegExp` in `u` mode. Back-references, modifiers and what is too large are refused. A text
 * costs steps for each place of the pattern that a character of it could be read at.
 */
import { SchemaError } from "./engine.ts";
import { LOOKS_PER_STEP, NO_PATTERN, type Pattern, type Patterns } from "./pattern.ts";
import { programOf, type Look, type Match, type Node, type Shared } from "./pattern-program.ts";
import { parsePattern, Unsupported } from "./pattern-tree.ts";

const UNSUPPORTED = "has back-references or modifiers, or is too large";

/** Of all patterns of a schema: about 10 MB. */
const MAX_NODES = 100_000;

/** Entering a node takes longer than a step of the regular-expression engine. */
const ENTRIES_PER_STEP = 5;

/** About 0.1 ms for a property escape, as for so many nodes. */
const PROPERTY_NODES = 100;

/**
 * An anchored pattern without groups and alternatives, and with at most one repeat that is not a fixed count, as most are. It leaves
 * the regular-expression engine, which is much faster, no choice but where to end that repeat and read the rest, the group here.
 * Escaped signs and signs in classes are taken for what they look like, which can only hide a plain pattern. So are longer ones, which
 * the engine may take a second to prepare.
 */
const PLAIN = /^\^(?:[^(|*+?{]|\{\d+\}){0,999}(?:(?:[*+?]|\{\d+,\d*\})([^(|*+?{]{0,999}))?$/;

export function linearPatterns(): Patterns {
  const patterns = new Map<string, Pattern>();
  let left = MAX_NODES;
  const shared: Shared = {
    readers: new Map(),
    spend(nodes) {
      left -= nodes;
      if (left < 0) throw new Unsupported();
    },
  };
  return {
    get(source, path) {
      const pattern = patterns.get(source) ?? compile(source, path, shared);
      patterns.set(source, pattern);
      return pattern;
    },
  };
}

function compile(source: string, path: string, shared: Shared): Pattern {
  try {
    // Before anything reads it: V8 builds the set of each property that is named.
    shared.spend(source.length + PROPERTY_NODES * (source.split(/\\p/i).length - 1));
    const native = new RegExp(source, "u");
    const plain = PLAIN.exec(source);
    if (plain !== null) return plainPattern(native, 1 + (plain[1] ?? "").length);
    return linearPattern(programOf(parsePattern(source), shared));
  } catch (error) {
    // Else Unsupported, or a RangeError where groups nest beyond the stack.
    throw new SchemaError(path, error instanceof SyntaxError ? NO_PATTERN : UNSUPPORTED);
  }
}

/** @param rest how much may be read at each end of the repeat. */
function plainPattern(native: RegExp, rest: number): Pattern {
  return {
    test(text, expense) {
      expense.spend(1 + (text.length * rest) / LOOKS_PER_STEP);
      // Beyond eight million characters V8 may give up with a RangeError, which ends the validation too.
      return native.test(text);
    },
  };
}

function linearPattern(looks: readonly Look[]): Pattern {
  /** Grows with every character, so that nodes need no cleaning between texts. */
  let step = 0;
  let entered = 0;
  let pending: Node | undefined;
  const enter = (node: Node | undefined): void => {
    if (node === undefined || node.step === step) return;
    node.step = step;
    node.pending = pending;
    pending = node;
    entered++;
  };
  const take = (): Node | undefined => {
    const node = pending;
    pending = node?.pending;
    return node;
  };
  const scan = ({ start, end, reversed }: Look, run: Match): boolean => {
    const { text, expense } = run;
    const back = Number(reversed);
    const found = new Uint8Array(text.length + 1);
    const isWhole = run.tables.push(found) === looks.length;
    // What an earlier scan was about to enter is of no meaning now.
    pending = undefined;
    entered = 0;
    step++;
    for (let at = back * text.length; ;) {
      const pair = text.codePointAt(at - 2 * back) ?? 0;
      const point = pair > 0xffff ? pair : (text.codePointAt(at - back) ?? -1);
      let readers: Node | undefined;
      enter(start);
      for (let node = take(); node !== undefined; node = take()) {
        if (node.reads) {
          node.reader = readers;
          readers = node;
        } else if (node.holds(point, at, run)) {
          enter(node.to);
          enter(node.or);
        }
      }
      // Beyond ASCII, atoms are judged anew each time.
      expense.spend(entered / (point > 127 ? 1 : ENTRIES_PER_STEP));
      entered = 0;
      if (end.step === step) {
        if (isWhole) return true;
        found[at] = 1;
      }
      if (point < 0) return false;
      step++;
      for (; readers !== undefined; readers = readers.reader) if (readers.holds(point, at, run)) enter(readers.to);
      at += (1 - 2 * back) * (point > 0xffff ? 2 : 1);
    }
  };
  return {
    test(text, expense) {
      const run = { text, expense, tables: [] };
      return looks.some((look) => scan(look, run));
    },
  };
}

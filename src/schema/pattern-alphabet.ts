/**
 * Sets of characters, for asking whether two atoms of a regular expression can match the same one.
 *
 * Contract: exact for everything but Unicode properties, which are taken to share all characters beyond ASCII. The regular-expression
 * engine itself decides what an atom matches, sample by sample, so there is no second reading of classes and escapes to get wrong.
 */
import { Unsupported } from "./pattern-tree.ts";

/** What is left of `MAX_SEARCH_STEPS`. */
export interface SearchAllowance {
  steps: number;
}

/** Sets of characters as bits over samples: every ASCII character, some of each larger kind, and the neighbours of those in the source. */
export class Alphabet {
  readonly #samples: string[];
  readonly #sets = new Map<string, bigint>();

  readonly #allowance: SearchAllowance;

  constructor(source: string, allowance: SearchAllowance) {
    this.#allowance = allowance;
    const points = new Set([0xa0, 0xe9, 0x3b1, 0x2028, 0x4e2d, 0xfeff, 0x1f600]);
    for (let ascii = 0; ascii < 128; ascii++) points.add(ascii);
    const spelled = /\\u\{([^}]*)\}|\\u(d[89ab]..)\\u(d[c-f]..)|\\u(....)|\\x(..)|[^\0-\x7f]/giu;
    for (const [text, braced, high = "", low = "", four, two] of source.matchAll(spelled)) {
      const hex = braced ?? four ?? two;
      const pair = String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
      const point = hex === undefined ? ((high === "" ? text : pair).codePointAt(0) ?? 0) : parseInt(hex, 16);
      for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near);
    }
    if (points.size > 600) throw new Unsupported("too many characters");
    this.#samples = [...points].map((point) => String.fromCodePoint(point));
    // What is done once for each pattern takes as long as judging several atoms.
    this.spend(this.#samples.length * 8);
  }

  spend(steps: number): void {
    this.#allowance.steps -= steps;
    if (this.#allowance.steps < 0) throw new Unsupported("too costly to judge");
  }

  setOf(atom: string): bigint {
    let set = this.#sets.get(atom);
    if (set !== undefined) return set;
    // A letter or digit is only itself; most atoms are, and a regular expression for each would be most of the time spent here.
    const literal = /^[0-9A-Za-z]$/.test(atom);
    const matcher = literal ? undefined : new RegExp(`^(?:${atom})$`, "u");
    // Of a Unicode property the samples say little, so it is taken to share every character beyond ASCII with everything else.
    const property = /\\p\{/i.test(atom);
    set = 0n;
    for (const [bit, sample] of this.#samples.entries()) {
      const matches = matcher === undefined ? sample === atom : matcher.test(sample);
      if (matches || (property && sample > "\x7f")) set |= 1n << BigInt(bit);
    }
    this.#sets.set(atom, set);
    this.spend(this.#samples.length);
    return set;
  }
}

/**
 * What the automaton of a regular expression says about its cost; the reasons are in pattern-cost.ts.
 *
 * Contract: never hangs, because every step of the search is taken from the alphabet's allowance.
 */
import { components } from "./components.ts";
import type { Alphabet } from "./pattern-alphabet.ts";
import type { Automaton } from "./pattern-automaton.ts";

/** Ways that do not come from loops, such as `a?a?a?aaa`, are a constant factor of the time: one that has to stay small. */
const MAX_FIXED_WAYS = 1_000;

/** The degree of what is exponential. */
export const NEVER = Infinity;

export interface Degree {
  readonly degree: number;
  /** Steps of the engine a character, before the power. */
  readonly factor: number;
  readonly loops: boolean;
}

/** The three questions, asked of one automaton. Node `size - 1` is the start; unanchored, it also loops over any character. */
export class Search {
  readonly #size: number;
  readonly #next: number[][] = [];
  readonly #meets: Uint8Array;
  readonly #parts: Int32Array;
  readonly #cyclic: Uint8Array;
  readonly #doubled: [number, number][] = [];
  readonly #ways: ReadonlyMap<number, number>[];
  readonly #alphabet: Alphabet;

  constructor(automaton: Automaton, alphabet: Alphabet, anchored: boolean, open: boolean) {
    const { first, last } = automaton.whole;
    const start = automaton.atoms.length;
    this.#alphabet = alphabet;
    alphabet.spend(start ** 2);
    this.#size = start + 1;
    this.#ways = [...automaton.steps, anchored ? first : new Map([...first, [start, 1]])];
    // Where every continuation already accepts, a match can no longer fail, and what follows costs nothing more.
    const mayFail = new Set([...Array(start).keys()].filter((node) => !open || !last.has(node)));
    for (let grew = open; grew;) {
      const before = mayFail.size;
      for (const [node, ways] of automaton.steps.entries())
        for (const to of ways.keys()) if (mayFail.has(to)) mayFail.add(node);
      grew = mayFail.size > before;
    }
    this.#safe = (node) => node !== start && !mayFail.has(node);
    const sets = [...automaton.atoms.map((atom) => alphabet.setOf(atom)), -1n];
    this.#meets = new Uint8Array(this.#size ** 2);
    for (const [from, ways] of this.#ways.entries()) {
      this.#next.push([...ways.keys()]);
      for (const [to, count] of ways) if (count > 1) this.#doubled.push([from, to]);
      for (const [other, set] of sets.entries()) {
        if (((sets[from] ?? 0n) & set) !== 0n) this.#meets[from * this.#size + other] = 1;
      }
    }
    this.#parts = components(this.#size, (node) => this.#next[node] ?? []);
    this.#cyclic = new Uint8Array(this.#size);
    for (const [from, to] of this.#edges()) if (this.#parts[from] === this.#parts[to]) this.#cyclic[from] = 1;
  }

  readonly #safe: (node: number) => boolean;

  run(): Degree {
    const loops = this.#cyclic.includes(1);
    if (this.#twoReadingsInALoop() || this.#fixedWays() > MAX_FIXED_WAYS) return { degree: NEVER, factor: 1, loops };
    return { degree: this.#powers(), factor: this.#factor(), loops };
  }

  *#edges(): Generator<[number, number]> {
    for (const [from, next] of this.#next.entries()) for (const to of next) yield [from, to];
  }

  /** Whether some node can return to itself along two different paths with the same word. */
  #twoReadingsInALoop(): boolean {
    if (this.#doubled.some(([from, to]) => this.#parts[from] === this.#parts[to])) return true;
    if (!this.#cyclic.includes(1)) return false;
    const size = this.#size;
    const together = components(size * size, (pair) => {
      const [left, right] = [Math.floor(pair / size), pair % size];
      return this.#cyclic[left] === 1 && this.#parts[left] === this.#parts[right] ? this.#pairsAfter(left, right) : [];
    });
    const diagonal = new Set<number | undefined>();
    for (let node = 0; node < size; node++) if (this.#cyclic[node] === 1) diagonal.add(together[node * size + node]);
    return together.some((part, pair) => Math.floor(pair / size) !== pair % size && diagonal.has(part));
  }

  #pairsAfter(left: number, right: number): number[] {
    const pairs: number[] = [];
    for (const a of this.#next[left] ?? []) {
      if (this.#parts[a] !== this.#parts[left]) continue;
      for (const b of this.#next[right] ?? []) {
        this.#alphabet.spend(1);
        if (this.#parts[b] === this.#parts[right] && this.#meets[a * this.#size + b] === 1)
          pairs.push(a * this.#size + b);
      }
    }
    return pairs;
  }

  /** An upper bound of the readings of one word that do not come from loops. Parts are numbered from the far end. */
  #fixedWays(): number {
    const exits: Map<number, number>[] = [];
    for (const [from, ways] of this.#ways.entries()) {
      const exit = (exits[this.#parts[from] ?? 0] ??= new Map());
      for (const [to, count] of ways)
        if (this.#parts[to] !== this.#parts[from]) exit.set(to, Math.max(exit.get(to) ?? 0, count));
    }
    const total: number[] = [];
    for (const exit of exits) {
      const sums = [...exit.keys()].map((to) => {
        let sum = 0;
        for (const [other, count] of exit) {
          this.#alphabet.spend(1);
          if (this.#meets[to * this.#size + other] === 1) sum += count * (total[this.#parts[other] ?? 0] ?? 1);
        }
        return sum;
      });
      total.push(Math.max(1, ...sums));
    }
    return total.at(-1) ?? 1;
  }

  /**
   * An upper bound of the steps from one start, when every loop is run through once. A loop alone is read quickly, so it costs a
   * character what is tried after it; a step outside of loops is one, and what comes after it.
   */
  #factor(): number {
    const members: number[][] = [];
    for (const [node, part] of this.#parts.entries()) (members[part] ??= []).push(node);
    const work: number[] = [];
    for (const nodes of members) {
      let sum = 0;
      for (const node of nodes) {
        const after = this.#stepsAfter(node, work);
        if (this.#cyclic[node] === 1) sum += Math.max(1, after);
        else sum += node === this.#size - 1 ? after : 1 + after;
      }
      work.push(sum);
    }
    return Math.max(1, work.at(-1) ?? 1);
  }

  /** Outside of the node's own part, for the character that takes most. */
  #stepsAfter(node: number, work: readonly number[]): number {
    const exits = [...(this.#ways[node] ?? [])].filter(([to]) => this.#parts[to] !== this.#parts[node]);
    const sums = exits.map(([to]) => {
      let sum = 0;
      for (const [other, count] of exits) {
        this.#alphabet.spend(1);
        if (this.#meets[to * this.#size + other] !== 1) continue;
        sum += this.#safe(other) ? 1 : count * (work[this.#parts[other] ?? 0] ?? 1);
      }
      return sum;
    });
    return Math.max(0, ...sums);
  }

  /** The longest chain of loops in which each shares a word with the next and with a path to it. */
  #powers(): number {
    const degrees: number[] = Array.from({ length: Math.max(...this.#parts) + 1 }, () => 0);
    for (let part = 0; part < degrees.length; part++) {
      for (const [from, to] of this.#edges()) {
        if (this.#parts[from] === part)
          degrees[part] = Math.max(degrees[part] ?? 0, degrees[this.#parts[to] ?? 0] ?? 0);
      }
      for (let p = 0; p < this.#size; p++) {
        if (this.#parts[p] !== part || this.#cyclic[p] !== 1) continue;
        for (let q = 0; q < this.#size; q++) {
          const gain = 1 + (degrees[this.#parts[q] ?? 0] ?? 0);
          if (this.#parts[q] === part || this.#cyclic[q] !== 1 || this.#safe(q) || gain <= (degrees[part] ?? 0))
            continue;
          if (this.#shareAWord(p, q)) degrees[part] = gain;
        }
      }
    }
    return degrees[this.#parts[this.#size - 1] ?? 0] ?? 0;
  }

  /** Whether one word leads from p to p, from p to q and from q to q. */
  #shareAWord(p: number, q: number): boolean {
    const size = this.#size;
    const key = (a: number, b: number, c: number): number => (a * size + b) * size + c;
    const pending: [number, number, number][] = [[p, p, q]];
    const seen = new Set<number>();
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      for (const c of this.#next[at[2]] ?? []) {
        if (this.#parts[c] !== this.#parts[q]) continue;
        for (const a of this.#next[at[0]] ?? []) {
          if (this.#parts[a] !== this.#parts[p] || this.#meets[a * size + c] !== 1) continue;
          for (const b of this.#next[at[1]] ?? []) {
            this.#alphabet.spend(1);
            if (this.#meets[a * size + b] !== 1 || this.#meets[b * size + c] !== 1) continue;
            if (a === p && b === q && c === q) return true;
            if (seen.has(key(a, b, c))) continue;
            seen.add(key(a, b, c));
            pending.push([a, b, c]);
          }
        }
      }
    }
    return false;
  }
}

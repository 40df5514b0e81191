/**
 * The matching half of uri-template.ts: a row of steps against a URI.
 *
 * Contract: never throws; anchored at both ends; at most (steps × characters) of work.
 *
 * @see RFC 6570 sections 2 and 3.2
 */

/** Matching is linear in this; real resource URIs are far shorter, and browsers and proxies give up near 8 KiB too. */
export const MAX_URI_LENGTH = 8_192;

/**
 * Text as comparable characters: one code point each, prefixed with `%` if it was escaped and the escape matters, so
 * that `%2F` differs from `/` while `%61` equals `a` (RFC 3986 section 6.2.2.2) and `%C3%BC` equals `ü`.
 */
export type Chars = readonly string[];

// Classes of characters, as bits. `?` and `#` stand apart from the other reserved ones because a query ends at `#`, and
// a path that a query follows at `?`.
export const VALUE = 1;
const RESERVED = 2;
export const QUESTION = 4;
export const HASH = 8;
export const ANY = VALUE | RESERVED | QUESTION | HASH;

export interface SpecifiedVariable {
  /** As the template has it, escapes and all. */
  readonly name: string;
  /** As a URI spells it. */
  readonly chars: Chars;
  readonly explode: boolean;
  /** The longest value in characters: the `3` of `{name:3}`. */
  readonly max: number;
}

/** A template is a row of steps. Each takes `lead` literally, then a run of at least `min` characters that it allows. */
export interface Step {
  readonly lead: Chars;
  allows: number;
  readonly min: 0 | 1;
  readonly max: number;
  /** May be skipped altogether. */
  readonly optional: boolean;
  /** Between the items of a list; the run may hold it, but no item is empty. */
  readonly separator?: Chars;
  /** Whose value the run is. */
  readonly variable?: SpecifiedVariable;
  /** Or the run is a query with these parameters. */
  readonly query?: Map<string, SpecifiedVariable>;
}

/** `undefined` for a lone surrogate, a stray `%`, or escapes that are not UTF-8. */
export function readChars(text: string): Chars | undefined {
  if (!text.isWellFormed()) return undefined;
  const chars: string[] = [];
  for (const [part] of text.matchAll(/(?:%[\da-f]{2})+|[^%]|%/giu)) {
    if (!part.startsWith("%")) {
      chars.push(part);
      continue;
    }
    try {
      for (const char of decodeURIComponent(part)) chars.push(/[\w.~\x80-\u{10ffff}-]/u.test(char) ? char : `%${char}`);
    } catch {
      return undefined; // The caller sees "no match": a URI that cannot be read names nothing.
    }
  }
  return chars;
}

function classOf(char: string): number {
  if (char === "?") return QUESTION;
  if (char === "#") return HASH;
  if (":/[]@!$&'()*+,;=".includes(char)) return RESERVED;
  return char.length > 1 || /[\w.~\x80-\uffff-]/.test(char) ? VALUE : 0;
}

/**
 * One text for all spellings of a URI that are equivalent by their escapes (RFC 3986 section 6.2.2.2), as a match sees
 * them; undefined for what no match can read.
 */
export function spellingOf(uri: string): string | undefined {
  const chars = uri.length > MAX_URI_LENGTH ? undefined : readChars(uri);
  // A character that no URI holds as it is, such as a space, means its escape.
  return chars?.map((char) => (classOf(char) === 0 ? `%${char}` : char)).join("");
}

export function textOf(chars: Chars): string {
  return chars.map((char) => (char.length > 1 && char.startsWith("%") ? char.slice(1) : char)).join("");
}

function startsAt(chars: Chars, at: number, wanted: Chars): boolean {
  return wanted.every((char, index) => chars[at + index] === char);
}

export function matchSteps(steps: readonly Step[], uri: string): Record<string, string | string[]> | undefined {
  const chars = uri.length > MAX_URI_LENGTH ? undefined : readChars(uri);
  if (chars === undefined) return undefined;
  const classes = Uint8Array.from(chars, classOf);
  // fits[s][i]: the steps after s can take exactly the characters from i on. Built from the end, each cell once; the walk
  // forward then only ever takes turns that lead to the end.
  const fits: Uint8Array[] = [];
  let next: Uint8Array = new Uint8Array(chars.length + 1);
  next[chars.length] = 1;
  for (const step of steps.toReversed()) {
    fits.unshift(next);
    next = fitBefore(step, { chars, classes, next });
  }
  if (next[0] !== 1) return undefined;

  const values: Record<string, string | string[]> = Object.create(null);
  let at = 0;
  for (const [index, step] of steps.entries()) {
    const from = at + step.lead.length;
    const rest = fits[index] ?? next;
    const end = startsAt(chars, at, step.lead) ? longestRun(step, from, { chars, classes, next: rest }) : -1;
    const run = end === -1 ? [] : chars.slice(from, end);
    if (end !== -1) at = end;
    if (step.query !== undefined) {
      if (!readQuery(step.query, run, values)) return undefined;
    } else if (step.variable !== undefined) {
      values[step.variable.name] =
        step.separator === undefined ? textOf(run) : splitChars(run, step.separator).map(textOf);
    }
  }
  return values;
}

interface Board {
  readonly chars: Chars;
  readonly classes: Uint8Array;
  /** Where the steps that follow can begin. */
  readonly next: Uint8Array;
}

/** Where `step` can begin so that the steps after it still reach the end. */
function fitBefore(step: Step, { chars, classes, next }: Board): Uint8Array {
  const size = chars.length;
  const never = 0xffff; // Farther from every place than any limit.
  // The nearest place where the run may end: when at `i` the item has some characters already, and when it has none.
  const within = new Uint16Array(size + 1);
  const begin = new Uint16Array(size + 1);
  const fit = new Uint8Array(size + 1);
  for (let i = size; i >= 0; i--) {
    const divides = step.separator !== undefined && startsAt(chars, i, step.separator);
    const eats = !divides && ((classes[i] ?? 0) & step.allows) !== 0;
    const eaten = eats ? (within[i + 1] ?? never) : never;
    within[i] = next[i] === 1 ? i : divides ? (begin[i + (step.separator?.length ?? 0)] ?? never) : eaten;
    begin[i] = (step.min === 0 ? within[i] : eaten) ?? never;
    const from = i + step.lead.length;
    const led = from <= size && startsAt(chars, i, step.lead) && (begin[from] ?? never) - from <= step.max;
    fit[i] = led || (step.optional && next[i] === 1) ? 1 : 0;
  }
  return fit;
}

/** The farthest end of the run from which the rest still fits, or -1. */
function longestRun(step: Step, from: number, { chars, classes, next }: Board): number {
  let end = -1;
  let itemIsEmpty = step.min === 1;
  for (let i = from; i <= chars.length;) {
    if (!itemIsEmpty && next[i] === 1) end = i;
    if (step.separator !== undefined && startsAt(chars, i, step.separator)) {
      if (itemIsEmpty) break;
      itemIsEmpty = true;
      i += step.separator.length;
    } else if (((classes[i] ?? 0) & step.allows) !== 0 && i - from < step.max) {
      itemIsEmpty = false;
      i++;
    } else break;
  }
  return end;
}

function splitChars(run: Chars, separator: Chars): Chars[] {
  const items: Chars[] = [];
  let from = 0;
  for (let i = 0; i < run.length; i++) {
    if (i < from || !startsAt(run, i, separator)) continue;
    items.push(run.slice(from, i));
    from = i + separator.length;
  }
  return [...items, run.slice(from)];
}

/** False when a parameter is repeated that is no list, or is longer than its prefix allows. */
function readQuery(
  parameters: ReadonlyMap<string, SpecifiedVariable>,
  run: Chars,
  values: Record<string, string | string[]>,
): boolean {
  for (const pair of splitChars(run, ["&"])) {
    const equals = pair.indexOf("=");
    const parameter = parameters.get(textOf(equals === -1 ? pair : pair.slice(0, equals)));
    if (parameter === undefined) continue;
    const chars = equals === -1 ? [] : pair.slice(equals + 1);
    const before = values[parameter.name];
    if (chars.length > parameter.max) return false;
    if (before === undefined) values[parameter.name] = parameter.explode ? [textOf(chars)] : textOf(chars);
    else if (Array.isArray(before)) before.push(textOf(chars));
    else return false;
  }
  return true;
}

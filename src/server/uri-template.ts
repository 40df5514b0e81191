/**
 * URI templates: from a resource's URI back to the variables of its template.
 *
 * Contract: `parseUriTemplate` throws a TypeError that names the position; `match` never throws, is anchored at both
 * ends and never backtracks. Own code, because the npm matcher we tried took n^k steps on `{a*}{b*}…`, threw on `%ZZ`,
 * let `{name}` swallow `/` and tripped over prototype keys.
 *
 * RFC 6570 defines expansion only, so the way back is our choice:
 * - A value has one or more characters: `users://` is not `users://{name}`. Only where the URI spells out the name, as in
 *   `?q=` or `;q`, may it be empty.
 * - `{?…}` and `{&…}` are optional and in any order. Parameters that the template does not name are ignored, as web
 *   servers do; a repeated one is no match unless it is exploded. `+` is a plus sign, not a space.
 * - `*` always means a list, never name-value pairs. Where several readings fit, the earlier variable takes the most, but
 *   `{+path}` leaves a query to a later `{?…}`.
 * - A malformed escape or a lone surrogate anywhere in the URI is no match. Non-ASCII text and its escapes are the same.
 * - A value is decoded, and then it is just a string. `{name}` never spans a raw `/`, yet `..%2Fkey` gives `../key`, and
 *   `{+path}` gives `../key` outright: a handler that opens files has to confine the value itself.
 *
 * @see spec 2026-07-28 server/resources#resource-templates
 * @see RFC 6570 sections 2 and 3.2
 */

/** Matching is linear in this; real resource URIs are far shorter, and browsers and proxies give up near 8 KiB too. */
export const MAX_URI_LENGTH = 8_192;
/** Bounds the number of expressions, the other factor of the cost of a match. */
export const MAX_TEMPLATE_LENGTH = 2_048;

export interface UriTemplate {
  readonly source: string;
  /** In the order of the template. */
  readonly variables: readonly string[];
  /** The decoded values, on an object without prototype, or `undefined` if the URI is not one of this template. */
  match(uri: string): Record<string, string | string[]> | undefined;
}

/** What `match` yields for a template known at compile time: `{a}` and `{b*}` are there, `{?c}` may be absent. */
export type UriVariables<Template extends string> = string extends Template
  ? Record<string, string | string[] | undefined>
  : { [Name in keyof Expressions<Template>]: Expressions<Template>[Name] };
type Expressions<T extends string> = T extends `${string}{${infer E}}${infer Rest}`
  ? Expression<E> & Expressions<Rest>
  : unknown;
type Expression<E extends string> = E extends `${"?" | "&"}${infer List}`
  ? Partial<Variables<List>>
  : E extends `${"+" | "#" | "." | "/" | ";"}${infer List}`
    ? Variables<List>
    : Variables<E>;
type Variables<List extends string> = List extends `${infer V},${infer Rest}`
  ? Variable<V> & Variables<Rest>
  : Variable<List>;
type Variable<V extends string> = V extends `${infer Name}*`
  ? Record<Name, string[]>
  : V extends `${infer Name}:${string}`
    ? Record<Name, string>
    : Record<V, string>;

/**
 * Text as comparable characters: one code point each, prefixed with `%` if it was escaped and the escape matters, so
 * that `%2F` differs from `/` while `%61` equals `a` (RFC 3986 section 6.2.2.2) and `%C3%BC` equals `ü`.
 */
type Chars = readonly string[];

// Classes of characters, as bits. `?` and `#` stand apart from the other reserved ones because a query ends at `#`, and
// a path that a query follows at `?`.
const VALUE = 1;
const RESERVED = 2;
const QUESTION = 4;
const HASH = 8;
const ANY = VALUE | RESERVED | QUESTION | HASH;

interface SpecifiedVariable {
  /** As the template has it, escapes and all. */
  readonly name: string;
  /** As a URI spells it. */
  readonly chars: Chars;
  readonly explode: boolean;
  /** The longest value in characters: the `3` of `{name:3}`. */
  readonly max: number;
}

/** A template is a row of steps. Each takes `lead` literally, then a run of at least `min` characters that it allows. */
interface Step {
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

const NO_LIMIT = MAX_URI_LENGTH;
const VARIABLE = /^((?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*)(\*?)(?::([1-9]\d{0,3}))?(\*?)$/i;
const OPERATORS: ReadonlyMap<string, { first: string; separator: string; allows: number }> = new Map([
  ["", { first: "", separator: ",", allows: VALUE }],
  ["+", { first: "", separator: ",", allows: ANY }],
  ["#", { first: "#", separator: ",", allows: ANY }],
  [".", { first: ".", separator: ".", allows: VALUE }],
  ["/", { first: "/", separator: "/", allows: VALUE }],
  [";", { first: ";", separator: ";", allows: VALUE }],
  ["?", { first: "?", separator: "&", allows: ANY & ~HASH }],
  ["&", { first: "&", separator: "&", allows: ANY & ~HASH }],
]);

/** @throws {TypeError} on a template that RFC 6570 does not allow, one that repeats a variable, or one too long. */
export function parseUriTemplate(template: string): UriTemplate {
  if (template.length > MAX_TEMPLATE_LENGTH) fail(`longer than ${MAX_TEMPLATE_LENGTH} characters`, MAX_TEMPLATE_LENGTH);
  const steps: Step[] = [];
  const names = new Set<string>();
  for (let at = 0; at < template.length;) {
    if (template[at] !== "{") {
      const open = template.indexOf("{", at);
      const end = open === -1 ? template.length : open;
      steps.push(fixed(parseLiteral(template.slice(at, end), at)));
      at = end;
      continue;
    }
    const close = template.indexOf("}", at);
    if (close === -1) fail("unclosed brace", at);
    addExpression(steps, names, { text: template.slice(at + 1, close), at: at + 1 });
    at = close + 1;
  }
  let queryFollows = false;
  for (const step of steps.toReversed()) {
    if (step.query !== undefined) queryFollows ||= step.lead[0] === "?";
    else if (queryFollows) step.allows &= ~QUESTION;
  }
  return { source: template, variables: [...names], match: (uri) => matchSteps(steps, uri) };
}

function fail(reason: string, at: number): never {
  throw new TypeError(`URI template: ${reason} at position ${at}`);
}

function parseLiteral(text: string, at: number): Chars {
  const bad = text.search(/[\0-\x20"<>\\^`|}\x7f]|%(?![\da-f]{2})/i);
  if (bad !== -1) fail("character not allowed", at + bad);
  return readChars(text) ?? fail("malformed percent escape", at);
}

function addExpression(steps: Step[], names: Set<string>, { text, at }: { text: string; at: number }): void {
  const operator = /^[+#./;?&=,!@|]?/.exec(text)?.[0] ?? "";
  const rules = OPERATORS.get(operator) ?? fail(`unknown operator ${operator}`, at);
  if (text === operator) fail("empty expression", at);
  let offset = at + operator.length;
  const variables = text
    .slice(operator.length)
    .split(",")
    .map((specified) => {
      const variable = parseVariable(specified, offset);
      if (names.has(variable.name)) fail("duplicate variable", offset);
      names.add(variable.name);
      offset += specified.length + 1;
      return variable;
    });
  if (operator === "?" || operator === "&") {
    // `{?a}{&b}` is one query to the reader of a URI: in two steps the first would ignore `b` as unknown.
    const before = operator === "&" ? steps.at(-1)?.query : undefined;
    const query = before ?? new Map<string, SpecifiedVariable>();
    for (const variable of variables) query.set(textOf(variable.chars), variable);
    if (before === undefined)
      steps.push({ ...fixed([rules.first]), allows: rules.allows, max: NO_LIMIT, optional: true, query });
    return;
  }
  for (const [index, variable] of variables.entries()) {
    const sign = index === 0 ? rules.first : rules.separator;
    const step: Step = {
      ...fixed(sign === "" ? [] : [sign]),
      allows: rules.allows,
      max: variable.max,
      min: 1,
      variable,
    };
    const named = operator === ";" ? [";", ...variable.chars] : undefined;
    if (variable.explode) {
      const separator = named === undefined ? [rules.separator] : [...named, "="];
      steps.push({ ...step, lead: named === undefined ? step.lead : separator, separator });
    } else if (named === undefined) steps.push(step);
    else steps.push(fixed(named), { ...step, lead: ["="], min: 0, optional: true });
  }
}

function parseVariable(text: string, at: number): SpecifiedVariable {
  const [, name, star, max, lateStar] = VARIABLE.exec(text) ?? [];
  const chars = name === undefined ? undefined : readChars(name);
  if (name === undefined || chars === undefined) fail("bad variable name", at);
  if (lateStar || (star && max)) fail("prefix and explode together", at);
  return { name, chars, explode: star === "*", max: max === undefined ? NO_LIMIT : Number(max) };
}

function fixed(lead: Chars): Step {
  return { lead, allows: 0, min: 0, max: 0, optional: false };
}

/** `undefined` for a lone surrogate, a stray `%`, or escapes that are not UTF-8. */
function readChars(text: string): Chars | undefined {
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

function textOf(chars: Chars): string {
  return chars.map((char) => (char.length > 1 && char.startsWith("%") ? char.slice(1) : char)).join("");
}

function startsAt(chars: Chars, at: number, wanted: Chars): boolean {
  return wanted.every((char, index) => chars[at + index] === char);
}

function matchSteps(steps: readonly Step[], uri: string): Record<string, string | string[]> | undefined {
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

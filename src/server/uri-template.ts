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

import {
  ANY,
  type Chars,
  HASH,
  matchSteps,
  MAX_URI_LENGTH,
  QUESTION,
  readChars,
  type SpecifiedVariable,
  type Step,
  textOf,
  VALUE,
} from "./uri-template-match.ts";

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

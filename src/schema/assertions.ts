/**
 * Rules for the keywords that look at a value alone, without sub-schemas.
 *
 * Contract: shapes were checked by keyword-shape.ts, so a keyword that is present has the type it should have.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-6
 */
import type { Expense } from "./expense.ts";
import { issueMessage } from "./issue-message.ts";
import { hasRepeats, isContainer, isEqual, isLengthWithin, isMultiple } from "./json-value.ts";
import type { Pattern } from "./pattern.ts";
import { fail, pointerFrom, type Rule } from "./rule.ts";
import { isPlainObject } from "./walk.ts";

function isType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isPlainObject(value);
    default:
      return typeof value === type;
  }
}

/** `1e400` parses to a number that is none of JSON's; no limit lets it pass. */
const NUMBERS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  minimum: (value, limit) => value >= limit && value !== Infinity,
  maximum: (value, limit) => value <= limit && value !== -Infinity,
  exclusiveMinimum: (value, limit) => value > limit && value !== Infinity,
  exclusiveMaximum: (value, limit) => value < limit && value !== -Infinity,
  multipleOf: isMultiple,
};

const SIZES: Readonly<Record<string, (value: unknown, limit: number, expense: Expense) => boolean>> = {
  minLength: (value, limit, expense) => typeof value !== "string" || isLengthWithin(value, [limit, Infinity], expense),
  maxLength: (value, limit, expense) => typeof value !== "string" || isLengthWithin(value, [0, limit], expense),
  minItems: (value, limit) => !Array.isArray(value) || value.length >= limit,
  maxItems: (value, limit) => !Array.isArray(value) || value.length <= limit,
  minProperties: (value, limit, expense) => !isPlainObject(value) || expense.namesOf(value).length >= limit,
  maxProperties: (value, limit, expense) => !isPlainObject(value) || expense.namesOf(value).length <= limit,
};

/** @param get the value of a keyword, `undefined` when it is absent. */
export function assertionRules(get: (keyword: string) => unknown, pattern: Pattern | undefined): Rule[] {
  const rules: Rule[] = [];
  const rule = (keyword: string, detail: unknown, holds: (value: unknown, expense: Expense) => boolean): void => {
    const message = issueMessage(keyword, detail);
    rules.push((value, run, at) => holds(value, run.expense) || fail(run, at, message));
  };
  const type = get("type");
  if (Array.isArray(type)) rule("type", type, (value) => type.some((name) => isType(value, name)));
  else if (type !== undefined) rule("type", type, (value) => isType(value, type));
  for (const [keyword, holds] of Object.entries(NUMBERS)) {
    const limit = get(keyword);
    if (typeof limit === "number") rule(keyword, limit, (value) => typeof value !== "number" || holds(value, limit));
  }
  for (const [keyword, holds] of Object.entries(SIZES)) {
    const limit = get(keyword);
    if (typeof limit === "number") rule(keyword, limit, (value, expense) => holds(value, limit, expense));
  }
  if (pattern !== undefined) rules.push(patternRule(pattern, issueMessage("pattern", get("pattern"))));
  const constant = get("const");
  if (constant !== undefined) rule("const", [constant], memberOf([constant]));
  const values = get("enum");
  if (Array.isArray(values)) rule("enum", values, memberOf(values));
  if (get("uniqueItems") === true) {
    rules.push((value, run, at) => {
      if (!Array.isArray(value)) return true;
      return !hasRepeats(value, run.expense) || fail(run, at, issueMessage("uniqueItems"));
    });
  }
  rules.push(...requirements(get("required"), get("dependentRequired")));
  return rules;
}

function patternRule(pattern: Pattern, message: string): Rule {
  return (value, run, at) =>
    typeof value !== "string" || pattern.test(value, run.expense, () => pointerFrom(at)) || fail(run, at, message);
}

/** Whether a value is among those of an `enum`. */
export function memberOf(values: readonly unknown[]): (value: unknown, expense: Expense) => boolean {
  const scalars = new Set(values.filter((value) => !isContainer(value)));
  const containers = values.filter(isContainer);
  return (value, expense) => {
    if (!isContainer(value)) return scalars.has(value);
    return containers.some((one) => isEqual(one, value, (object) => expense.namesOf(object)));
  };
}

function requirements(required: unknown, dependent: unknown): Rule[] {
  const rules: Rule[] = [];
  const demand = (names: unknown, because: string | undefined): void => {
    if (!Array.isArray(names)) return;
    rules.push((value, run, at) => {
      if (!isPlainObject(value) || (because !== undefined && !Object.hasOwn(value, because))) return true;
      const missing: unknown = names.find((name) => !Object.hasOwn(value, String(name)));
      return missing === undefined || fail(run, at, issueMessage("required", missing));
    });
  };
  demand(required, undefined);
  if (isPlainObject(dependent)) for (const name of Object.keys(dependent)) demand(dependent[name], name);
  return rules;
}

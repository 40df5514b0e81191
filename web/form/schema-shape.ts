/**
 * What a schema comes down to for a form: references followed, `allOf` put together, `null` taken out, alternatives named.
 *
 * Contract: never throws and always ends, whatever the schema. What it leaves unsaid is left to the check of the whole value.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { own } from "../../src/schema/walk.ts";

export interface Shape {
  readonly schema: JsonObject;
  /** Whether `null` may stand in its place. */
  readonly nullable: boolean;
  /** The references that led here. */
  readonly refs: readonly string[];
  /** To choose from; each is whole, what they have in common included. */
  readonly variants?: readonly Variant[];
}

export interface Variant {
  readonly name: string;
  readonly schema: JsonObject;
}

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** References, and members of `allOf`, on the way to one schema. */
const MAX_PARTS = 50;
/** More than anybody picks from. */
const MAX_CHOICES = 500;
const MAX_VARIANTS = 30;

export function shapeOf(given: unknown, root: JsonObject): Shape {
  const refs: string[] = [];
  const schema = flatten(given, root, refs);
  const { anyOf, oneOf, ...common } = schema;
  const { type } = common;
  let listed = oneOf ?? anyOf;
  // A list of types is one of alternatives that have everything else in common.
  if (Array.isArray(type)) {
    listed = type.map((kind: unknown) => ({ type: kind }));
    delete common["type"];
  }
  if (choicesOf(schema) !== undefined || !Array.isArray(listed) || listed.length > MAX_VARIANTS)
    return { schema, refs, nullable: false };
  const all = listed.map((part: unknown) => ({ part, flat: flatten(part, root, []) }));
  const kept = all.filter(({ flat }) => flat["type"] !== "null");
  const nullable = kept.length < all.length;
  const [only] = kept;
  if (only !== undefined && kept.length === 1)
    return { schema: merged(common, flatten(only.part, root, refs)), refs, nullable };
  const titled = { ...common, anyOf: kept.map(({ part }) => part) };
  if (choicesOf(titled) !== undefined) return { schema: titled, refs, nullable };
  // Alternatives that only say which of the properties go together have no fields of their own.
  if (isObject(common["properties"]) && !kept.some(({ flat }) => isObject(flat["properties"])))
    return { schema: common, refs, nullable };
  const { default: _, title: __, description: ___, ...plain } = common;
  const variants = kept.map(({ part, flat }, index) => ({
    name: nameOf(flat, index),
    schema: { allOf: [part, plain] },
  }));
  return { schema: common, refs, nullable, variants };
}

/** Follows references and puts `allOf` together. @param refs gets the references */
function flatten(given: unknown, root: JsonObject, refs: string[]): JsonObject {
  let schema: JsonObject = {};
  const parts = [given];
  for (let left = MAX_PARTS; parts.length > 0 && left > 0; left--) {
    const part = parts.pop();
    if (!isObject(part)) continue;
    const { $ref, allOf, ...plain } = part;
    schema = merged(schema, plain);
    if (Array.isArray(allOf)) parts.push(...(allOf as unknown[]).toReversed());
    if (typeof $ref !== "string") continue;
    refs.push($ref);
    parts.push(targetOf($ref, root));
  }
  return schema;
}

/** Both. Where they differ the first counts, but properties and what is required add up. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const both: JsonObject = { ...first, ...second, ...first };
  const [properties, more] = [first["properties"], second["properties"]];
  if (isObject(properties) && isObject(more)) both["properties"] = { ...properties, ...more, ...properties };
  const required = [first["required"], second["required"]].flat().filter((name) => typeof name === "string");
  if (required.length > 0) both["required"] = required;
  return both;
}

/** Inside this document only: nothing is ever fetched. */
function targetOf(ref: string, root: JsonObject): unknown {
  if (!/^#(?:\/|$)/.test(ref)) return undefined;
  return ref
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((found, key) => (isObject(found) ? own(found, key) : undefined), root);
}

/** The values of `enum`, `const`, or a `oneOf`/`anyOf` of titled constants; undefined when the schema is no such list. */
export function choicesOf(schema: JsonObject): Choice[] | undefined {
  const { enum: values, enumNames: names, oneOf, anyOf = oneOf } = schema;
  const titles: unknown[] = [names].flat();
  const options: unknown =
    "const" in schema
      ? [{ const: schema["const"] }]
      : Array.isArray(values)
        ? values.map((value: unknown, index) => ({ const: value, title: titles[index] }))
        : anyOf;
  if (!Array.isArray(options) || options.length === 0 || options.length > MAX_CHOICES) return undefined;
  if (!options.every((option): option is JsonObject => isObject(option) && "const" in option)) return undefined;
  return options.map(({ const: value, title }) => ({
    value,
    label: [title, value].find((text) => typeof text === "string") ?? JSON.stringify(value),
  }));
}

/** How an alternative is called: by its title, by the constant that marks it, or by its type. */
function nameOf({ title, properties, type }: JsonObject, index: number): string {
  const marks = entriesOf(properties).map(([, value]) => isObject(value) && value["const"]);
  const names: unknown[] = [title, ...marks, type === "object" ? undefined : type];
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? `Option ${index + 1}`;
}

/** Whether nothing of the second is missing from the first. */
export function holds(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && whole.length === part.length && part.every((one, index) => holds(whole[index], one));
  if (!isObject(part)) return whole === part;
  return (
    isObject(whole) && entriesOf(part).every(([key, value]) => Object.hasOwn(whole, key) && holds(whole[key], value))
  );
}

export function entriesOf(value: unknown): [name: string, value: unknown][] {
  return Object.entries(isObject(value) ? value : {});
}

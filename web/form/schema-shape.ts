/**
 * What a schema comes down to for a form: references followed, `allOf` put together, `null` taken out, alternatives named.
 *
 * Contract: never throws and always ends, whatever the schema. What it leaves unsaid is left to the check of the whole value.
 */
import { objectOf } from "../text.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { own } from "../../src/schema/walk.ts";

export interface Shape {
  readonly schema: JsonObject;
  /** Whether `null` may stand in its place. */
  readonly nullable: boolean;
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

/** More than anybody fills in or picks from. */
export const MANY = 500;
const MAX_VARIANTS = 30;
/** References, and members of `allOf`, on the way to one schema. */
const MAX_PARTS = 50;

export function shapeOf(given: unknown, root: JsonObject): Shape {
  const schema = flatten(given, root);
  const { type, anyOf, oneOf = anyOf, ...common } = schema;
  // A list of types is one of alternatives that have everything else in common.
  const listed = Array.isArray(type) ? type.map((kind: unknown) => ({ type: kind })) : oneOf;
  if (!Array.isArray(listed) || listed.length > MANY || choicesOf(schema) !== undefined)
    return { schema, nullable: false };
  if (!Array.isArray(type) && type !== undefined) common["type"] = type;
  const all = listed.map((part: unknown) => flatten(part, root));
  const kept = all.filter((part) => part["type"] !== "null");
  const nullable = kept.length < all.length;
  const [only = {}] = kept;
  if (kept.length === 1) return { schema: merged(common, only), nullable };
  const titled = { ...common, anyOf: kept };
  if (choicesOf(titled) !== undefined) return { schema: titled, nullable };
  // Alternatives that only say which of the properties go together have no fields of their own.
  const isRule = isObject(common["properties"]) && !kept.some((part) => isObject(part["properties"]));
  if (isRule || kept.length > MAX_VARIANTS) return { schema, nullable };
  const plain = bare(common);
  const variants = kept.map((part, index) => ({ name: nameOf(part, index), schema: merged(part, plain) }));
  return { schema, nullable, variants };
}

/** Without what is said, or done, around it. */
export function bare(schema: JsonObject): JsonObject {
  const { default: _, title: __, description: ___, ...plain } = schema;
  return plain;
}

/** Follows references and puts `allOf` together. */
function flatten(given: unknown, root: JsonObject): JsonObject {
  let schema: JsonObject = {};
  const parts = [given];
  for (let left = MAX_PARTS; parts.length > 0 && left > 0; left--) {
    const { $ref, allOf, ...plain } = objectOf(parts.pop());
    schema = merged(schema, plain);
    parts.push(...[allOf ?? []].flat().toReversed());
    if (typeof $ref === "string") parts.push(targetOf($ref, root));
  }
  return schema;
}

/** Both. Where they differ the first counts, but properties and what is required add up. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const both: JsonObject = { ...first, ...second, ...first };
  const [properties, more] = [first["properties"], second["properties"]];
  if (isObject(properties) && isObject(more)) both["properties"] = { ...properties, ...more, ...properties };
  both["required"] = [first["required"] ?? [], second["required"] ?? []].flat();
  return both;
}

/** Inside this document only: nothing is ever fetched. */
function targetOf(ref: string, root: JsonObject): unknown {
  const [start, ...tokens] = ref.split("/");
  if (start !== "#") return undefined;
  return tokens
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((found, key) => own(objectOf(found), key), root);
}

const YES_OR_NO = [
  { const: true, title: "Yes" },
  { const: false, title: "No" },
];

/** What there is to choose from, if that is all: the values of `enum` or `const`, titled constants, yes and no. */
export function choicesOf(schema: JsonObject): Choice[] | undefined {
  const { enum: values, enumNames: names, oneOf, anyOf = oneOf, type } = schema;
  const titles: unknown[] = [names].flat();
  const options: unknown =
    "const" in schema
      ? [{ const: schema["const"] }]
      : Array.isArray(values)
        ? values.map((value: unknown, index) => ({ const: value, title: titles[index] }))
        : type === "boolean"
          ? YES_OR_NO
          : anyOf;
  if (!Array.isArray(options) || options.length === 0 || options.length > MANY) return undefined;
  if (!options.every((option): option is JsonObject => isObject(option) && "const" in option)) return undefined;
  return options.map(({ const: value, title }) => ({
    value,
    label: [title, value].find((text) => typeof text === "string") ?? JSON.stringify(value),
  }));
}

/** How an alternative is called: by its title, by the constant that marks it, or by its type. */
function nameOf({ title, properties, type }: JsonObject, index: number): string {
  const marks = Object.values(objectOf(properties)).map((property) => objectOf(property)["const"]);
  const names: unknown[] = [title, ...marks, type !== "object" && type];
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? `Option ${index + 1}`;
}

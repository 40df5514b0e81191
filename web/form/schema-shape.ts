/**
 * What a schema comes down to for a form: references followed, `allOf` put together, `null` taken out, alternatives named.
 *
 * Contract: never throws and always ends, whatever the schema. What it leaves unsaid is left to the check of the whole value.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

export interface Shape {
  readonly schema: JsonObject;
  /** Whether `null` may stand in its place. */
  readonly nullable: boolean;
  /** The references that led here. */
  readonly refs: readonly string[];
  /** To choose from; each is whole, what they have in common included. */
  readonly variants: readonly Variant[] | undefined;
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
  const as = (found: JsonObject, nullable = false, variants?: readonly Variant[]): Shape => ({
    schema: found,
    nullable,
    refs,
    variants,
  });
  const { anyOf, oneOf, ...rest } = schema;
  const { type, ...untyped } = rest;
  // A list of types is one of alternatives that have everything else in common.
  const kinds = Array.isArray(type) ? type.map((kind: unknown) => ({ type: kind })) : undefined;
  const listed: unknown = kinds ?? oneOf ?? anyOf;
  if (choicesOf(schema) !== undefined || !Array.isArray(listed) || listed.length > MAX_VARIANTS) return as(schema);
  const common = kinds === undefined ? rest : untyped;
  const all = listed.map((part: unknown) => ({ part, flat: flatten(part, root, []) }));
  const kept = all.filter(({ flat }) => flat["type"] !== "null");
  const nullable = kept.length < all.length;
  const [only] = kept;
  if (only !== undefined && kept.length === 1) return as(merged(common, flatten(only.part, root, refs)), nullable);
  const titled = { ...common, anyOf: kept.map(({ part }) => part) };
  if (choicesOf(titled) !== undefined) return as(titled, nullable);
  // Alternatives that only say which of the properties go together have no fields of their own.
  if (isObject(common["properties"]) && !kept.some(({ flat }) => isObject(flat["properties"])))
    return as(common, nullable);
  const { default: _, title: __, description: ___, ...plain } = common;
  const variants = kept.map(({ part, flat }, index) => {
    // References stay, where they can, so that those which lead back are noticed.
    const whole = plain["properties"] === undefined && isObject(part) ? { ...plain, ...part } : merged(flat, plain);
    return { name: nameOf(flat, index), schema: whole };
  });
  return as(common, nullable, variants);
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
  return { ...both, ...(required.length > 0 && { required }) };
}

/** Inside this document only: nothing is ever fetched. */
function targetOf(ref: string, root: JsonObject): unknown {
  if (!/^#(?:\/|$)/.test(ref)) return undefined;
  let found: unknown = root;
  for (const token of ref.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}

/** The values of `enum`, `const`, or a `oneOf`/`anyOf` of titled constants; undefined when the schema is no such list. */
export function choicesOf(schema: JsonObject): Choice[] | undefined {
  const { enum: values, enumNames: names } = schema;
  if ("const" in schema) return [choice(schema["const"], undefined)];
  const labels: unknown[] = Array.isArray(names) ? names : [];
  const options: unknown = schema["oneOf"] ?? schema["anyOf"];
  const choices = Array.isArray(values)
    ? values.map((value: unknown, index) => choice(value, labels[index]))
    : Array.isArray(options)
      ? options.map((option: unknown) =>
          isObject(option) && "const" in option ? choice(option["const"], option["title"]) : undefined,
        )
      : [];
  if (choices.length === 0 || choices.length > MAX_CHOICES) return undefined;
  return choices.every((found) => found !== undefined) ? choices : undefined;
}

function choice(value: unknown, label: unknown): Choice {
  return {
    value,
    label: typeof label === "string" ? label : typeof value === "string" ? value : JSON.stringify(value),
  };
}

/** How an alternative is called: by its title, by the constant that marks it, or by its type. */
function nameOf({ title, properties, type }: JsonObject, index: number): string {
  const marks = Object.values(isObject(properties) ? properties : {}).map((value) => isObject(value) && value["const"]);
  const names: unknown[] = [title, ...marks, type === "object" ? undefined : type];
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? `Option ${index + 1}`;
}

/** Whether nothing of the second is missing from the first. */
export function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null || Array.isArray(whole) !== Array.isArray(part)) return false;
  if (Array.isArray(part) && Array.isArray(whole) && whole.length !== part.length) return false;
  // Both are objects or arrays here.
  const [all, some] = [whole, part] as [JsonObject, JsonObject];
  return Object.keys(some).every((key) => Object.hasOwn(all, key) && holds(all[key], some[key]));
}

/**
 * The shape that each assertion keyword must have, as far as the meta-schemas of 2020-12 and draft-07 agree.
 *
 * Contract: `checkKeywordShapes` throws `SchemaError` for a value with which a validator could only guess. Pure annotations (`title`,
 * `format`, unknown keywords) are left alone: a wrong `description` changes no verdict. Repeats in `required`, `type` and `enum` change
 * no verdict either and are common in generated schemas, so they pass.
 */
import { SchemaError, type JsonSchema } from "./engine.ts";
import { isPlainObject, own, pointerTo, type Dialect, type Visit } from "./walk.ts";

type Shape = readonly [reason: string, fits: (value: unknown) => boolean];

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const COUNT: Shape = ["must be a non-negative integer", (v) => Number.isInteger(v) && Number(v) >= 0];
const FINITE: Shape = ["must be a number", (v) => Number.isFinite(v)];
const TEXT: Shape = ["must be a string", (v) => typeof v === "string"];
const NAMES: Shape = ["must be an array of property names", isStrings];
const ANCHOR: Shape = ["must be an anchor name", (v) => typeof v === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(v)];

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    "type",
    [
      "must be a type or an array of types",
      (v) => (Array.isArray(v) ? v.length > 0 && v.every((name) => TYPES.has(name)) : TYPES.has(v)),
    ],
  ],
  ["enum", ["must be an array", Array.isArray]],
  ["required", NAMES],
  ...["allOf", "anyOf", "oneOf"].map((name): [string, Shape] => [
    name,
    ["must be an array of at least one schema", (v) => Array.isArray(v) && v.length > 0],
  ]),
  ["multipleOf", ["must be a number above zero", (v) => Number.isFinite(v) && Number(v) > 0]],
  ["uniqueItems", ["must be a boolean", (v) => typeof v === "boolean"]],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name): [string, Shape] => [name, FINITE]),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map(
    (name): [string, Shape] => [name, COUNT],
  ),
  ...["pattern", "$ref", "$id", "$schema"].map((name): [string, Shape] => [name, TEXT]),
]);

const SHAPES_2020: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["minContains", COUNT],
  ["maxContains", COUNT],
  ["$dynamicRef", TEXT],
  ["$anchor", ANCHOR],
  ["$dynamicAnchor", ANCHOR],
  [
    "dependentRequired",
    ["must hold arrays of property names", (v) => isPlainObject(v) && Object.values(v).every(isStrings)],
  ],
  // A vocabulary changes what keywords mean; here their meaning is fixed.
  ["$vocabulary", ["is not supported", () => false]],
]);

/** @throws {SchemaError} */
export function checkKeywordShapes(visit: Visit, schema: JsonSchema, dialect: Dialect): void {
  const refuse = (keyword: string, reason: string): SchemaError => {
    return new SchemaError(`${pointerTo(visit)}/${keyword}`, reason);
  };
  for (const keyword of Object.keys(schema)) {
    const shape = SHAPES.get(keyword) ?? (dialect === "2020-12" ? SHAPES_2020.get(keyword) : undefined);
    if (shape !== undefined && !shape[1](schema[keyword])) throw refuse(keyword, shape[0]);
  }
  const dependencies = dialect === "draft-07" ? own(schema, "dependencies") : undefined;
  if (!isPlainObject(dependencies)) return; // the walk says so
  for (const names of Object.values(dependencies)) {
    if (Array.isArray(names) && !isStrings(names)) throw refuse("dependencies", NAMES[0]);
  }
}

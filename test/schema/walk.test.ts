import { expect, test } from "vitest";
import { SchemaError, type JsonSchema } from "../../src/schema/engine.ts";
import { MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS, pointerTo, walkSchema, type Dialect } from "../../src/schema/walk.ts";

function pointers(schema: JsonSchema | boolean, dialect: Dialect = "2020-12"): string[] {
  return [...walkSchema(schema, dialect)].map((visit) => pointerTo(visit)).toSorted();
}

test("the walk visits lists, maps and single schemas with their JSON Pointers", () => {
  const schema = { properties: { "a/b": true, "~": {} }, allOf: [{ not: {} }], items: false };
  expect(pointers(schema)).toEqual(["", "/allOf/0", "/allOf/0/not", "/items", "/properties/a~1b", "/properties/~0"]);
});

test("the walk never enters const, enum, default, examples or an unknown keyword", () => {
  expect(
    pointers({
      const: { not: 1 },
      enum: [{ not: 1 }],
      default: { not: 1 },
      examples: [{ not: 1 }],
      "x-any": { not: 1 },
    }),
  ).toEqual([""]);
});

test("names from Object.prototype are plain property names", () => {
  const schema: JsonSchema = JSON.parse('{"properties":{"__proto__":{"not":{}},"constructor":{},"toString":true}}');
  expect(pointers(schema)).toEqual([
    "",
    "/properties/__proto__",
    "/properties/__proto__/not",
    "/properties/constructor",
    "/properties/toString",
  ]);
});

test("each dialect has its own keywords", () => {
  const schema = { prefixItems: [{}], additionalItems: {}, dependencies: { a: {}, b: ["c"] }, unevaluatedItems: {} };
  expect(pointers(schema)).toEqual(["", "/prefixItems/0", "/unevaluatedItems"]);
  expect(pointers(schema, "draft-07")).toEqual(["", "/additionalItems", "/dependencies/a"]);
  expect(pointers({ items: [{}, true] }, "draft-07")).toEqual(["", "/items/0", "/items/1"]);
});

test("beside a draft-07 $ref only definitions are visited", () => {
  expect(pointers({ $ref: "#/definitions/a", not: {}, definitions: { a: {} } }, "draft-07")).toEqual([
    "",
    "/definitions/a",
  ]);
});

test("a step tells its keyword and key, so that callers can ask for properties", () => {
  const visit = [...walkSchema({ properties: { properties: { not: {} } } }, "2020-12")].find(
    ({ keyword }) => keyword === "properties",
  );
  expect(visit).toMatchObject({ keyword: "properties", key: "properties", depth: 1 });
});

test("something else in a schema's place is a SchemaError with the whole pointer", () => {
  for (const [schema, path] of [
    [{ properties: { a: { properties: null } } }, "/properties/a/properties"],
    [{ not: { items: [] } }, "/not/items"],
    [{ allOf: [{ anyOf: {} }] }, "/allOf/0/anyOf"],
    [{ items: { not: 1 } }, "/items/not"],
  ] as const) {
    expect(() => pointers(schema)).toThrow(expect.objectContaining({ name: "SchemaError", path }));
  }
});

test("depth, number and cycles end in a SchemaError, never in an overflow", () => {
  let deep: JsonSchema = {};
  for (let level = 0; level < 200_000; level++) deep = { not: deep };
  const cycle: Record<string, unknown> = {};
  cycle["not"] = cycle;
  const wide = { anyOf: Array.from({ length: MAX_SUBSCHEMAS }, () => ({})) };
  for (const schema of [deep, cycle, wide]) expect(() => pointers(schema)).toThrow(SchemaError);
  let allowed: JsonSchema = {};
  for (let level = 0; level < MAX_SCHEMA_DEPTH; level++) allowed = { not: allowed };
  expect(pointers(allowed)).toHaveLength(MAX_SCHEMA_DEPTH + 1);
});

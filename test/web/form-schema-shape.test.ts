import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/protocol/types.ts";
import { choicesOf, shapeOf } from "../../web/form/schema-shape.ts";

describe("what a schema comes down to", () => {
  const root: JsonObject = {
    $defs: {
      name: { type: "string", minLength: 1 },
      "a/b~c": { type: "number" },
      loop: { $ref: "#/$defs/loop" },
      again: { allOf: [{ $ref: "#/$defs/again" }, { title: "Again" }] },
      person: { type: "object", properties: { name: { $ref: "#/$defs/name" } }, required: ["name"] },
    },
  };

  test("a reference is followed, and what stands beside it counts more", () => {
    const { schema } = shapeOf({ $ref: "#/$defs/name", title: "Yours", minLength: 2 }, root);
    expect(schema).toEqual({ type: "string", minLength: 2, title: "Yours", required: [] });
  });

  test("pointers are unescaped", () => {
    expect(shapeOf({ $ref: "#/$defs/a~1b~0c" }, root).schema).toEqual({ type: "number", required: [] });
  });

  test.each([
    "#/$defs/none",
    "#/$defs/__proto__",
    "https://elsewhere.test/s",
    "#anchor",
    "#/$defs/%",
    "#/$defs/toString",
  ])("%s leads nowhere, which is no fault", ($ref) => {
    expect(shapeOf({ $ref, title: "T" }, root).schema).toEqual({ title: "T", required: [] });
  });

  test.each(["#/$defs/loop", "#/$defs/again", "#"])("%s ends", ($ref) => {
    expect(shapeOf({ $ref }, { ...root, $ref: "#" }).nullable).toBe(false);
  });

  test("the parts of allOf add up", () => {
    const extra = { properties: { age: { type: "integer" } }, required: ["age"] };
    const { schema } = shapeOf({ allOf: [{ $ref: "#/$defs/person" }, extra] }, root);
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual(["name", "age"]);
    expect(schema["required"]).toEqual(["name", "age"]);
  });

  test.each([
    [
      { type: ["string", "null"], maxLength: 3 },
      { type: "string", maxLength: 3 },
    ],
    [
      { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }], title: "T" },
      { type: "string", maxLength: 3, title: "T" },
    ],
    [{ oneOf: [{ $ref: "#/$defs/name" }, { type: "null" }] }, { type: "string", minLength: 1 }],
  ])("%j may be null", (given, schema) => {
    expect(shapeOf(given, root)).toEqual({ schema: { ...schema, required: [] }, nullable: true });
  });

  test("choices stay choices beside null", () => {
    const options = [
      { const: "a", title: "A" },
      { const: "b", title: "B" },
    ];
    const { schema, nullable } = shapeOf({ anyOf: [...options, { type: "null" }] }, root);
    expect([choicesOf(schema)?.map(({ label }) => label), nullable]).toEqual([["A", "B"], true]);
  });

  test("alternatives are named by title, by the constant that marks them, by type, or by number", () => {
    const { variants } = shapeOf(
      {
        oneOf: [
          { title: "Circle", type: "object" },
          { type: "object", properties: { kind: { const: "box" } } },
          { type: "string" },
          { type: "object" },
          true,
        ],
      },
      root,
    );
    expect(variants?.map(({ name }) => name)).toEqual(["Circle", "box", "string", "Option 4", "Option 5"]);
  });

  test("alternatives have what stands beside them", () => {
    const { variants } = shapeOf(
      {
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        oneOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }],
      },
      root,
    );
    const whole = variants?.map((variant) => shapeOf(variant.schema, root).schema);
    expect(whole?.map(({ properties, required }) => [Object.keys(properties as JsonObject), required])).toEqual([
      [
        ["a", "id"],
        ["a", "id"],
      ],
      [["b", "id"], ["id"]],
    ]);
  });

  test("alternatives that only say what goes together are no choice", () => {
    const properties = { a: {}, b: {} };
    const given = { properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(shapeOf(given, root)).toEqual({ schema: { ...given, required: [] }, nullable: false });
  });

  test.each([undefined, null, true, 7, "x", [], { type: [] }, { anyOf: [] }, { allOf: [null, 3] }, { enum: "x" }])(
    "%j is taken without complaint",
    (given) => {
      expect(shapeOf(given, root).nullable).toBe(false);
    },
  );
});

test.each([
  [{ enum: ["a", 1, null] }, ["a", "1", "null"]],
  [{ enum: ["a", "b"], enumNames: ["Ay"] }, ["Ay", "b"]],
  [{ const: false }, ["false"]],
  [{ oneOf: [{ const: "x", title: "Ex" }, { const: 2 }] }, ["Ex", "2"]],
  [{ anyOf: [{ const: "x" }, { type: "string" }] }, undefined],
  [{ enum: [] }, undefined],
  [{ type: "boolean" }, ["Yes", "No"]],
  [{ enum: Array.from({ length: 501 }, (_, index) => index) }, undefined],
])("the choices of a schema (%#)", (schema, labels) => {
  expect(choicesOf(schema)?.map(({ label }) => label)).toEqual(labels);
});

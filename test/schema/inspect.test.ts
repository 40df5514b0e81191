import { describe, expect, test } from "vitest";
import { inspectSchema } from "../../src/schema/inspect.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

test.each([
  [undefined, "2020-12"],
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  ["https://json-schema.org/draft/2020-12/schema#", "2020-12"],
  [DRAFT_07, "draft-07"],
  ["http://json-schema.org/draft-07/schema", "draft-07"],
  ["https://json-schema.org/draft-07/schema#", "draft-07"],
])("$schema %s means %s", (uri, dialect) => {
  expect(inspectSchema(uri === undefined ? {} : { $schema: uri }).dialect).toBe(dialect);
});

describe("a schema is refused", () => {
  const rows: readonly (readonly [why: string, schema: unknown, path: string])[] = [
    ["when it is no object or boolean", [], ""],
    ["when it is null", null, ""],
    ["for an unknown dialect", { $schema: "https://json-schema.org/draft/2019-09/schema" }, "/$schema"],
    ["for a $schema at a stranger's", { $schema: "https://evil.test/meta" }, "/$schema"],
    ["for a $schema that is no string", { $schema: 7 }, "/$schema"],
    ["for an unknown dialect further in", { $defs: { a: { $schema: "https://evil.test/meta" } } }, "/$defs/a/$schema"],
    ["for another dialect further in", { $defs: { a: { $schema: DRAFT_07 } } }, "/$defs/a/$schema"],
    ["for $vocabulary", { $vocabulary: {} }, "/$vocabulary"],
    ["for an external $ref", { properties: { a: { $ref: "https://evil.test/s.json" } } }, "/properties/a/$ref"],
    ["for a protocol-relative $ref", { properties: { a: { $ref: "//h/s" } } }, "/properties/a/$ref"],
    ["for a $ref to nothing", { $ref: "#/$defs/no" }, "/$ref"],
    ["for a $ref to an anchor that is not there", { $ref: "#no" }, "/$ref"],
    ["for a $ref into const", { const: { a: {} }, $ref: "#/const/a" }, "/$ref"],
    ["for a $ref up the prototype chain", { $ref: "#/constructor" }, "/$ref"],
    ["for a $ref that is no string", { $ref: {} }, "/$ref"],
    ["for a $ref with a broken escape", { $ref: "#/%zz" }, "/$ref"],
    ["for a $ref out of its $id", { $id: "https://a.test/x", $ref: "y" }, "/$ref"],
    ["for a $dynamicRef to nothing", { $dynamicRef: "#no" }, "/$dynamicRef"],
    ["for a repeated $anchor", { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b"],
    ["for a schema that is itself", { $ref: "#" }, ""],
    [
      "for a loop that never enters the value",
      { $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } },
      "/$defs/b/anyOf/0",
    ],
    ["for properties null", { properties: null }, "/properties"],
    ["for an unknown type", { type: "Object" }, "/type"],
    ["for required as a string", { properties: { a: { required: "x" } } }, "/properties/a/required"],
    ["for required true", { required: true }, "/required"],
    ["for draft-04's exclusiveMinimum", { exclusiveMinimum: true }, "/exclusiveMinimum"],
    ["for a negative length", { minLength: -1 }, "/minLength"],
    ["for multipleOf zero", { multipleOf: 0 }, "/multipleOf"],
    ["for enum as an object", { enum: {} }, "/enum"],
    ["for an empty anyOf", { anyOf: [] }, "/anyOf"],
    ["for tuple items in 2020-12", { items: [{}] }, "/items"],
    ["for a dependency that is no list of names", { $schema: DRAFT_07, dependencies: { a: [1] } }, "/dependencies"],
  ];
  test.each(rows)("%s", (_why, schema, path) => {
    expect(() => inspectSchema(schema)).toThrow(expect.objectContaining({ name: "SchemaError", path }));
  });

  test("when a $dynamicRef depends on the path taken to it", () => {
    const schema = {
      $id: "https://a.test/root",
      $ref: "list",
      $defs: {
        item: { $dynamicAnchor: "item", type: "string" },
        list: { $id: "list", items: { $dynamicRef: "#item" }, $defs: { any: { $dynamicAnchor: "item" } } },
      },
    };
    expect(() => inspectSchema(schema)).toThrow("dynamic scope");
  });
});

test.each([
  [{ $id: "https://a.test/x", $ref: "#/$defs/y", $defs: { y: {} } }],
  [{ $id: "https://a.test/x", $ref: "y", $defs: { y: { $id: "y" } } }],
  [{ $id: "https://a.test/x", $ref: "https://a.test/x#/$defs/y", $defs: { y: {} } }],
  [{ $id: "urn:example:a", $ref: "#y", $defs: { y: { $anchor: "y" } } }],
  [{ $ref: "y.json", $defs: { y: { $id: "y.json" } } }],
  [{ $ref: "#/$defs/a~1b%25~0", $defs: { "a/b%~": {} } }],
  [{ $ref: "#/x-any/0/a", "x-any": [{ a: { items: { $ref: "#/x-any/0/a" } } }] }],
  [{ $schema: DRAFT_07, $ref: "#y", definitions: { y: { $id: "#y" } } }],
  [{ $schema: DRAFT_07, properties: { a: { $ref: "#" } } }],
])("references inside the document resolve in %j", (schema) => {
  expect(inspectSchema(schema).nodes.some((node) => node.references.length > 0)).toBe(true);
});

test("nothing is ever fetched", () => {
  const { fetch } = globalThis;
  let fetches = 0;
  globalThis.fetch = () => {
    fetches++;
    return Promise.reject(new Error("fetched"));
  };
  try {
    expect(() => inspectSchema({ $ref: "https://evil.test/s.json" })).toThrow("nothing is fetched");
  } finally {
    globalThis.fetch = fetch;
  }
  expect(fetches).toBe(0);
});

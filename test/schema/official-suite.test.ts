import { describe, expect, test } from "vitest";
import { ajvEngine } from "../../src/schema/ajv.ts";
import type { JsonSchema } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { officialSuiteDirectory, runOfficialSuite } from "./official-suite.ts";

// Refused are: references to remote documents and to the meta-schemas, custom meta-schemas, truly dynamic `$dynamicRef`s.
const EXPECTED = {
  "draft2020-12": { passed: 1099, failed: 0, refusedCases: 77, total: 1176 },
  draft7: { passed: 836, failed: 0, refusedCases: 25, total: 861 },
} as const;

const REFUSED_FOR = /leads nowhere in this schema|depends on the dynamic scope|names a dialect other than/;

const ENGINES = [ajvEngine(), interpreterEngine()];
const directory = officialSuiteDirectory();

if (directory === undefined)
  console.log("official JSON-Schema-Test-Suite not found; set JSON_SCHEMA_TEST_SUITE to its directory");

describe.skipIf(directory === undefined).each(ENGINES)("the official suite with $name", (engine) => {
  test.each(["draft2020-12", "draft7"] as const)("gives no wrong verdict in %s", (dialect) => {
    const { failures, refusals, ...counts } = runOfficialSuite(engine, dialect, directory ?? "");
    console.log(
      `${engine.name} ${dialect}: ${counts.passed} passed, ${counts.refusedCases} refused, ${counts.total} in all`,
    );
    expect(failures).toEqual([]);
    expect(counts).toEqual(EXPECTED[dialect]);
    expect(refusals.filter((refusal) => !REFUSED_FOR.test(refusal))).toEqual([]);
  });
});

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const SHEET: readonly (readonly [schema: JsonSchema | boolean, good: readonly unknown[], bad: readonly unknown[]])[] = [
  [true, [1, null], []],
  [false, [], [1, null]],
  [{ type: ["integer", "null"] }, [1, 1.0, null], [1.5, "1"]],
  [{ enum: [1, { a: [] }] }, [1, { a: [] }], [2, { a: {} }]],
  [{ const: null }, [null], [0, undefined, false]],
  [{ multipleOf: 0.01 }, [19.99, 0, "x"], [19.999]],
  [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0.9, 3]],
  [{ minLength: 2, maxLength: 2 }, ["ab", "💩💩", 1], ["a", "💩"]],
  [{ pattern: "^a+$" }, ["aa", 1], ["ab"]],
  [
    { minItems: 1, maxItems: 2, uniqueItems: true },
    [[1], [{ a: 1 }, { a: 2 }]],
    [
      [],
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ prefixItems: [{ type: "string" }], items: false }, [["a"], []], [[1], ["a", 1]]],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 2 }, [[1, 1], "x"], [[1], [1, 1, 1]]],
  [{ required: ["toString", "__proto__"] }, [JSON.parse('{"toString":1,"__proto__":2}')], [{}]],
  [
    { properties: JSON.parse('{"__proto__":{"type":"string"}}'), additionalProperties: false },
    [{}, JSON.parse('{"__proto__":"s"}')],
    [JSON.parse('{"__proto__":1}')],
  ],
  [
    { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
    [{ x1: 1 }],
    [{ x1: "1" }, { y: 1 }],
  ],
  [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  [
    { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    [{ b: 1 }, { a: 1, b: 1 }, { c: 1, d: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"number"}}'), ["a", 1], ["", null]],
  [{ oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  [{ not: { type: "string" } }, [1], ["a"]],
  [
    {
      anyOf: [{ properties: { a: true } }, { properties: { b: true }, required: ["b"] }],
      unevaluatedProperties: false,
    },
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ c: 1 }, { a: 1, constructor: 1 }],
  ],
  [{ allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] }, [{}], [{ a: 1 }]],
  [{ prefixItems: [true], contains: { const: 1 }, unevaluatedItems: false }, [[0, 1, 1]], [[0, 1, 2]]],
  [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, ["a"], [1]],
  [{ $dynamicRef: "#node", $defs: { a: { $dynamicAnchor: "node", type: "string" } } }, ["a"], [1]],
  [
    {
      $ref: "#/components/schemas/a",
      components: { schemas: { a: { items: { $ref: "#/components/schemas/a" }, type: "array" } } },
    },
    [[[]]],
    [[1]],
  ],
  [
    { $schema: DRAFT_07, items: [{ type: "string" }], additionalItems: { type: "number" } },
    [["a", 1]],
    [[1], ["a", "b"]],
  ],
  [
    { $schema: DRAFT_07, dependencies: { a: ["b"], c: { required: ["d"] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [{ a: 1 }, { c: 1 }],
  ],
  [{ $schema: DRAFT_07, $ref: "#/definitions/a", type: "number", definitions: { a: { type: "string" } } }, ["a"], [1]],
  [
    { dependencies: { a: ["b"] }, "x-mcp-header": 1, nullable: true, format: "email", example: {} },
    [{ a: 1 }, "no"],
    [],
  ],
];

describe.each(ENGINES)("the small sheet with $name", (engine) => {
  test.each(SHEET)("judges by %j", (schema, good, bad) => {
    const check = engine.compile(schema);
    for (const value of good) expect(check(value)).toBeUndefined();
    for (const value of bad) expect(check(value)?.length).toBeGreaterThan(0);
  });
});

/** What both engines promise, asked of each; and that they agree on whatever fast-check makes up. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ajvEngine } from "../../src/schema/ajv.ts";
import type { JsonSchema, SchemaCheck, SchemaEngine } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";

const MESSAGES: readonly (readonly [schema: JsonSchema, value: unknown, path: string, message: string])[] = [
  [{ required: ["text"] }, {}, "", "must have required property 'text'"],
  [{ additionalProperties: false }, { extra: 1 }, "", "must not have additional property 'extra'"],
  [{ unevaluatedProperties: false }, { extra: 1 }, "", "must not have additional property 'extra'"],
  [{ properties: { "a/b": { type: "string" } } }, { "a/b": 7 }, "/a~1b", "must be string"],
  [{ items: { type: ["string", "null"] } }, [null, 7], "/1", "must be string or null"],
  [{ enum: ["x", "y"] }, "secret", "", 'must be "x" or "y"'],
  [{ const: { a: 1 } }, "secret", "", 'must be {"a":1}'],
  [{ pattern: "^a$" }, "secret", "", "must match the pattern '^a$'"],
  [{ minLength: 3 }, "a", "", "must have at least 3 characters"],
  [{ maxItems: 1 }, [1, 2], "", "must have at most 1 items"],
  [{ minimum: 3 }, 1, "", "must be >= 3"],
  [{ exclusiveMaximum: 3 }, 3, "", "must be < 3"],
  [{ multipleOf: 2 }, 3, "", "must be a multiple of 2"],
  [{ uniqueItems: true }, [1, 1], "", "must not have equal items"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "", "must match at least one of the schemas in anyOf"],
  [{ oneOf: [true, true] }, 1, "", "must match exactly one of the schemas in oneOf"],
  [{ not: {} }, 1, "", "must not match the schema in not"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "", "has the property name 'ab', which is not allowed"],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "", "must have required property 'b'"],
];

const VERDICTS: readonly (readonly [schema: JsonSchema, value: unknown, verdict: "valid" | "invalid"])[] = [
  [{ items: { contains: { const: 1 } } }, [[1], []], "invalid"],
  [{ items: { contains: { const: 1 } } }, [[1], [2, 1]], "valid"],
  [{ additionalProperties: { contains: { minimum: 0 } } }, { a: ["x"], b: [] }, "invalid"],
  [{ contains: { contains: { const: 1 } }, minContains: 2 }, [[1], [], [1]], "valid"],
  [{ contains: { contains: { const: 1 } }, minContains: 2 }, [[1], [], [2]], "invalid"],
  [{ items: { contains: { const: 1 }, maxContains: 1 } }, [[1], [1, 1]], "invalid"],
  [{ items: { contains: { const: 1 }, minContains: 0, maxContains: 1 } }, [[], [1], [2]], "valid"],
  [{ contains: true, minContains: 2, maxContains: 3 }, [1, 2, 3, 4], "invalid"],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 1 }, [1, 1], "invalid"],
  [{ required: [""] }, {}, "invalid"],
  [{ required: [""] }, { "": 1 }, "valid"],
  [{ required: ["", "a"] }, { "": 1 }, "invalid"],
  [{ dependentRequired: { a: [""] } }, { a: 1 }, "invalid"],
  [{ propertyNames: { maxLength: 1 }, minProperties: 1 }, {}, "invalid"],
  [{ minLength: 2 }, "\u{1F600}", "invalid"],
  [{ maxLength: 1 }, "\u{1F600}", "valid"],
  // What JSON.parse makes of 1e400 is no number of JSON.
  ...[
    { minimum: 0 },
    { maximum: 0 },
    { exclusiveMinimum: 0 },
    { exclusiveMaximum: 0 },
    { multipleOf: 2 },
    { type: "number" },
    { type: ["integer", "string"] },
  ].flatMap((schema) => ["1e400", "-1e400"].map((text) => [schema, JSON.parse(text), "invalid"] as const)),
];

describe.each([ajvEngine(), interpreterEngine()])("$name", (engine) => {
  test.each(VERDICTS)("by %j, %j is %s", (schema, value, verdict) => {
    expect(engine.compile(schema)(value) === undefined ? "valid" : "invalid").toBe(verdict);
  });

  test("names from the caller are cut short in paths and messages", () => {
    const name = "n".repeat(1_000_000);
    const nested = { additionalProperties: { additionalProperties: { type: "null" } } };
    for (const schema of [nested, { additionalProperties: false }, { propertyNames: false }]) {
      const issues = engine.compile(schema)({ [name]: { [name]: 1 } });
      expect(JSON.stringify(issues).length).toBeLessThan(2_000);
      expect(issues?.[0]?.path.length).toBeLessThan(400);
    }
  });

  test("however many branches fail, at most ten issues are reported", () => {
    const anyOf = Array.from({ length: 50 }, () => ({ type: "string" }));
    expect(engine.compile({ anyOf })(1)?.length).toBeLessThanOrEqual(10);
  });

  test("an object that changed since it was last checked is looked at afresh", () => {
    const check = engine.compile({ maxProperties: 2_000 });
    const value: Record<string, number> = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, at]));
    expect(check(value)).toBeUndefined();
    value["more"] = 1;
    expect(check(value)).toBeDefined();
  });

  test.each(MESSAGES)("by %j of %j says where and what", (schema, value, path, message) => {
    const issues = engine.compile(schema)(value);
    expect(issues?.[0]).toEqual({ path, message });
    expect(JSON.stringify(issues)).not.toContain("secret");
  });

  test("nothing is coerced and no default is filled in", () => {
    const check = engine.compile({ properties: { n: { type: "number" }, b: { type: "boolean" }, d: { default: 1 } } });
    expect(check({ n: "42" })).toBeDefined();
    expect(check({ b: "false" })).toBeDefined();
    const value = {};
    expect(check(value)).toBeUndefined();
    expect(value).toEqual({});
  });

  test("the same $id in different schemas does not clash", () => {
    const text = engine.compile({ $id: "https://a.test/x", type: "string" });
    const number = engine.compile({ $id: "https://a.test/x", type: "number" });
    expect([text("a"), number(1)]).toEqual([undefined, undefined]);
    expect(number("a")).toBeDefined();
  });

  test("the schema is left as it was", () => {
    const schema = { properties: { a: { $ref: "#/$defs/b", format: "uuid" } }, $defs: { b: { type: "string" } } };
    const before = structuredClone(schema);
    engine.compile(Object.freeze(schema))({ a: "x" });
    expect(schema).toEqual(before);
  });

  test("a property called format, pattern or $ref is only a property", () => {
    const check = engine.compile({
      properties: { format: { type: "string" }, pattern: true, $ref: true },
      required: ["format"],
    });
    expect(check({ format: "x", pattern: "(", $ref: 1 })).toBeUndefined();
    expect(check({})).toBeDefined();
  });

  test("a large integer that lost digits is still an integer", () => {
    expect(engine.compile({ type: "integer" })(JSON.parse("9007199254740993"))).toBeUndefined();
  });

  test("a check never throws, whatever the value", () => {
    const check = engine.compile({
      type: "object",
      properties: { a: { const: { valueOf: 1 } } },
      enum: [{ a: { valueOf: 1 } }],
    });
    const trap = {
      get a(): never {
        throw new Error("trap");
      },
    };
    for (const value of [undefined, 1n, Symbol("x"), () => 1, Object.create(null), trap, { a: { valueOf: 2 } }]) {
      expect(check(value)?.length).toBeGreaterThan(0);
    }
    expect(check({ a: { valueOf: 1 } })).toBeUndefined();
  });
});

const names = fc.constantFrom("", "a", "b", "constructor", "__proto__", "toString");
const scalars = fc.constantFrom(null, true, 0, 1, 1.5, 19.99, "", "a", "ab");
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalars, fc.array(tie("value"), { maxLength: 3 }), object(tie("value"))),
})).value;

/** As JSON.parse makes them: `__proto__` is an own property. */
function object<T>(of: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.array(fc.tuple(names, of), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

const some = <T>(keyword: string, value: fc.Arbitrary<T>): fc.Arbitrary<JsonSchema> =>
  value.map((held) => ({ [keyword]: held }));

const schemas = fc.letrec<{ schema: JsonSchema | boolean; keywords: JsonSchema }>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.boolean(),
      fc.array(tie("keywords"), { maxLength: 3 }).map((all) => Object.assign({}, ...all)),
    ),
    keywords: fc.oneof(
      some("type", fc.constantFrom("object", "array", "integer", "string", "null", ["number", "object"])),
      some("const", values),
      some("enum", fc.array(values, { maxLength: 3 })),
      some("required", fc.array(names, { maxLength: 2 })),
      some("multipleOf", fc.constantFrom(1, 0.01, 1.5)),
      some("pattern", fc.constantFrom("^a", "b$")),
      some("uniqueItems", fc.boolean()),
      some("minItems", fc.nat(2)),
      some("maxLength", fc.nat(2)),
      some("$ref", fc.constantFrom("#/$defs/x", "#/$defs/y")),
      ...[
        "not",
        "if",
        "then",
        "else",
        "items",
        "contains",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
      ].map((keyword) => some(keyword, schema)),
      some("propertyNames", schema),
      ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => some(keyword, list)),
      ...["properties", "dependentSchemas"].map((keyword) => some(keyword, object(schema))),
      some(
        "patternProperties",
        schema.map((held) => ({ "^a|o$": held })),
      ),
      some("minContains", fc.nat(2)),
      some("maxContains", fc.nat(2)),
      some("minProperties", fc.nat(2)),
      some("minimum", fc.constantFrom(0, 1)),
    ),
  };
});

function attempt(engine: SchemaEngine, schema: JsonSchema): SchemaCheck | undefined {
  try {
    return engine.compile(schema);
  } catch (error) {
    // What is left to refuse among these is recursion that never enters the value.
    expect(error).toMatchObject({ reason: "leads back to itself without end" });
    return undefined;
  }
}

test("both engines give the same verdict on made-up schemas and values", () => {
  const [ajv, interpreter] = [ajvEngine(), interpreterEngine()];
  const { schema } = schemas;
  fc.assert(
    fc.property(schema, schema, schema, fc.array(values, { minLength: 5, maxLength: 10 }), (root, x, y, candidates) => {
      const whole = { allOf: [root], $defs: { x, y } };
      const [one, other] = [attempt(ajv, whole), attempt(interpreter, whole)];
      if (one === undefined || other === undefined) {
        expect(one).toBe(other);
        return;
      }
      for (const value of candidates) expect(other(value) === undefined).toBe(one(value) === undefined);
    }),
    { numRuns: 500 },
  );
}, 60_000);

/** Generated code keeps its variables from one turn of a loop to the next; a verdict must not outlive the member it is about. */
const looped = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  leaf: fc.constantFrom<JsonSchema>(
    { const: 1 },
    { type: "string" },
    { minimum: 1 },
    { required: ["a"] },
    { minItems: 1 },
  ),
  schema: fc.oneof(
    { depthSize: "medium" },
    tie("leaf"),
    fc
      .record(
        { contains: tie("schema"), minContains: fc.nat(2), maxContains: fc.nat(2), uniqueItems: fc.boolean() },
        { requiredKeys: ["contains"] },
      )
      .map((keywords): JsonSchema => Object.fromEntries(Object.entries(keywords))),
    ...["items", "additionalProperties", "contains"].map((keyword) => some(keyword, tie("schema"))),
    some("properties", object(tie("schema"))),
    some("prefixItems", fc.tuple(tie("schema"), tie("schema"))),
  ),
})).schema;

const members = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(0, 1, "a", {}, []),
    fc.array(tie("value"), { maxLength: 4 }),
    object(tie("value")),
  ),
})).value;

test("both engines give the same verdict on loops within loops", () => {
  const [ajv, interpreter] = [ajvEngine(), interpreterEngine()];
  const candidates = fc.array(fc.array(members, { maxLength: 4 }), { minLength: 5, maxLength: 10 });
  fc.assert(
    fc.property(looped, candidates, (schema, lists) => {
      const [one, other] = [ajv.compile(schema), interpreter.compile(schema)];
      for (const value of [...lists, ...lists.map((list) => Object.fromEntries(list.entries()))])
        expect(one(value) === undefined).toBe(other(value) === undefined);
    }),
    { numRuns: 500 },
  );
}, 60_000);

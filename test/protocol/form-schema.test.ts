import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  assertFormSchema,
  checkFormContent,
  type FormContent,
  type FormSchema,
} from "../../src/protocol/form-schema.ts";

const form = (properties: object, rest: object = {}): unknown => ({ type: "object", properties, ...rest });
const options = [
  { const: "r", title: "Red" },
  { const: "b", title: "Blue" },
];
const nested = { type: "object", properties: { a: { type: "string" } } };

describe("a server author's schema", () => {
  test.each<[name: string, schema: unknown]>([
    ["no fields", form({})],
    ["a described text", form({ a: { type: "string", title: "A", description: "An a", default: "x" } })],
    ["a bounded text with a format", form({ a: { type: "string", format: "email", minLength: 3, maxLength: 50 } })],
    ["a number with fractional bounds", form({ a: { type: "number", minimum: -0.5, maximum: 0.5, default: 0 } })],
    ["an integer", form({ a: { type: "integer", minimum: 0 } })],
    ["a boolean", form({ a: { type: "boolean", default: false } })],
    ["a plain single choice", form({ a: { type: "string", enum: ["r", "b"], default: "r" } })],
    ["a titled single choice", form({ a: { type: "string", oneOf: options, default: "b" } })],
    ["a legacy titled choice", form({ a: { type: "string", enum: ["r"], enumNames: ["Red"] } })],
    ["a choice of the empty string", form({ a: { type: "string", enum: [""] } })],
    ["a plain multiple choice", form({ a: { type: "array", items: { type: "string", enum: ["r"] }, default: ["r"] } })],
    ["a titled multiple choice", form({ a: { type: "array", items: { anyOf: options }, minItems: 1, maxItems: 2 } })],
    ["a titled multiple choice with a type", form({ a: { type: "array", items: { type: "string", anyOf: options } } })],
    ["required fields", form({ a: { type: "string" } }, { required: ["a"] })],
    [
      "what generators add",
      form({}, { $schema: "https://x.example", additionalProperties: false, title: "T", required: [] }),
    ],
    ["keywords that are undefined", form({ a: { type: "string", title: undefined } }, { required: undefined })],
    [
      "a field named after a prototype",
      form(JSON.parse('{"__proto__":{"type":"string"}}'), { required: ["__proto__"] }),
    ],
  ])("may have %s, and comes back as it is", (_, schema) => {
    expect(assertFormSchema(schema)).toBe(schema);
  });

  test.each<[name: string, schema: unknown, message: string]>([
    ["no object", "object", "must have type object and properties"],
    ["a list", [], "must have type object and properties"],
    ["a root of another type", { type: "array", properties: {} }, "must have type object and properties"],
    ["a root without properties", { type: "object" }, "must have type object and properties"],
    ["open ends", form({}, { additionalProperties: true }), "additionalProperties is malformed"],
    ["combinators at the root", form({}, { anyOf: [] }), "anyOf is malformed"],
    ["required that is no list", form({}, { required: "a" }), "required is malformed"],
    ["required of an undeclared field", form({}, { required: ["a"] }), 'required: no field "a"'],
    ["required of a prototype's field", form({}, { required: ["toString"] }), 'required: no field "toString"'],
    ["a field that is true", form({ a: true }), 'field "a": type is malformed'],
    ["a field without a type", form({ a: {} }), 'field "a": type is malformed'],
    ["a nested object", form({ a: nested }), 'field "a": type is malformed'],
    ["a type list", form({ a: { type: ["string", "null"] } }), 'field "a": type is malformed'],
    ["a type of a prototype", form({ a: { type: "constructor" } }), 'field "a": type is malformed'],
    ["a list of objects", form({ a: { type: "array", items: nested } }), 'field "a": items is malformed'],
    ["a list of free text", form({ a: { type: "array", items: { type: "string" } } }), 'field "a": items is malformed'],
    ["a list of choices without type", form({ a: { type: "array", items: { enum: ["r"] } } }), 'field "a": items is'],
    [
      "a list of two kinds",
      form({ a: { type: "array", items: { type: "string", enum: ["r"], anyOf: options } } }),
      "items is",
    ],
    ["a list of anything", form({ a: { type: "array" } }), 'field "a": items is missing'],
    ["an untitled option", form({ a: { type: "string", oneOf: [{ const: "r" }] } }), 'field "a": oneOf is malformed'],
    ["a numeric option", form({ a: { type: "string", oneOf: [{ const: 1, title: "1" }] } }), 'field "a": oneOf is'],
    ["two kinds of choice", form({ a: { type: "string", enum: ["r"], oneOf: options } }), "enum beside oneOf"],
    ["no choice", form({ a: { type: "string", enum: [] } }), 'field "a": enum is malformed'],
    ["a numeric enum", form({ a: { type: "integer", enum: [1] } }), 'field "a": enum is malformed or not allowed'],
    ["an unknown format", form({ a: { type: "string", format: "ipv4" } }), 'field "a": format is malformed'],
    ["a constraint nobody checks", form({ a: { type: "string", pattern: "^x" } }), 'field "a": pattern is malformed'],
    ["a keyword of another type", form({ a: { type: "boolean", minimum: 1 } }), 'field "a": minimum is malformed'],
    [
      "a keyword of a prototype",
      form({ a: { type: "string", constructor: 1 } }),
      'field "a": constructor is malformed',
    ],
    ["a negative length", form({ a: { type: "string", minLength: -1 } }), 'field "a": minLength is malformed'],
    [
      "bounds that exclude everything",
      form({ a: { type: "number", minimum: 2, maximum: 1 } }),
      "minimum is above maximum",
    ],
    [
      "a default of another type",
      form({ a: { type: "integer", default: "1" } }),
      'field "a": default must be a number',
    ],
    [
      "a default that is no choice",
      form({ a: { type: "string", enum: ["r"], default: "x" } }),
      "default must be one of",
    ],
  ])("may not be or have %s", (_, schema, message) => {
    expect(() => assertFormSchema(schema)).toThrow(TypeError);
    expect(() => assertFormSchema(schema)).toThrow(message);
  });
});

/** Rows of a field, an answer, and the message of its issue, or `undefined` for a good answer. */
type Row = [field: object, answer: unknown, message: string | undefined];
const ok = undefined;
const select = { type: "string", oneOf: options };
const multi = { type: "array", items: { anyOf: options }, minItems: 1, maxItems: 2 };
const three = { type: "array", items: { type: "string", enum: ["r", "g", "b"] }, maxItems: 2 };
const format = (name: string) => ({ type: "string", format: name });

describe("a user's answer", () => {
  test.each<Row>([
    [{ type: "string" }, "", ok],
    [{ type: "string" }, 42, "must be a string"],
    [{ type: "string" }, null, "must be a string"],
    [{ type: "string", minLength: 2, maxLength: 2 }, "😀😀", ok],
    [{ type: "string", minLength: 2 }, "😀", "must be at least 2 characters long"],
    [{ type: "string", maxLength: 2 }, "abc", "must be at most 2 characters long"],
    [{ type: "boolean" }, false, ok],
    [{ type: "boolean" }, "false", "must be true or false"],
    [{ type: "number" }, 3.5, ok],
    [{ type: "number" }, "3.5", "must be a number"],
    [{ type: "number" }, Number.NaN, "must be a number"],
    [{ type: "number", minimum: 18 }, 18, ok],
    [{ type: "number", minimum: 18 }, 17.9, "must be at least 18"],
    [{ type: "number", maximum: 0 }, 0.1, "must be at most 0"],
    [{ type: "integer" }, 42, ok],
    [{ type: "integer" }, 4.5, "must be a whole number"],
    [{ type: "integer" }, "42", "must be a number"],
    [{ type: "integer" }, "42xyz", "must be a number"],
    [{ type: "string", enum: ["r"], enumNames: ["Red"] }, "r", ok],
    [{ type: "string", enum: ["r"], enumNames: ["Red"] }, "Red", "must be one of the choices offered"],
    [select, "b", ok],
    [select, "Blue", "must be one of the choices offered"],
    [multi, ["b", "r"], ok],
    [multi, "b", "must be a list"],
    [multi, ["b", "x"], "must hold only the choices offered"],
    [multi, [["b"]], "must hold only the choices offered"],
    [multi, ["b", "b"], "must not repeat a choice"],
    [multi, [], "must be at least 1 in number"],
    [three, [], ok],
    [three, ["r", "g", "b"], "must be at most 2 in number"],
  ])("to %j of %j: %s", (field, answer, message) => {
    const schema = assertFormSchema(form({ a: field }));
    expect(checkFormContent(schema, { a: answer })).toEqual(message === undefined ? [] : [{ path: "/a", message }]);
  });

  test.each<[name: string, good: string[], bad: string[]]>([
    [
      "email",
      ["user@example.com", "a.b+c@x-y.example", "o'neil@localhost", "a@xn--mller-kva.de"],
      [
        "",
        "user",
        "@x.de",
        "a@",
        "a b@x.de",
        ".a@x.de",
        "a..b@x.de",
        "a@-x.de",
        "a@x..de",
        "a@x.de\n",
        "a@b@c.de",
        `${"a".repeat(250)}@x.de`,
      ],
    ],
    [
      "uri",
      ["https://example.com/a?b#c", "mailto:a@b.de", "urn:isbn:1", "http://[::1]:80/", "a:%20"],
      [
        "",
        "example.com",
        "/a",
        "//a/b",
        "https://",
        "https://a b",
        "a:%2",
        "https:\\\\a",
        "https://a:99999",
        "https://ü.de",
      ],
    ],
    [
      "date",
      ["2026-02-28", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"],
      [
        "2026-02-30",
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-04-31",
        "2026-1-1",
        "26-01-01",
        "2026-01-01Z",
        " 2026-01-01",
        "2026-01-01\n",
      ],
    ],
    [
      "date-time",
      ["2026-02-28T23:59:59Z", "2026-02-28t00:00:00z", "2026-02-28T12:00:00.123456+05:30"],
      [
        "2026-02-28",
        "2026-02-30T00:00:00Z",
        "2026-02-28T24:00:00Z",
        "2026-02-28T12:60:00Z",
        "2026-02-28T12:00Z",
        "2026-02-28T12:00:00",
        "2026-02-28 12:00:00Z",
        "2026-02-28T12:00:00+24:00",
        "2016-12-31T23:59:60Z",
      ],
    ],
  ])("in the format %s is held to it", (name, good, bad) => {
    const schema = assertFormSchema(form({ a: format(name) }));
    const message = `must be a valid ${name}`;
    for (const text of good) expect([text, checkFormContent(schema, { a: text })]).toEqual([text, []]);
    for (const text of bad)
      expect([text, checkFormContent(schema, { a: text })]).toEqual([text, [{ path: "/a", message }]]);
  });

  test("to a date agrees with the calendar", () => {
    const schema = assertFormSchema(form({ a: format("date") }));
    const day = fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(day, (date) => {
        expect(checkFormContent(schema, { a: date.toISOString().slice(0, 10) })).toEqual([]);
      }),
    );
  });
});

describe("a user's form", () => {
  const schema = assertFormSchema(form({ "a/~b": { type: "string" }, c: { type: "number" } }, { required: ["a/~b"] }));

  test.each([undefined, null, [], "x", 1])("that is %j is no object", (content) => {
    expect(checkFormContent(schema, content)).toEqual([{ path: "", message: "must be an object" }]);
  });

  test("has the required fields; the others may be absent", () => {
    expect(checkFormContent(schema, { "a/~b": "" })).toEqual([]);
    expect(checkFormContent(schema, { c: 1 })).toEqual([{ path: "/a~1~0b", message: "is required" }]);
  });

  test("has no field that was not asked for, and every issue is told at once", () => {
    expect(checkFormContent(schema, { c: "x", d: 1 })).toEqual([
      { path: "/a~1~0b", message: "is required" },
      { path: "/c", message: "must be a number" },
      { path: "/d", message: "is not a field of this form" },
    ]);
  });

  test("is given 10 issues at most", () => {
    expect(checkFormContent(schema, Object.fromEntries(Array.from({ length: 99 }, (_, i) => [i, i])))).toHaveLength(10);
  });

  test("may hold megabytes, which are not repeated and stop no check", () => {
    const long = "a/".repeat(1_900_000);
    expect(JSON.stringify(checkFormContent(schema, { [long]: 1 })).length).toBeLessThan(1_000);
    for (const name of ["email", "uri", "date", "date-time"] as const) {
      const asked = assertFormSchema(form({ a: format(name) }));
      for (const text of [
        `http://${long}`,
        `${"9".repeat(1_000_000)}-01-01`,
        `2026-01-01T00:00:00.${"0".repeat(4_000_000)}Z`,
      ])
        expect(checkFormContent(asked, { a: text })).toEqual([{ path: "/a", message: `must be a valid ${name}` }]);
    }
    expect(
      checkFormContent(assertFormSchema(form({ a: format("uri") })), { a: `http://${"a/".repeat(4_000)}` }),
    ).toEqual([]);
  });

  test("treats fields named after prototype members like any other", () => {
    const content: unknown = JSON.parse('{"a/~b":"","__proto__":1,"constructor":1}');
    expect(checkFormContent(schema, content).map(({ path }) => path)).toEqual(["/__proto__", "/constructor"]);
    const own = assertFormSchema(
      form(JSON.parse('{"__proto__":{"type":"string"},"toString":{"type":"string"}}'), { required: ["toString"] }),
    );
    expect(checkFormContent(own, {})).toEqual([{ path: "/toString", message: "is required" }]);
    expect(checkFormContent(own, JSON.parse('{"__proto__":1,"toString":"x"}'))).toEqual([
      { path: "/__proto__", message: "must be a string" },
    ]);
  });

  test("never makes the check throw, nor shows in an issue", () => {
    const all = assertFormSchema(
      form({ a: { type: "string", maxLength: 0 }, b: { type: "integer" }, c: multi, d: format("date-time") }),
    );
    const secret = "hunter2";
    const value = fc.oneof(fc.anything(), fc.constantFrom(secret, [secret], { secret }));
    fc.assert(
      fc.property(fc.oneof(value, fc.record({ a: value, b: value, c: value, d: value })), (content) => {
        expect(JSON.stringify(checkFormContent(all, content).map(({ message }) => message))).not.toContain(secret);
      }),
    );
  });
});

test("the content of a literal schema is known to the compiler", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      colours: { type: "array", items: { type: "string", enum: ["red", "blue"] } },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
      extras: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
      legacy: { type: "string", enum: ["a"], enumNames: ["A"] },
      agree: { type: "boolean" },
    },
    required: ["name", "agree"],
  } as const satisfies FormSchema;
  expectTypeOf<FormContent<typeof schema>>().toEqualTypeOf<{
    name: string;
    agree: boolean;
    age?: number;
    colours?: ("red" | "blue")[];
    size?: "s" | "l";
    extras?: "x"[];
    legacy?: "a";
  }>();
  const optional = { type: "object", properties: { price: { type: "number" } } } as const satisfies FormSchema;
  expectTypeOf<FormContent<typeof optional>>().toEqualTypeOf<{ price?: number }>();
  expectTypeOf<FormContent<FormSchema>>().toEqualTypeOf<{
    [name: string]: string | number | boolean | string[] | undefined;
  }>();
});

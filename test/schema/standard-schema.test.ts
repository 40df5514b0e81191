import type { StandardJSONSchemaV1, StandardSchemaV1 as SpecSchemaV1 } from "@standard-schema/spec";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod/v3";
import { SchemaError } from "../../src/schema/engine.ts";
import {
  isStandardSchema,
  standardCheck,
  standardToJsonSchema,
  type StandardJsonSchemaV1,
  type StandardSchemaV1,
} from "../../src/schema/standard-schema.ts";

/** One known keyword, because arktype's types take no object in which they know nothing. */
const REGION = { description: "Where to look", "x-mcp-header": "Region" };
const ZOD = z.object({ region: z.string().meta(REGION), limit: z.int().default(10) });
const VALIBOT = toStandardJsonSchema(
  v.object({
    region: v.pipe(v.string(), v.metadata(REGION)),
    limit: v.optional(v.pipe(v.number(), v.integer()), 10),
  }),
);
const ARKTYPE = type({ region: type("string").configure(REGION), limit: "number.integer = 10" });
const LIBRARIES = [
  { name: "zod", schema: ZOD },
  { name: "valibot", schema: VALIBOT },
  { name: "arktype", schema: ARKTYPE },
];

/** A schema whose vendor does what the test says. */
function vendorWith(standard: Record<string, unknown>): StandardJsonSchemaV1 {
  const rest = { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) };
  return { "~standard": { ...rest, ...standard } } as unknown as StandardJsonSchemaV1; // may break the contract on purpose
}

function onlyDraft07({ target }: { target: string }): Record<string, unknown> {
  if (target !== "draft-07") throw new Error("unsupported target");
  return { type: "object" };
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SchemaError) return error.reason;
    throw error;
  }
  return "did not throw";
}

describe("the structural types", () => {
  test("agree with the published ones in both directions", () => {
    expectTypeOf<SpecSchemaV1<string, number>>().toExtend<StandardSchemaV1<string, number>>();
    expectTypeOf<StandardSchemaV1<string, number>>().toExtend<SpecSchemaV1<string, number>>();
    expectTypeOf<SpecSchemaV1<1, 2> & StandardJSONSchemaV1<1, 2>>().toExtend<StandardJsonSchemaV1<1, 2>>();
    expectTypeOf<typeof ZOD>().toExtend<StandardJsonSchemaV1>();
    expectTypeOf<typeof VALIBOT>().toExtend<StandardJsonSchemaV1>();
    expectTypeOf<typeof ARKTYPE>().toExtend<StandardJsonSchemaV1>();
    expectTypeOf<StandardJsonSchemaV1<string, number>>().toExtend<StandardSchemaV1<string, number>>();
  });
});

describe("isStandardSchema", () => {
  test.each(LIBRARIES)("recognises $name", ({ schema }) => {
    expect(isStandardSchema(schema)).toBe(true);
  });

  test("recognises a library that cannot write JSON Schema, so that the error can say so", () => {
    expect(isStandardSchema(zod3.object({}))).toBe(true);
  });

  test.each([
    { what: "a JSON Schema", x: { type: "object" } },
    { what: "nothing", x: undefined },
    { what: "null", x: null },
    { what: "a function", x: () => true },
    { what: "another version", x: vendorWith({ version: 2 }) },
    { what: "a description without validation", x: vendorWith({ validate: undefined }) },
    { what: "a property of another kind", x: { "~standard": "yes" } },
  ])("does not take $what for one", ({ x }) => {
    expect(isStandardSchema(x)).toBe(false);
  });
});

describe("standardToJsonSchema", () => {
  test.each(LIBRARIES)("writes what $name accepts, with x-mcp-header", ({ schema }) => {
    expect(standardToJsonSchema(schema, "input")).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, limit: { type: "integer" } },
      required: ["region"],
    });
  });

  test("writes the output side with defaults present, and closed, as zod does", () => {
    const schema = standardToJsonSchema(ZOD, "output");
    expect(schema).toMatchObject({ required: ["region", "limit"], additionalProperties: false });
    expect(standardToJsonSchema(ZOD, "input")).not.toHaveProperty("additionalProperties");
  });

  test("keeps x-mcp-header through what zod puts around a described string", () => {
    const region = z.string().meta(REGION);
    const wrapped = [region.optional(), region.default("eu"), region.min(2), region.refine(() => true), region.trim()];
    for (const schema of wrapped) {
      const written = standardToJsonSchema(z.object({ region: schema }), "input");
      expect(written).toHaveProperty(["properties", "region", "x-mcp-header"], "Region");
    }
  });

  test("returns a plain JSON Schema, no longer a Standard Schema", () => {
    expect(isStandardSchema(standardToJsonSchema(ZOD, "input"))).toBe(false);
  });

  test("keeps what the author changed in the result of z.toJSONSchema", () => {
    const written = z.toJSONSchema(z.object({ q: z.string() }), {
      override: ({ jsonSchema }) => {
        if (jsonSchema.type === "string") jsonSchema["x-mcp-header"] = "Q";
      },
    });
    expect(standardToJsonSchema(written, "input")).toHaveProperty(["properties", "q", "x-mcp-header"], "Q");
  });

  test("asks for draft-07 where 2020-12 is refused, and names that dialect", () => {
    const schema = standardToJsonSchema(vendorWith({ jsonSchema: { input: onlyDraft07 } }), "input");
    expect(schema).toEqual({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" });
  });

  test.each([
    { what: "zod 3", schema: zod3.object({}), reason: /this zod schema offers no JSON Schema; zod 4\.2 or later/ },
    { what: "zod/mini", schema: mini.object({}), reason: /not zod\/mini/ },
    { what: "bare valibot", schema: v.object({}), reason: /toStandardJsonSchema from @valibot\/to-json-schema/ },
    { what: "another vendor", schema: vendorWith({}), reason: /this acme schema offers no JSON Schema/ },
    { what: "a Date", schema: z.object({ at: z.date() }), reason: /zod cannot write the input side.*: Date cannot be/ },
    {
      what: "a vendor that returns nothing",
      schema: vendorWith({ jsonSchema: { input: () => undefined } }),
      reason: /acme cannot write the input side as JSON Schema: it returned no schema object/,
    },
  ])("says why $what is refused", ({ schema, reason }) => {
    expect(reasonOf(() => standardToJsonSchema(schema, "input"))).toMatch(reason);
  });

  test("refuses a transform on the output side only", () => {
    const schema = z.object({ s: z.string().transform((s) => s.length) });
    expect(standardToJsonSchema(schema, "input")).toMatchObject({ properties: { s: { type: "string" } } });
    expect(reasonOf(() => standardToJsonSchema(schema, "output"))).toMatch(/^zod cannot write the output side/);
  });
});

describe("standardCheck", () => {
  test.each(LIBRARIES)("returns the validated value with defaults, at once, for $name", ({ schema }) => {
    expect(standardCheck(schema)({ region: "eu" })).toEqual({ value: { region: "eu", limit: 10 } });
  });

  test.each(LIBRARIES)("points at the offending property without quoting it, for $name", ({ schema }) => {
    const outcome = standardCheck(schema)({ region: "eu", limit: "hunter2" });
    expect(outcome).toMatchObject({ issues: [{ path: "/limit" }] });
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
  });

  test("quotes no value from arktype's refinements or valibot's pickers either", () => {
    const check = standardCheck(type({ mail: "string.email" }));
    expect(check({ mail: "hunter2" })).toEqual({ issues: [{ path: "/mail", message: "must be an email address" }] });
    const pick = standardCheck(v.object({ k: v.picklist(["a", "b"], undefined) }));
    expect(JSON.stringify(pick({ k: "hunter2" }))).not.toContain("hunter2");
  });

  test("returns what a transform made of the value", () => {
    const check = standardCheck(z.string().transform((s) => s.length));
    expect(check("four")).toEqual({ value: 4 });
  });

  test("keeps the messages that authors write", () => {
    const check = standardCheck(v.pipe(v.string(), v.minLength(1, "Give the board a name")));
    expect(check("")).toEqual({ issues: [{ path: "", message: "Give the board a name" }] });
  });

  test("awaits an asynchronous validator and maps its issues", async () => {
    const check = standardCheck(z.object({ name: z.string().refine(async (s) => s !== "taken", "is taken") }));
    await expect(check({ name: "free" })).resolves.toEqual({ value: { name: "free" } });
    await expect(check({ name: "taken" })).resolves.toEqual({ issues: [{ path: "/name", message: "is taken" }] });
  });

  test("writes keys, indices, symbols and segment objects as a JSON Pointer", () => {
    const path = ["a/b", { key: "c~d" }, 0, { key: Symbol("s") }];
    const check = standardCheck(vendorWith({ validate: () => ({ issues: [{ message: "no", path }] }) }));
    expect(check(1)).toEqual({ issues: [{ path: "/a~1b/c~0d/0/Symbol(s)", message: "no" }] });
  });

  test("bounds how many issues are reported and how long a message or path is", () => {
    const issues = Array.from({ length: 1000 }, () => ({ message: "x".repeat(5000), path: ["y".repeat(5000)] }));
    const outcome = standardCheck(vendorWith({ validate: () => ({ issues }) }))(1);
    expect(JSON.stringify(outcome).length).toBeLessThan(8000);
  });

  test("reports at least one issue when a vendor refuses without saying why", () => {
    const check = standardCheck(vendorWith({ validate: () => ({ issues: [] }) }));
    expect(check(1)).toEqual({ issues: [{ path: "", message: "is not valid" }] });
  });

  test.each([
    { what: "rejects", validate: () => Promise.reject(new Error("secret")) },
    {
      what: "throws",
      validate: () => {
        throw new Error("secret");
      },
    },
    { what: "answers nonsense", validate: () => null },
  ])("turns a validator that $what into an issue, and tells only the sink why", async ({ validate }) => {
    const sink = vi.fn<(error: unknown) => void>();
    const outcome = await standardCheck(vendorWith({ validate }), sink)(1);
    expect(outcome).toEqual({ issues: [{ path: "", message: "could not be validated" }] });
    expect(sink).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
  });
});

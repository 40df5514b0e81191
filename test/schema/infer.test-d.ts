/** Judged by the type check (`npm run types`), never run: nothing here has a value. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../../src/schema/engine.ts";
import type { InferArguments, InferInput, InferOutput, KeepLiterals } from "../../src/schema/infer.ts";
import type { StandardJsonSchemaV1 } from "../../src/schema/standard-schema.ts";

/** Captures a literal as `tool()` does. */
declare function typeOf<const S extends JsonSchema>(schema: S): InferOutput<S>;

describe("a JSON Schema literal", () => {
  test("gives exactly the declared properties when it is closed", () => {
    const value = typeOf({
      type: "object",
      properties: { a: { type: "string", "x-mcp-header": "A" }, n: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    });
    expectTypeOf(value).toEqualTypeOf<{ a: string; n?: number }>();
    // @ts-expect-error -- misspelt
    void value.b;
  });

  test("offers unknown extras when it is open, and typed ones when their schema is given", () => {
    const open = typeOf({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expectTypeOf(open).toEqualTypeOf<{ [x: string]: unknown; a: string }>();
    const map = typeOf({ type: "object", additionalProperties: { type: "number" } });
    expectTypeOf(map).toEqualTypeOf<{ [x: string]: number }>();
    const nothing = typeOf({ type: "object", additionalProperties: false });
    expectTypeOf(nothing).toEqualTypeOf<Record<string, never>>();
  });

  test("does not take a default for presence, and admits a required property nobody described", () => {
    const value = typeOf({
      type: "object",
      properties: { page: { type: "number", default: 1 } },
      required: ["q"],
      additionalProperties: false,
    });
    expectTypeOf(value).toEqualTypeOf<{ page?: number; q: unknown }>();
  });

  test("reads enum, const, lists of types, arrays and tuples", () => {
    expectTypeOf(typeOf({ enum: ["a", 1, null] })).toEqualTypeOf<"a" | 1 | null>();
    expectTypeOf(typeOf({ type: "string", enum: ["a", 1] })).toEqualTypeOf<"a">();
    expectTypeOf(typeOf({ const: true })).toEqualTypeOf<true>();
    expectTypeOf(typeOf({ type: ["string", "null"] })).toEqualTypeOf<string | null>();
    expectTypeOf(typeOf({ type: "array", items: { type: "boolean" } })).toEqualTypeOf<boolean[]>();
    expectTypeOf(typeOf({ type: "array" })).toEqualTypeOf<unknown[]>();
    const pair = [{ type: "string" }, { type: "number" }] as const;
    expectTypeOf(typeOf({ type: "array", prefixItems: pair, items: false })).toEqualTypeOf<[string?, number?]>();
    expectTypeOf(typeOf({ type: "array", prefixItems: pair, minItems: 2 })).toEqualTypeOf<
      [string, number, ...unknown[]]
    >();
  });

  test("joins anyOf, oneOf and allOf with what stands beside them", () => {
    expectTypeOf(typeOf({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] })).toEqualTypeOf<
      string | string[]
    >();
    const either = typeOf({
      type: "object",
      properties: { id: { type: "string" }, url: { type: "string" } },
      anyOf: [{ required: ["id"] }, { required: ["url"] }],
      additionalProperties: false,
    });
    expectTypeOf(either.id).toEqualTypeOf<string | undefined>();
    // @ts-expect-error -- the branches do not open a closed object
    void either.name;
    const shape = typeOf({
      oneOf: [
        { type: "object", properties: { kind: { const: "dot" }, x: { type: "number" } }, required: ["kind", "x"] },
        { type: "object", properties: { kind: { const: "tag" }, t: { type: "string" } }, required: ["kind", "t"] },
      ],
    });
    if (shape?.kind === "dot") expectTypeOf(shape.x).toEqualTypeOf<number>();
    const both = typeOf({
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "number" } } },
      ],
    });
    expectTypeOf(both?.a).toEqualTypeOf<string>();
    expectTypeOf(both?.b).toEqualTypeOf<number | undefined>();
  });

  test("follows local references, through recursion as deep as one goes", () => {
    const tree = typeOf({
      $ref: "#/$defs/Node",
      $defs: {
        Node: {
          type: "object",
          properties: { label: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/Node" } } },
          required: ["label", "kids"],
          additionalProperties: false,
        },
      },
    });
    expectTypeOf(tree?.kids[0]?.kids[0]?.kids[0]?.label).toEqualTypeOf<string | undefined>();
    expectTypeOf(typeOf({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } })).toEqualTypeOf<unknown>();
    expectTypeOf(typeOf({ $ref: "https://example.com/elsewhere" })).toEqualTypeOf<unknown>();
  });

  test("stays within the compiler's limits for a large ordinary schema", () => {
    const s = { type: "string" } as const;
    const sixteen = { a: s, b: s, c: s, d: s, e: s, f: s, g: s, h: s, i: s, j: s, k: s, l: s, m: s, n: s, o: s, p: s };
    const name = { first: s, last: s, middle: s, prefix: s, suffix: s };
    const value = typeOf({
      type: "object",
      properties: {
        ...sixteen,
        people: { type: "array", items: { anyOf: [{ $ref: "#/$defs/Person" }, { type: "null" }] } },
        mode: { enum: ["fast", "slow", "auto"] },
        nested: { type: "object", properties: { deep: { type: "object", properties: { deeper: { $ref: "#" } } } } },
      },
      required: ["a", "people", "mode"],
      $defs: { Person: { type: "object", properties: name, required: ["first"], additionalProperties: false } },
    });
    expectTypeOf(value?.people[0]?.first).toEqualTypeOf<string | undefined>();
    expectTypeOf(value?.nested?.deep?.deeper?.mode).toEqualTypeOf<"fast" | "slow" | "auto" | undefined>();
  });
});

describe("a schema that is not a literal", () => {
  test("gives unknown, and as arguments an object of unknowns", () => {
    expectTypeOf<InferInput<JsonSchema>>().toEqualTypeOf<unknown>();
    expectTypeOf<InferOutput<JsonSchema>>().toEqualTypeOf<unknown>();
    expectTypeOf<InferArguments<JsonSchema>>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<InferArguments<{ type: string; properties: object }>>().toEqualTypeOf<Record<string, unknown>>();
  });

  test("that is absent gives arguments without properties", () => {
    expectTypeOf<InferArguments<undefined>>().toEqualTypeOf<object>();
    expectTypeOf<InferArguments<{ type: "object"; additionalProperties: false }>>().toEqualTypeOf<object>();
  });
});

describe("a Standard Schema", () => {
  test("gives its declared types on either side", () => {
    const zod = z.object({ n: z.number().default(1), s: z.string().transform((s) => s.length) });
    expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{ n?: number | undefined; s: string }>();
    expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ n: number; s: number }>();
    const ark = type({ n: "number = 3", "o?": "string" });
    expectTypeOf<InferInput<typeof ark>>().toEqualTypeOf<{ n?: number; o?: string }>();
    expectTypeOf<InferOutput<typeof ark>>().toEqualTypeOf<{ n: number; o?: string }>();
    const valibot = toStandardJsonSchema(v.object({ n: v.optional(v.number(), 3) }));
    expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<{ n?: number | undefined }>();
    expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ n: number }>();
  });

  test("without declared types gives unknown", () => {
    expectTypeOf<InferOutput<StandardJsonSchemaV1>>().toEqualTypeOf<unknown>();
    expectTypeOf<InferArguments<StandardJsonSchemaV1>>().toEqualTypeOf<Record<string, unknown>>();
  });
});

type AnySchema = JsonSchema | StandardJsonSchemaV1;
type Returned<O> =
  | ([O] extends [undefined] ? string : InferInput<O>)
  | { content: { type: "text" }[] }
  | KeepLiterals<O>;

/** The shape of `tool()`: the definition is inferred first, then the handler is judged by it. */
declare function tool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
>(
  definition: { inputSchema?: I; outputSchema?: O },
  handler: (args: InferArguments<I>) => Returned<O> | Promise<Returned<O>>,
): void;

describe("a handler", () => {
  const note = {
    type: "object",
    properties: { kind: { enum: ["a", "b"] }, at: { type: "array", prefixItems: [{ type: "number" }], minItems: 1 } },
    required: ["kind"],
    additionalProperties: false,
  } as const;

  test("receives destructured arguments with their types", () => {
    tool({ inputSchema: note }, ({ kind }) => kind);
    tool({ inputSchema: z.object({ n: z.number().default(1) }) }, async ({ n }) => n.toFixed());
    tool({}, (args) => Object.keys(args).join(","));
    // @ts-expect-error -- misspelt
    tool({ inputSchema: note }, ({ knd }) => String(knd));
    // @ts-expect-error -- nothing was declared
    tool({}, ({ kind }) => String(kind));
  });

  test("returns literals, nested ones too, without `as const`, whether or not it has parameters", () => {
    tool({ outputSchema: note }, () => ({ kind: "a", at: [1] }));
    tool({ outputSchema: note }, async (_args) => ({ kind: "b" }));
    tool({ outputSchema: z.object({ all: z.array(z.object({ k: z.enum(["x", "y"]) })) }) }, async () => ({
      all: [1, 2].map((_n) => ({ k: "x" })),
    }));
    tool({ outputSchema: note }, async () => ({ content: [{ type: "text" }] }));
    tool({}, async () => ({ content: [{ type: "text" }] }));
  });

  test("cannot return what the output schema does not allow", () => {
    // @ts-expect-error -- not in the enum
    tool({ outputSchema: note }, () => ({ kind: "c" }));
    // @ts-expect-error -- not in the enum, in a promise
    tool({ outputSchema: z.object({ k: z.enum(["x"]) }) }, async () => ({ k: "z" }));
    // @ts-expect-error -- missing
    tool({ outputSchema: note }, (_args) => ({}));
    // @ts-expect-error -- text instead of structure
    tool({ outputSchema: note }, () => "Done.");
    // @ts-expect-error -- structure without an output schema
    tool({}, () => ({ kind: "a" }));
  });
});

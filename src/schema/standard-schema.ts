/**
 * Schemas written with a library: anything that follows Standard Schema for validation and Standard JSON Schema for
 * its description (zod, valibot through `toStandardJsonSchema`, arktype). Only the shapes are known here; no schema
 * library is imported, and nothing runs until a function is called.
 *
 * Contract: what a vendor throws never passes through. While registering it becomes a `SchemaError`, while checking
 * a value it becomes an issue.
 *
 * @see https://standardschema.dev/schema and https://standardschema.dev/json-schema (version 1)
 */
import { type JsonSchema, SchemaError, type SchemaIssue } from "./engine.ts";
import { clip, MAX_ISSUES } from "./issue-limits.ts";
import { escapeToken, isPlainObject } from "./walk.ts";

/** What a schema says about the types on its two sides. Never present at run time. */
export interface StandardTypes<Input = unknown, Output = Input> {
  readonly input: Input;
  readonly output: Output;
}

type PathSegment = PropertyKey | { readonly key: PropertyKey };

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: readonly PathSegment[] | undefined }>;
    };

/** Standard Schema: a value can be validated. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: StandardTypes<Input, Output> | undefined;
  };
}

type JsonSchemaConverter = (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;

/** Standard Schema that can also describe itself as JSON Schema: what a tool needs. */
export interface StandardJsonSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1<Input, Output>["~standard"] & {
    readonly jsonSchema: { readonly input: JsonSchemaConverter; readonly output: JsonSchemaConverter };
  };
}

/** `input` describes what is accepted, `output` what validation returns (defaults applied, values transformed). */
export type SchemaSide = "input" | "output";

export type StandardOutcome<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** Never throws and never rejects. A promise only when the vendor answered with one. */
export type StandardCheck<Output = unknown> = (
  value: unknown,
) => StandardOutcome<Output> | Promise<StandardOutcome<Output>>;

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/**
 * Whether `x` claims to be a Standard Schema. Whether it can describe itself as JSON Schema is not judged here but by
 * `standardToJsonSchema`, so that a library too old for that gets an error which says so.
 */
export function isStandardSchema(x: unknown): x is StandardSchemaV1 {
  if ((typeof x !== "object" && typeof x !== "function") || x === null || !("~standard" in x)) return false;
  const standard = x["~standard"];
  return isPlainObject(standard) && standard["version"] === 1 && typeof standard["validate"] === "function";
}

/**
 * The schema's own JSON Schema, for 2020-12 or, where the vendor cannot write that, draft-07 (then `$schema` says so).
 * The result is a plain object; extra keywords that the vendor keeps, such as `x-mcp-header`, are in it.
 *
 * @throws {SchemaError} when the schema offers no JSON Schema, or one of its types has none (a transform on the output
 *   side, a `Date`, …).
 */
export function standardToJsonSchema(schema: StandardSchemaV1, side: SchemaSide): JsonSchema {
  if (isWrittenJsonSchema(schema)) return { ...schema };
  const standard: unknown = schema["~standard"];
  const vendor =
    isPlainObject(standard) && typeof standard["vendor"] === "string" ? standard["vendor"] : "schema library";
  const converters = isPlainObject(standard) ? standard["jsonSchema"] : undefined;
  const convert = isPlainObject(converters) ? converters[side] : undefined;
  if (typeof convert !== "function") throw new SchemaError("", withoutJsonSchema(vendor));

  const modern = attempt(() => convert({ target: "draft-2020-12" }));
  if (isPlainObject(modern.value)) return { ...modern.value };
  const older = attempt(() => convert({ target: "draft-07" }));
  // Our choice: an engine must not read a draft-07 schema as 2020-12 because the vendor left the dialect out.
  if (isPlainObject(older.value)) return { $schema: DRAFT_07, ...older.value };

  const detail = modern.error instanceof Error ? modern.error.message : "it returned no schema object";
  throw new SchemaError("", `${vendor} cannot write the ${side} side as JSON Schema: ${detail}`);
}

/**
 * @param onThrow told what the vendor's validator threw; the caller of the check sees only that it could not be done.
 */
export function standardCheck<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  onThrow?: (error: unknown) => void,
): StandardCheck<Output> {
  const failed = (error: unknown): StandardOutcome<Output> => {
    onThrow?.(error);
    return { issues: [{ path: "", message: "could not be validated" }] };
  };
  return (value) => {
    try {
      const result = schema["~standard"].validate(value);
      return isThenable(result) ? Promise.resolve(result).then(toOutcome).catch(failed) : toOutcome(result);
    } catch (error) {
      return failed(error);
    }
  };
}

function toOutcome<Output>(result: StandardResult<Output>): StandardOutcome<Output> {
  if (!result.issues) return { value: result.value };
  const issues = result.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: clip(toPointer(issue.path ?? [])),
    // Authors' own messages fit; a message that quotes a long value does not pass whole.
    message: clip(withoutValue(issue)),
  }));
  return { issues: issues.length > 0 ? issues : [{ path: "", message: "is not valid" }] };
}

/** @see RFC 6901 section 4 */
function toPointer(path: readonly PathSegment[]): string {
  return path.map((segment) => `/${escapeToken(String(typeof segment === "object" ? segment.key : segment))}`).join("");
}

/**
 * The message without the value it complains about. valibot quotes it from `received`, arktype from `actual` after
 * prefixing the path (`problem` is the message without that). Messages that authors wrote are left alone.
 */
function withoutValue(issue: { readonly message: string }): string {
  const { problem, received, actual } = issue as { problem?: unknown; received?: unknown; actual?: unknown }; // vendors' extras
  const message = typeof problem === "string" && issue.message.endsWith(problem) ? problem : issue.message;
  if (typeof received === "string") return message.replace(` but received ${received}`, "");
  return typeof actual === "string" ? message.replace(` (was ${actual})`, "") : message;
}

/**
 * `z.toJSONSchema()` returns a JSON Schema that also carries, hidden, the schema it was written from. What the author
 * wrote there (with `override`, say) is kept instead of being written anew without it.
 */
function isWrittenJsonSchema(schema: object): schema is JsonSchema {
  const hidden = !Object.prototype.propertyIsEnumerable.call(schema, "~standard");
  return hidden && Object.getPrototypeOf(schema) === Object.prototype;
}

function withoutJsonSchema(vendor: string): string {
  if (vendor === "zod")
    return "this zod schema offers no JSON Schema; zod 4.2 or later does (not zod/mini, not zod/v3)";
  if (vendor === "valibot") return "wrap the valibot schema in toStandardJsonSchema from @valibot/to-json-schema";
  return `this ${vendor} schema offers no JSON Schema (~standard.jsonSchema)`;
}

function attempt(run: () => unknown): { value?: unknown; error?: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

function isThenable<T>(x: T | Promise<T>): x is Promise<T> {
  return isPlainObject(x) && typeof x["then"] === "function";
}

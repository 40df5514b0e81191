/**
 * The seam between the server and whatever validates JSON Schema.
 *
 * An engine turns a schema into a check once; the check runs on every call. Engines differ in when they may compile
 * (Ajv generates code, so only at start-up; the interpreter at any time), never in what they accept.
 *
 * @see spec 2026-07-28 basic/index#json-schema-usage
 */

/** A JSON Schema document or sub-schema in object form. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** One reason why a value does not satisfy a schema. */
export interface SchemaIssue {
  /** JSON Pointer into the value; the empty string is the value itself. */
  readonly path: string;
  /** An English sentence fragment, such as `must be string`. Never contains the value. */
  readonly message: string;
}

/** Returns `undefined` when the value is valid, otherwise at least one issue. Never throws, whatever the value. */
export type SchemaCheck = (value: unknown) => readonly SchemaIssue[] | undefined;

export interface SchemaEngine {
  /** A short name for error messages, such as `ajv`. */
  readonly name: string;
  /**
   * @throws {SchemaError} when the schema is invalid, uses something this engine cannot judge faithfully, points
   *   outside itself, or could cost a caller's request too much.
   */
  compile(schema: JsonSchema | boolean): SchemaCheck;
}

/** A schema was refused. `path` is a JSON Pointer into the schema. */
export class SchemaError extends TypeError {
  override readonly name = "SchemaError";
  readonly path: string;
  /** The reason without the path, for callers that compose their own message. */
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(`${path === "" ? "the schema" : path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

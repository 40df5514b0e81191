/**
 * One tool, compiled: definition to wire form, schemas to checks, annotations to header rules. All of it happens at
 * registration, so that a call only looks things up.
 *
 * @see spec 2026-07-28 server/tools#tool
 */
import type { JsonObject } from "../protocol/types.ts";
import {
  type JsonSchema,
  type SchemaCheck,
  type SchemaEngine,
  SchemaError,
  type SchemaIssue,
} from "../schema/engine.ts";
import { type ParamHeader, planParamHeaders } from "../schema/param-headers.ts";
import { isStandardSchema, standardCheck, standardToJsonSchema } from "../schema/standard-schema.ts";
import type { RequestContext } from "./context.ts";
import type { AnySchema, Awaitable, ToolDefinition } from "./definitions.ts";
import { TOOL, toWire } from "./described.ts";
import type { Caller } from "./exchange.ts";

/** The value to go on with, or why there is none. */
export type Outcome =
  | {
      readonly value: unknown;
      /** The value as JSON text, where it has been written already. */
      readonly json?: string | undefined;
      readonly issues?: undefined;
    }
  | { readonly issues: readonly SchemaIssue[] };

export interface Tool<Env = unknown> {
  readonly name: string;
  /** The definition as `tools/list` shows it. */
  readonly wire: JsonObject;
  readonly visibleTo: ((caller: Caller<Env>) => boolean) | undefined;
  readonly paramHeaders: readonly ParamHeader[];
  readonly checkInput: (value: unknown) => Awaitable<Outcome>;
  /** Undefined without an `outputSchema`. */
  readonly checkOutput: ((value: unknown) => Awaitable<Outcome>) | undefined;
  readonly handler: (args: JsonObject, ctx: RequestContext<Env>) => unknown;
}

/** MUST — server/tools#tool: the schema of a tool without parameters. */
const NO_ARGUMENTS: JsonSchema = { type: "object", additionalProperties: false };

/** @throws {TypeError} naming the tool and the field */
export function compileTool<Env>(
  name: string,
  definition: ToolDefinition<AnySchema | undefined, AnySchema | undefined, Env>,
  handler: (args: never, ctx: RequestContext<Env>) => unknown,
  engine: SchemaEngine,
): Tool<Env> {
  const { inputSchema = NO_ARGUMENTS, outputSchema, visibleTo, ...described } = definition;
  if (typeof handler !== "function")
    throw new TypeError(`tool ${JSON.stringify(name)}: the handler must be a function`);
  const input = compileSchema(`tool ${JSON.stringify(name)}: inputSchema`, inputSchema, "input", engine);
  if (input.schema["type"] !== "object") {
    throw new TypeError(`tool ${JSON.stringify(name)}: inputSchema: the root must have type "object"`);
  }
  const output =
    outputSchema === undefined
      ? undefined
      : compileSchema(`tool ${JSON.stringify(name)}: outputSchema`, outputSchema, "output", engine);
  const paramHeaders = naming(`tool ${JSON.stringify(name)}: inputSchema`, () => planParamHeaders(input.schema));
  return {
    name,
    wire: toWire(
      `tool ${JSON.stringify(name)}`,
      Object.assign({ name }, described, { name, inputSchema: input.schema, outputSchema: output?.schema }),
      TOOL,
    ),
    visibleTo,
    paramHeaders,
    checkInput: input.check,
    checkOutput: output?.check,
    // The checks above turn what arrives into what the handler's schema promised.
    handler: handler as (args: JsonObject, ctx: RequestContext<Env>) => unknown,
  };
}

interface CompiledSchema {
  readonly schema: JsonSchema;
  readonly check: (value: unknown) => Awaitable<Outcome>;
}

function compileSchema(
  where: string,
  schema: AnySchema,
  side: "input" | "output",
  engine: SchemaEngine,
): CompiledSchema {
  if (isStandardSchema(schema)) {
    // The library's own validator decides: JSON Schema cannot express its refinements and transforms.
    return { schema: naming(where, () => standardToJsonSchema(schema, side)), check: standardCheck(schema) };
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw new TypeError(`${where}: must be a JSON Schema object or a Standard Schema`);
  }
  const own = copyOf(where, schema);
  const check = naming(where, () => engine.compile(own));
  return { schema: own, check: side === "input" ? judge(check) : judgeWritten(check) };
}

/** Out of the author's reach. A clone, since JSON would leave out what the engine is to refuse. */
function copyOf(where: string, schema: JsonSchema): JsonSchema {
  try {
    return structuredClone(schema);
  } catch (cause) {
    throw new TypeError(`${where}: cannot be written as JSON`, { cause });
  }
}

function judge(check: SchemaCheck): (value: unknown) => Outcome {
  return (value) => {
    const issues = check(value);
    return issues === undefined ? { value } : { issues };
  };
}

/** Judges what the caller will read: in JSON a `Date` is a string, `NaN` is null, and `toJSON()` decides. */
function judgeWritten(check: SchemaCheck): (value: unknown) => Outcome {
  return (given) => {
    const json: string | undefined = JSON.stringify(given);
    const value: unknown = json === undefined ? undefined : JSON.parse(json);
    const issues = check(value);
    return issues === undefined ? { value, json } : { issues };
  };
}

/** Puts the tool and the schema in front of what a schema is refused for. */
function naming<T>(where: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    throw new TypeError(`${where}${cause.path}: ${cause.reason}`, { cause });
  }
}

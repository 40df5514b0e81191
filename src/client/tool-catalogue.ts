/**
 * The tools as they were last listed, and what a call needs to know of one: the headers it mirrors, whether it may be
 * repeated, and the check of its results.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#schema-extension, server/tools#output-schema
 */
import { clip } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";
import type { JsonSchema, SchemaCheck, SchemaEngine, SchemaIssue } from "../schema/engine.ts";
import { SchemaError } from "../schema/engine.ts";
import { type ParamHeader, planParamHeaders } from "../schema/param-headers.ts";
import type { Tool } from "./listed.ts";

interface Entry {
  readonly tool: Tool;
  readonly paramHeaders: readonly ParamHeader[];
  /** Made with the first result, once for a definition, however often it is listed. */
  compiled?: Compiled | undefined;
}

interface Compiled {
  /** Undefined when the engine refuses the schema. */
  readonly check: SchemaCheck | undefined;
}

export class ToolCatalogue {
  readonly #schemas: SchemaEngine | undefined;
  readonly #onWarning: (message: string) => void;
  #entries: ReadonlyMap<string, Entry> = new Map();

  constructor(schemas: SchemaEngine | undefined, onWarning: (message: string) => void) {
    this.#schemas = schemas;
    this.#onWarning = onWarning;
  }

  /** Takes a list in place of what was there. @returns the tools in it that can be called */
  replace(listed: readonly unknown[]): Tool[] {
    const entries = new Map<string, Entry>();
    for (const tool of listed) {
      const entry = this.#admit(tool);
      if (entry === undefined) continue;
      const { name, outputSchema } = entry.tool;
      entries.set(name, entry);
      const before = this.#entries.get(name);
      if (before?.compiled && isSame(before.tool.outputSchema, outputSchema)) entry.compiled = before.compiled;
    }
    this.#entries = entries;
    return [...entries.values()].map(({ tool }) => tool);
  }

  paramHeaders(name: string): readonly ParamHeader[] | undefined {
    return this.#entries.get(name)?.paramHeaders;
  }

  /** Whether the server says that calling it twice does no more than once. */
  isRepeatable(name: string): boolean {
    const hints = this.#entries.get(name)?.tool.annotations;
    return isObject(hints) && (hints["readOnlyHint"] === true || hints["idempotentHint"] === true);
  }

  /**
   * What is wrong with a successful result's `structuredContent`: nothing, or at least one issue. Undefined when there is
   * no schema, no engine, or no engine that takes the schema.
   */
  check(name: string, result: JsonObject): readonly SchemaIssue[] | undefined {
    // The schema describes what success looks like.
    if (result["isError"] === true) return undefined;
    const entry = this.#entries.get(name);
    const schema = entry?.tool.outputSchema;
    if (entry === undefined || schema === undefined || this.#schemas === undefined) return undefined;
    entry.compiled ??= { check: this.#compile(name, schema, this.#schemas) };
    const { check } = entry.compiled;
    // Null is a value like any other.
    if (check && !Object.hasOwn(result, "structuredContent")) return [{ path: "", message: "is missing" }];
    return check && (check(result["structuredContent"]) ?? []);
  }

  #compile(name: string, schema: JsonSchema, schemas: SchemaEngine): SchemaCheck | undefined {
    try {
      return schemas.compile(schema);
    } catch (error) {
      this.#warn(name, `its results are not checked: outputSchema ${reasonOf(error)}`);
      return undefined;
    }
  }

  #admit(tool: unknown): Entry | undefined {
    if (!isObject(tool) || typeof tool["name"] !== "string") {
      this.#onWarning("A tool without a name was left out of the list");
      return undefined;
    }
    const listed = tool as unknown as Tool; // Named; what else is acted on is judged where it is.
    const { name, inputSchema } = listed;
    if (!isObject(inputSchema) || inputSchema["type"] !== "object")
      this.#warn(name, "its inputSchema is not of type object");
    let paramHeaders: readonly ParamHeader[] = [];
    try {
      if (isObject(inputSchema)) paramHeaders = plan(inputSchema);
    } catch (error) {
      const reason = reasonOf(error);
      if (isOfAnnotation(error)) {
        // MUST — #schema-extension: leave out the tool, and no other.
        this.#warn(name, `it was left out of the list: ${reason}`);
        return undefined;
      }
      this.#warn(name, `none of its arguments is mirrored into headers: inputSchema ${reason}`);
    }
    return { tool: listed, paramHeaders };
  }

  #warn(name: string, what: string): void {
    this.#onWarning(`Tool ${JSON.stringify(clip(name))}: ${what}`);
  }
}

/** The plan does not depend on the dialect as far as reachable properties go, so one nobody knows is no reason to fail. */
function plan(inputSchema: JsonSchema): ParamHeader[] {
  const { $schema, ...rest } = inputSchema;
  try {
    return planParamHeaders(inputSchema);
  } catch (error) {
    if ($schema === undefined || isOfAnnotation(error)) throw error;
    return planParamHeaders(rest);
  }
}

function isOfAnnotation(error: unknown): boolean {
  return error instanceof SchemaError && error.path.endsWith("/x-mcp-header");
}

/** Engines name places and keywords, never values. */
function reasonOf(error: unknown): string {
  return error instanceof SchemaError ? clip(error.message, 300) : "cannot be read";
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false; // Nested so deeply that the stack overflows; the engine says so in its own words.
  }
}

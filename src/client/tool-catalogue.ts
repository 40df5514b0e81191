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
}

/** Compiled once for a definition, however often it is listed. */
interface Compiled {
  readonly schema: unknown;
  /** Undefined when it has none. */
  readonly text: string | undefined;
  /** Undefined when the engine refuses the schema. */
  readonly check: SchemaCheck | undefined;
}

const ANNOTATION_SUFFIX = "/x-mcp-header";

export class ToolCatalogue {
  readonly #schemas: SchemaEngine | undefined;
  readonly #onWarning: (message: string) => void;
  #entries: ReadonlyMap<string, Entry> = new Map();
  readonly #compiled: Map<string, Compiled> = new Map();

  constructor(schemas: SchemaEngine | undefined, onWarning: (message: string) => void) {
    this.#schemas = schemas;
    this.#onWarning = onWarning;
  }

  /** Takes a list in place of what was there. @returns the tools in it that can be called */
  replace(listed: readonly unknown[]): Tool[] {
    const entries = new Map<string, Entry>();
    for (const tool of listed) {
      const entry = this.#admit(tool);
      if (entry !== undefined) entries.set(entry.tool.name, entry);
    }
    for (const name of this.#compiled.keys()) if (!entries.has(name)) this.#compiled.delete(name);
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
    const schema = this.#entries.get(name)?.tool.outputSchema;
    const check = schema === undefined ? undefined : this.#compile(name, schema);
    if (check === undefined) return undefined;
    // Null is a value like any other.
    if (!Object.hasOwn(result, "structuredContent")) return [{ path: "", message: "is missing" }];
    return check(result["structuredContent"]) ?? [];
  }

  #compile(name: string, schema: JsonSchema): SchemaCheck | undefined {
    if (this.#schemas === undefined) return undefined;
    const known = this.#compiled.get(name);
    if (known?.schema === schema) return known.check;
    const text = textOf(schema);
    const check =
      text !== undefined && known?.text === text ? known.check : this.#compileAnew(name, schema, this.#schemas);
    this.#compiled.set(name, { schema, text, check });
    return check;
  }

  #compileAnew(name: string, schema: JsonSchema, schemas: SchemaEngine): SchemaCheck | undefined {
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
    try {
      return { tool: listed, paramHeaders: isObject(inputSchema) ? plan(inputSchema) : [] };
    } catch (error) {
      const reason = reasonOf(error);
      if (error instanceof SchemaError && error.path.endsWith(ANNOTATION_SUFFIX)) {
        // MUST — #schema-extension: leave out the tool, and no other.
        this.#warn(name, `it was left out of the list: ${reason}`);
        return undefined;
      }
      this.#warn(name, `none of its arguments is mirrored into headers: inputSchema ${reason}`);
      return { tool: listed, paramHeaders: [] };
    }
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
    if ($schema === undefined || (error instanceof SchemaError && error.path.endsWith(ANNOTATION_SUFFIX))) throw error;
    return planParamHeaders(rest);
  }
}

/** Engines name places and keywords, never values. */
function reasonOf(error: unknown): string {
  return error instanceof SchemaError ? clip(error.message, 300) : "cannot be read";
}

function textOf(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined; // Nested so deeply that the stack overflows; the engine says so in its own words.
  }
}

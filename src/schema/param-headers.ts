/**
 * `x-mcp-header`: which arguments of a tool are mirrored into `Mcp-Param-*` headers, worked out from its input schema.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#schema-extension
 */
import { type JsonSchema, SchemaError } from "./engine.ts";
import { dialectOf, own, pointerTo, type SchemaPlace, walkSchema } from "./walk.ts";

export interface ParamHeader {
  /** The whole header name, in lower case: `mcp-param-region`. */
  readonly header: string;
  readonly type: "string" | "integer" | "boolean";
  /** Property names from the root of the arguments to the value. */
  readonly path: readonly string[];
}

const ANNOTATION = "x-mcp-header";
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * MUST — basic/transports/streamable-http#schema-extension: each annotation on a primitive property that a chain of
 * `properties` keys reaches, with a token for a value, unique without regard to case.
 *
 * Our choice: a type of one primitive and `"null"` counts as that primitive, since the specification says what happens
 * to a null argument.
 *
 * @throws {SchemaError} naming the place of the first annotation that breaks a rule, or a dialect that is not supported
 */
export function planParamHeaders(schema: JsonSchema): ParamHeader[] {
  const headers: ParamHeader[] = [];
  const seen = new Set<string>();
  for (const visit of walkSchema(schema, dialectOf(schema))) {
    const name = own(visit.schema, ANNOTATION);
    if (name === undefined) continue;
    const refuse = (reason: string): SchemaError => new SchemaError(`${pointerTo(visit)}/${ANNOTATION}`, reason);
    if (typeof name !== "string" || !TOKEN.test(name)) throw refuse("must be a non-empty HTTP token");
    const path = propertyPath(visit);
    if (path === undefined) throw refuse("may only be on a property that `properties` alone lead to");
    const type = primitiveType(own(visit.schema, "type"));
    if (type === undefined) throw refuse('needs a property of type "string", "integer" or "boolean"');
    const header = `mcp-param-${name.toLowerCase()}`;
    if (seen.has(header)) throw refuse(`is used twice: ${name}`);
    seen.add(header);
    headers.push({ header, type, path });
  }
  return headers;
}

function propertyPath(place: SchemaPlace): string[] | undefined {
  const path: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) {
    if (at.keyword !== "properties" || at.key === undefined) return undefined;
    path.unshift(at.key);
  }
  return path.length > 0 ? path : undefined;
}

function primitiveType(type: unknown): ParamHeader["type"] | undefined {
  const [only, ...others] = Array.isArray(type) ? type.filter((entry) => entry !== "null") : [type];
  return others.length === 0 && (only === "string" || only === "integer" || only === "boolean") ? only : undefined;
}

/** The value at a path of own properties, or undefined when there is none. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name]; // An own property, just checked.
  }
  return value;
}

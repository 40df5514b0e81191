/**
 * Which keywords of JSON Schema hold sub-schemas, and a walk over all of them.
 *
 * Contract: only places that the dialect calls a schema are visited; never `const`, `enum`, `default`, `examples` or an unknown
 * keyword. Names such as `__proto__` are plain property names. The walk keeps its own stack, so depth ends in a `SchemaError`.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#name-applicators
 * @see https://json-schema.org/draft-07/json-schema-validation#rfc.section.6
 */
import { SchemaError, type JsonSchema } from "./engine.ts";

export type Dialect = "2020-12" | "draft-07";

/** What authors write nests to about 12; beyond 64 a schema is a mistake or an attack, and recursion over it stays safe below. */
export const MAX_SCHEMA_DEPTH = 64;

/** The MCP specification's own schema has 840. Ajv takes about 0.4 ms for each, so one compile stays below a second. */
export const MAX_SUBSCHEMAS = 2_000;

type Holds = "schema" | "list" | "map";

const SHARED: readonly (readonly [string, Holds])[] = [
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["contains", "schema"],
  ["items", "schema"],
  // `definitions` is kept by 2020-12 for old documents, and `$defs` is what authors write whatever `$schema` says.
  ["$defs", "map"],
  ["definitions", "map"],
];

const HOLDERS: Record<Dialect, ReadonlyMap<string, Holds>> = {
  "2020-12": new Map([
    ...SHARED,
    ["prefixItems", "list"],
    ["dependentSchemas", "map"],
    ["unevaluatedItems", "schema"],
    ["unevaluatedProperties", "schema"],
  ]),
  "draft-07": new Map([...SHARED, ["additionalItems", "schema"], ["dependencies", "map"]]),
};

export function isPlainObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property, so that `toString` of a schema without one is `undefined`. Of a boolean, nothing. */
export function own(schema: JsonSchema | boolean, keyword: string): unknown {
  return typeof schema !== "boolean" && Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The dialect that `$schema` names; 2020-12 when it is absent. MUST — spec 2026-07-28 basic/index#schema-dialect */
export function dialectOf(schema: JsonSchema | boolean, path = ""): Dialect {
  const uri = own(schema, "$schema");
  if (uri === undefined) return "2020-12";
  if (typeof uri === "string") {
    if (/^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(uri)) return "2020-12";
    if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(uri)) return "draft-07";
  }
  throw new SchemaError(`${path}/$schema`, "names a dialect other than 2020-12 and draft-07");
}

/** A place in a schema, kept as a chain: pointers are only spelled out when somebody asks, because names can be megabytes long. */
export interface SchemaPlace {
  readonly parent: SchemaPlace | undefined;
  readonly keyword: string;
  readonly key: string | undefined;
  readonly depth: number;
}

export function pointerTo(place: SchemaPlace | undefined): string {
  let pointer = "";
  for (let at = place; at?.parent !== undefined; at = at.parent) {
    pointer = `/${escapeToken(at.keyword)}${at.key === undefined ? "" : `/${escapeToken(at.key)}`}${pointer}`;
  }
  return pointer;
}

export interface Visit extends SchemaPlace {
  readonly schema: JsonSchema | boolean;
}

/** Every sub-schema, the schema itself first. @throws {SchemaError} past the limits on depth and number, or on a misplaced value. */
export function* walkSchema(schema: JsonSchema | boolean, dialect: Dialect): Generator<Visit> {
  const pending: Visit[] = [{ parent: undefined, keyword: "", key: undefined, depth: 0, schema }];
  let count = 0;
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    checkLimits(visit, ++count);
    yield visit;
    if (typeof visit.schema === "boolean") continue;
    for (const step of childrenOf(visit, visit.schema, dialect)) pending.push(step);
  }
}

/** The direct sub-schemas of a visited place. @throws {SchemaError} when one of these is something else */
export function childrenOf(parent: SchemaPlace, schema: JsonSchema, dialect: Dialect): Visit[] {
  // MUST (draft-07 core, 8.3): all other properties of a `$ref` object are ignored. Definitions beside it stay reachable.
  const alone = dialect === "draft-07" && typeof own(schema, "$ref") === "string";
  const children: Visit[] = [];
  for (const keyword of Object.keys(schema)) {
    let holds = HOLDERS[dialect].get(keyword);
    if (holds === undefined || (alone && keyword !== "definitions" && keyword !== "$defs")) continue;
    const held = schema[keyword];
    if (dialect === "draft-07" && keyword === "items" && Array.isArray(held)) holds = "list";
    const refuse = (key: string | undefined, expected: string): SchemaError => {
      return new SchemaError(pointerTo({ parent, keyword, key, depth: 0 }), `must be ${expected}`);
    };
    const add = (key: string | undefined, schema: unknown): void => {
      if (typeof schema !== "boolean" && !isPlainObject(schema)) throw refuse(key, "an object or a boolean");
      children.push({ parent, keyword, key, depth: parent.depth + 1, schema });
    };
    if (holds === "schema") add(undefined, held);
    else if (holds === "list") {
      if (!Array.isArray(held)) throw refuse(undefined, "an array of schemas");
      for (const [index, item] of held.entries()) add(String(index), item);
    } else {
      if (!isPlainObject(held)) throw refuse(undefined, "an object whose values are schemas");
      for (const key of Object.keys(held)) {
        if (keyword !== "dependencies" || !Array.isArray(held[key])) add(key, held[key]);
      }
    }
  }
  return children;
}

export function checkLimits(place: SchemaPlace, count: number): void {
  if (place.depth > MAX_SCHEMA_DEPTH)
    throw new SchemaError(pointerTo(place), `is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  if (count > MAX_SUBSCHEMAS) throw new SchemaError("", `has more than ${MAX_SUBSCHEMAS} sub-schemas`);
}

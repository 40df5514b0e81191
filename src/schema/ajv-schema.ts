/**
 * Writes a schema graph out again as the plain 2020-12 schemas that ajv.ts gives to Ajv: the root first, then whatever is referred to.
 *
 * Contract: only keywords that Ajv judges faithfully. A reference is `refer`, the number of a schema. What Ajv gets wrong goes to keywords
 * of our own (ajv-keywords.ts, ajv-vocabulary.ts): comparing containers, patterns, limits, multiples, repeats, `contains`, a required
 * property with an empty name, and everything about `unevaluated…`, of which its generated code takes a property named `constructor` to
 * be evaluated.
 */
import { inlineStepsOf } from "./expense.ts";
import type { PatternSet } from "./guarded-pattern.ts";
import { isContainer } from "./json-value.ts";
import { assertion, subNodesOf, type SchemaGraph, type SchemaNode, type SubNodes } from "./schema-graph.ts";
import { pointerTo } from "./walk.ts";

type Plain = boolean | Record<string, unknown>;

const AS_THEY_ARE = [
  "type",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];
const MORE = ["minProperties", "maxProperties", "required", "dependentRequired", "minContains", "maxContains"];
const OURS = ["multipleOf", "pattern", "uniqueItems"];
const SINGLE = ["not", "if", "then", "else", "propertyNames", "additionalProperties", "items", "contains"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];

/** Places that apply a schema to any number of members. */
const LOOPS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "items",
  "contains",
  "propertyNames",
  "patternProperties",
]);
/** Generated code is fast, but collects an error object for every branch that fails: about 0.3 µs each. */
const STEP_WEIGHT = 4;
/** A loop over less than this is cheaper than counting. */
const WORTH_CHARGING = 8 * STEP_WEIGHT;
/** A short `enum` of scalars is compared with inline; a long one is faster as a set. */
const MAX_INLINE_ENUM = 20;

export class PlainSchema {
  readonly schemas: Plain[];
  /** The nodes behind the keyword `interpreted`, by its value. */
  readonly interpreted: SchemaNode[] = [];
  readonly #graph: SchemaGraph;
  readonly #patterns: PatternSet;
  readonly #numbers: ReadonlyMap<SchemaNode, number>;

  /** @throws {SchemaError} for a pattern that may not run. */
  constructor(graph: SchemaGraph, patterns: PatternSet) {
    this.#graph = graph;
    this.#patterns = patterns;
    const apart = graph.nodes.filter((node) => node.referenced && node !== graph.root);
    this.#numbers = new Map([graph.root, ...apart].map((node, number) => [node, number]));
    this.schemas = [...this.#numbers.keys()].map((node) => this.#body(node, true));
  }

  /** What stands in a node's place: a reference when something refers to it, so that each node is written once. */
  #place(node: SchemaNode): Plain {
    return node.referenced ? this.#referenceTo(node) : this.#body(node, LOOPS.has(node.keyword));
  }

  #referenceTo(node: SchemaNode): Plain {
    return { refer: this.#numbers.get(node) };
  }

  #body(node: SchemaNode, charged: boolean): Plain {
    if (typeof node.schema === "boolean") return node.schema;
    const { dialect } = this.#graph;
    const sub = subNodesOf(node, dialect);
    const plain: Record<string, unknown> = {};
    const steps = charged ? inlineStepsOf(node, this.#graph) * STEP_WEIGHT : 0;
    if (node.referenced || steps >= WORTH_CHARGING) plain["charge"] = steps;
    const unevaluated = sub.one("unevaluatedProperties") ?? sub.one("unevaluatedItems");
    if (unevaluated !== undefined || this.#demandsEmptyName(node)) {
      plain["interpreted"] = this.interpreted.push(node) - 1;
      return plain;
    }
    this.#assertions(node, plain);
    for (const keyword of SINGLE) {
      const child = sub.one(keyword);
      if (child !== undefined) plain[keyword] = this.#place(child);
    }
    for (const keyword of LISTS) {
      const children = sub.many(keyword);
      if (children.length > 0) plain[keyword] = children.map(([, child]) => this.#place(child));
    }
    this.#maps(sub, plain);
    // Only a node with both `$ref` and `$dynamicRef` has a second.
    const [first, ...apart] = node.references.map((target) => this.#referenceTo(target));
    Object.assign(plain, first);
    if ("prefixItems" in plain) apart.push(takeTuple(plain));
    if (apart.length > 0) plain["allOf"] = [...(Array.isArray(plain["allOf"]) ? plain["allOf"] : []), ...apart];
    return plain;
  }

  /** Ajv's code takes the empty name, once it has found that it is missing, for none. */
  #demandsEmptyName(node: SchemaNode): boolean {
    const required = assertion(node, "required", this.#graph.dialect);
    const dependent = assertion(node, "dependentRequired", this.#graph.dialect);
    const lists = isContainer(dependent) ? Object.values(dependent) : [];
    return [required, ...lists].some((names) => Array.isArray(names) && names.includes(""));
  }

  #assertions(node: SchemaNode, plain: Record<string, unknown>): void {
    for (const keyword of [...AS_THEY_ARE, ...MORE, ...OURS]) {
      const value = assertion(node, keyword, this.#graph.dialect);
      if (value !== undefined) plain[keyword] = value;
    }
    const pattern = plain["pattern"];
    if (typeof pattern === "string") this.#patterns.get(pattern, `${pointerTo(node)}/pattern`);
    const constant = assertion(node, "const", this.#graph.dialect);
    if (constant !== undefined) plain[isContainer(constant) ? "equals" : "const"] = [constant];
    const values = assertion(node, "enum", this.#graph.dialect);
    if (!Array.isArray(values)) return;
    const inline = values.length > 0 && values.length <= MAX_INLINE_ENUM && !values.some(isContainer);
    plain[inline ? "enum" : "memberOf"] = values;
  }

  #maps(sub: SubNodes, plain: Record<string, unknown>): void {
    for (const keyword of MAPS) {
      const children = sub.many(keyword);
      if (children.length === 0) continue;
      if (keyword === "patternProperties")
        for (const [source, child] of children) this.#patterns.get(source, pointerTo(child));
      plain[keyword] = Object.fromEntries(children.map(([name, child]) => [name, this.#place(child)]));
    }
    // Ajv passes over a property of this name, but not over a pattern that only it matches.
    const properties = plain["properties"];
    if (isContainer(properties) && Object.hasOwn(properties, "__proto__")) {
      const { ["__proto__"]: schema, ...others } = properties as Record<string, unknown>; // built just above
      plain["properties"] = others;
      plain["patternProperties"] = { ...(plain["patternProperties"] as object | undefined), "^__proto__$": schema };
    }
  }
}

/** Ajv's code for `prefixItems` forgets, on shorter arrays, what other array keywords found, so it gets a schema of its own. */
function takeTuple(plain: Record<string, unknown>): Plain {
  const { prefixItems, items = true } = plain;
  delete plain["prefixItems"];
  delete plain["items"];
  return { prefixItems, items };
}

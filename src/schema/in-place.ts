/**
 * Refuses schemas that apply to a value without end, or almost.
 *
 * Contract: `checkInPlace` throws `SchemaError` when a sub-schema leads back to itself without taking a step into the value
 * (`{"$ref": "#"}`), or leads through too many others. Recursion through `properties`, `items` and the like is what trees are made of.
 * MUST NOT run into an infinite loop — https://json-schema.org/draft/2020-12/json-schema-core#section-9.4.1
 */
import { SchemaError } from "./engine.ts";
import type { SchemaNode } from "./schema-graph.ts";
import { pointerTo } from "./walk.ts";

/** Far beyond what is written by hand, and what Ajv's own recursion can take. */
const MAX_IN_PLACE = 256;

const STEPS_INTO_VALUE: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "prefixItems",
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "$defs",
  "definitions",
]);

/** @throws {SchemaError} */
export function checkInPlace(nodes: readonly SchemaNode[]): void {
  /** The number of sub-schemas in the longest chain from a node; 0 while it is being found. */
  const lengths = new Map<SchemaNode, number>();
  for (const start of nodes) {
    const path = lengths.has(start) ? [] : [enter(start, lengths)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node, below } = top;
      const next = below.at(-1);
      if (next === undefined) {
        if (top.longest >= MAX_IN_PLACE)
          throw new SchemaError(pointerTo(node), `leads through more than ${MAX_IN_PLACE} schemas at once`);
        lengths.set(node, top.longest + 1);
        path.pop();
        continue;
      }
      const length = lengths.get(next);
      if (length === 0) throw new SchemaError(pointerTo(node), "leads back to itself without end");
      if (length === undefined) path.push(enter(next, lengths));
      else {
        top.longest = Math.max(top.longest, length);
        below.pop();
      }
    }
  }
}

interface Step {
  readonly node: SchemaNode;
  /** What is applied with it and still to be followed. */
  readonly below: SchemaNode[];
  longest: number;
}

function enter(node: SchemaNode, lengths: Map<SchemaNode, number>): Step {
  lengths.set(node, 0);
  const below = [...node.children.values()].filter((child) => !STEPS_INTO_VALUE.has(child.keyword));
  return { node, below: [...node.references, ...below].toReversed(), longest: 0 };
}

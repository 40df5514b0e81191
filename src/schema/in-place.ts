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
  /** The number of sub-schemas in the longest chain below a node; 0 while it is being found. */
  const lengths = new Map<SchemaNode, number>();
  for (const start of nodes) {
    const path = lengths.has(start) ? [] : [start];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      lengths.set(node, lengths.get(node) ?? 0);
      const below = appliedWith(node);
      const next = below.find((other) => !lengths.has(other));
      if (next !== undefined) {
        path.push(next);
        continue;
      }
      const longest = Math.max(0, ...below.map((other) => lengths.get(other) ?? 0));
      if (below.some((other) => lengths.get(other) === 0))
        throw new SchemaError(pointerTo(node), "leads back to itself without end");
      if (longest >= MAX_IN_PLACE)
        throw new SchemaError(pointerTo(node), `leads through more than ${MAX_IN_PLACE} schemas at once`);
      lengths.set(node, longest + 1);
      path.pop();
    }
  }
}

function appliedWith(node: SchemaNode): SchemaNode[] {
  return [...node.references, ...[...node.children.values()].filter((child) => !STEPS_INTO_VALUE.has(child.keyword))];
}

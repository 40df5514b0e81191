/**
 * What one validation may cost, and the way out when it costs more.
 *
 * Contract: both engines count steps (about one sub-schema applied to one value) and throw `Refusal` past `MAX_STEPS`; their checks
 * turn it into an issue. So no pair of schema and value, whatever the combinators, holds an isolate for long.
 *
 * @see spec 2026-07-28 basic/index#composition-keyword-resource-use
 */
import { isContainer } from "./json-value.ts";
import { assertion, type SchemaGraph, type SchemaNode } from "./schema-graph.ts";

/** About 0.2 s in the interpreter. A 4 MiB body has at most 2 million values; the ones people send have thousands. */
const MAX_STEPS = 3_000_000;

/** From here on V8 keeps an object as a hash table, and listing its names takes four times as long for each. */
const MANY_NAMES = 1_000;
const STEPS_PER_LISTED_NAME = 4;

const TOO_EXPENSIVE = "is too expensive to validate";
export const TOO_DEEP = "is nested too deeply";

/** Ends a validation: no verdict will be given, so the value does not pass, not even under `not`. */
export class Refusal extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

export class Expense {
  #left = 0;
  /** Of large objects, so that each lists its names once in a validation, whatever asks for them. */
  #names: WeakMap<object, readonly string[]> | undefined;

  start(): void {
    this.#left = MAX_STEPS;
    // The next validation may find the same object changed.
    this.#names = undefined;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Refusal("", TOO_EXPENSIVE);
  }

  /** What `Object.keys` gives. */
  namesOf(value: object): readonly string[] {
    const known = this.#names?.get(value);
    if (known !== undefined) {
      this.spend(1);
      return known;
    }
    const names = Object.keys(value);
    if (names.length < MANY_NAMES) this.spend(names.length);
    else {
      (this.#names ??= new WeakMap()).set(value, names);
      this.spend(names.length * STEPS_PER_LISTED_NAME);
    }
    return names;
  }
}

/** Names and constants are cheaper to look at than sub-schemas, but a schema can have very many of them. */
const NAMES_PER_STEP = 8;

/** The steps of applying a node itself to a value, without its sub-schemas. */
export function stepsOf(node: SchemaNode, { dialect }: SchemaGraph): number {
  let names = node.children.size;
  const required = assertion(node, "required", dialect);
  if (Array.isArray(required)) names += required.length;
  // Scalars are looked up in a set.
  const values = assertion(node, "enum", dialect);
  if (Array.isArray(values)) names += values.filter(isContainer).length;
  const dependent = assertion(node, "dependentRequired", dialect);
  // Shapes are checked: an object of arrays.
  for (const list of Object.values((dependent ?? {}) as Record<string, unknown[]>)) names += 1 + list.length;
  // Decimal division on big integers takes about a microsecond.
  const divisor = assertion(node, "multipleOf", dialect);
  const exact = divisor === undefined ? 0 : Number.isInteger(divisor) ? 4 : 16;
  return 1 + Math.floor(names / NAMES_PER_STEP) + exact;
}

const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);

/** The node and everything evaluated with it up to the next reference. */
export function inlineStepsOf(node: SchemaNode, graph: SchemaGraph): number {
  let steps = 0;
  const pending: SchemaNode[] = [node];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    steps += stepsOf(at, graph);
    for (const child of at.children.values())
      if (!child.referenced && !DEFINITIONS.has(child.keyword)) pending.push(child);
  }
  return steps;
}

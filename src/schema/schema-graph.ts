/**
 * A schema as a graph in which every reference is an edge.
 *
 * Contract: the graph has one shape for both dialects. Draft-07's tuple `items`, `additionalItems` and `dependencies` appear under
 * their 2020-12 names, and `$id`, `$anchor`, `$ref` and `$dynamicRef` are resolved away, so an engine needs no notion of dialect
 * or URI. Built by `inspectSchema`; read by the engines.
 */
import type { JsonSchema } from "./engine.ts";
import { isPlainObject, own, type Dialect, type SchemaPlace, type Visit } from "./walk.ts";

export class SchemaNode implements SchemaPlace {
  readonly parent: SchemaNode | undefined;
  readonly keyword: string;
  readonly key: string | undefined;
  readonly depth: number;
  readonly schema: JsonSchema | boolean;
  /** The URI that references inside this node resolve against. */
  readonly base: string;
  /** By the tokens a JSON Pointer would use, `properties/a` or `not`. Keys of maps are not escaped. */
  readonly children = new Map<string, SchemaNode>();
  /** Where `$ref` and, when it is not truly dynamic, `$dynamicRef` lead: both apply beside the other keywords. */
  readonly references: SchemaNode[] = [];
  /** Whether some reference leads here. */
  referenced = false;

  constructor(visit: Visit, parent: SchemaNode | undefined, base: string) {
    this.parent = parent;
    this.keyword = visit.keyword;
    this.key = visit.key;
    this.depth = visit.depth;
    this.schema = visit.schema;
    this.base = base;
  }
}

export interface SchemaGraph {
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  readonly nodes: readonly SchemaNode[];
}

/** The sub-schemas of a node by their 2020-12 keyword. */
export interface SubNodes {
  readonly one: (keyword: string) => SchemaNode | undefined;
  /** In order; empty when the keyword is absent. */
  readonly many: (keyword: string) => readonly (readonly [key: string, node: SchemaNode])[];
}

const NOTHING: readonly (readonly [string, SchemaNode])[] = [];

export function subNodesOf(node: SchemaNode, dialect: Dialect): SubNodes {
  const groups = new Map<string, [string, SchemaNode][]>();
  for (const child of node.children.values()) {
    const keyword = dialect === "draft-07" ? modernName(node, child) : child.keyword;
    const group = groups.get(keyword);
    if (group === undefined) groups.set(keyword, [[child.key ?? "", child]]);
    else group.push([child.key ?? "", child]);
  }
  return {
    one: (keyword) => groups.get(keyword)?.[0]?.[1],
    many: (keyword) => groups.get(keyword) ?? NOTHING,
  };
}

function modernName(node: SchemaNode, child: SchemaNode): string {
  if (child.keyword === "dependencies") return "dependentSchemas";
  if (child.keyword === "items" && child.key !== undefined) return "prefixItems";
  // `additionalItems` means something only beside a tuple.
  if (child.keyword === "additionalItems") return Array.isArray(own(node.schema, "items")) ? "items" : "";
  return child.keyword;
}

const MODERN_ONLY: ReadonlySet<string> = new Set(["minContains", "maxContains", "dependentRequired"]);

/** The value of an assertion keyword, or `undefined` where the dialect does not know or does not apply it. */
export function assertion(node: SchemaNode, keyword: string, dialect: Dialect): unknown {
  const { schema } = node;
  if (dialect === "2020-12") return own(schema, keyword);
  if (typeof schema === "boolean" || Object.hasOwn(schema, "$ref")) return undefined;
  if (keyword !== "dependentRequired") return MODERN_ONLY.has(keyword) ? undefined : own(schema, keyword);
  const dependencies = own(schema, "dependencies");
  return isPlainObject(dependencies)
    ? Object.fromEntries(Object.entries(dependencies).filter(([, names]) => Array.isArray(names)))
    : undefined;
}

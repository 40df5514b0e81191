/**
 * Reads a schema from a stranger and says what it means, or refuses it.
 *
 * Contract: `inspectSchema` returns the dialect and the graph of a schema that is well formed, of a supported dialect, within the
 * limits of walk.ts, and refers only to itself. Nothing is ever fetched. Both engines start here, so they refuse the same schemas.
 * MUST NOT dereference external references — spec 2026-07-28 basic/index#ref-resolution
 */
import { SchemaError, type JsonSchema } from "./engine.ts";
import { checkInPlace } from "./in-place.ts";
import { checkKeywordShapes } from "./keyword-shape.ts";
import { SchemaNode, type SchemaGraph } from "./schema-graph.ts";
import {
  checkLimits,
  childrenOf,
  dialectOf,
  escapeToken,
  isPlainObject,
  own,
  pointerTo,
  type Dialect,
  type Visit,
} from "./walk.ts";

// Relative references need some base (RFC 3986, 5.1.4). A scheme of our own cannot be mistaken for a place to fetch from.
const NO_BASE = "schema://local/";

/** @throws {SchemaError} */
export function inspectSchema(schema: unknown): SchemaGraph {
  if (typeof schema !== "boolean" && !isPlainObject(schema))
    throw new SchemaError("", "must be an object or a boolean");
  return new Inspection(dialectOf(schema)).run(schema);
}

class Inspection {
  readonly #dialect: Dialect;
  readonly #nodes: SchemaNode[] = [];
  /** Resources by absolute URI, and anchors by URI and fragment. */
  readonly #places = new Map<string, SchemaNode>();
  readonly #dynamic = new Map<string, SchemaNode[]>();
  /** Schemas inside unknown keywords, by pointer; only those that a reference names. */
  readonly #unlisted = new Map<string, SchemaNode>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  run(schema: JsonSchema | boolean): SchemaGraph {
    const root = this.#add({ parent: undefined, keyword: "", key: undefined, depth: 0, schema }, undefined, NO_BASE);
    // Without an `$id`, or with one, the document answers to its default base as well: `#` at the root.
    if (!this.#places.has(root.base)) this.#places.set(root.base, root);
    const dynamic: [SchemaNode, string][] = [];
    // The list grows when a reference leads into an unknown keyword; those sub-schemas are read the same way.
    for (let at = 0; at < this.#nodes.length; at++) {
      const node = this.#nodes[at];
      if (node === undefined || typeof node.schema === "boolean") continue;
      this.#follow(node, node.schema, "$ref");
      if (this.#dialect === "draft-07") continue;
      const target = this.#follow(node, node.schema, "$dynamicRef");
      const anchor = target && own(target.schema, "$dynamicAnchor");
      // Only a reference that names the anchor is dynamic; one that spells a pointer is an ordinary `$ref`.
      if (typeof anchor === "string" && String(own(node.schema, "$dynamicRef")).endsWith(`#${anchor}`)) {
        dynamic.push([node, anchor]);
      }
    }
    for (const [node, anchor] of dynamic) {
      // With one anchor of that name in the whole document the reference is static. With more, the target depends on the path
      // taken to it, which is refused rather than guessed.
      if ((this.#dynamic.get(anchor)?.length ?? 0) > 1) {
        throw new SchemaError(`${pointerTo(node)}/$dynamicRef`, "depends on the dynamic scope, which is not supported");
      }
    }
    checkInPlace(this.#nodes);
    return { dialect: this.#dialect, root, nodes: this.#nodes };
  }

  /** Adds a sub-schema and all below it. */
  #add(visit: Visit, parent: SchemaNode | undefined, base: string): SchemaNode {
    const first = this.#enter(visit, parent, base);
    const pending = [first];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (typeof node.schema === "boolean") continue;
      for (const visit of childrenOf(node, node.schema, this.#dialect)) {
        const child = this.#enter(visit, node, node.base);
        node.children.set(child.key === undefined ? child.keyword : `${child.keyword}/${child.key}`, child);
        pending.push(child);
      }
    }
    return first;
  }

  #enter(visit: Visit, parent: SchemaNode | undefined, base: string): SchemaNode {
    checkLimits(visit, this.#nodes.length + 1);
    const { schema } = visit;
    const alone = this.#dialect === "draft-07" && typeof schema === "object" && Object.hasOwn(schema, "$ref");
    const names = typeof schema === "object" && !alone ? this.#namesOf(visit, schema, base) : { base, uris: [] };
    const node = new SchemaNode(visit, parent, names.base);
    this.#nodes.push(node);
    for (const uri of names.uris) {
      if (this.#places.has(uri)) throw new SchemaError(pointerTo(node), "repeats an $id or anchor of this document");
      this.#places.set(uri, node);
    }
    const dynamicAnchor = this.#dialect === "2020-12" ? own(schema, "$dynamicAnchor") : undefined;
    if (typeof dynamicAnchor === "string")
      this.#dynamic.set(dynamicAnchor, [...(this.#dynamic.get(dynamicAnchor) ?? []), node]);
    return node;
  }

  /** The base URI inside a schema, and the URIs under which it can be referred to. */
  #namesOf(visit: Visit, schema: JsonSchema, base: string): { base: string; uris: string[] } {
    const path = (): string => pointerTo(visit);
    checkKeywordShapes(visit, schema, this.#dialect);
    if (Object.hasOwn(schema, "$schema") && dialectOf(schema, path()) !== this.#dialect) {
      throw new SchemaError(`${path()}/$schema`, "differs from the dialect of the document");
    }
    const uris: string[] = [];
    const id = own(schema, "$id");
    if (typeof id === "string") {
      const [uri, fragment] = resolveUri(id, base, `${path()}/$id`);
      if (fragment === "") uris.push((base = uri));
      else if (this.#dialect === "draft-07") uris.push(`${uri}#${fragment}`);
      else throw new SchemaError(`${path()}/$id`, "must not have a fragment");
    }
    if (this.#dialect === "2020-12") {
      const anchors = new Set([own(schema, "$anchor"), own(schema, "$dynamicAnchor")]);
      for (const anchor of anchors) if (typeof anchor === "string") uris.push(`${base}#${anchor}`);
    }
    return { base, uris };
  }

  #follow(node: SchemaNode, schema: JsonSchema, keyword: string): SchemaNode | undefined {
    const reference = own(schema, keyword);
    if (typeof reference !== "string") {
      if (reference === undefined) return undefined;
      throw new SchemaError(`${pointerTo(node)}/${keyword}`, "must be a string");
    }
    const path = `${pointerTo(node)}/${keyword}`;
    const [uri, fragment] = resolveUri(reference, node.base, path);
    const resource = this.#places.get(uri);
    const target =
      fragment.startsWith("/") && resource !== undefined
        ? this.#pointed(resource, fragment)
        : this.#places.get(fragment === "" ? uri : `${uri}#${fragment}`);
    if (target === undefined) throw new SchemaError(path, "leads nowhere in this schema (nothing is fetched)");
    target.referenced = true;
    node.references.push(target);
    return target;
  }

  #pointed(resource: SchemaNode, pointer: string): SchemaNode | undefined {
    const tokens = pointer
      .slice(1)
      .split("/")
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    let node = resource;
    for (let at = 0; at < tokens.length;) {
      const first = tokens[at] ?? "";
      const second = tokens[at + 1];
      const single = first.includes("/") ? undefined : node.children.get(first);
      const child = single ?? (second === undefined ? undefined : node.children.get(`${first}/${second}`));
      if (child === undefined) return this.#inUnknownKeyword(node, tokens.slice(at));
      node = child;
      at += single === undefined ? 2 : 1;
    }
    return node;
  }

  /** A reference into a keyword that the dialect does not know, such as `#/components/schemas/x`. */
  #inUnknownKeyword(node: SchemaNode, tokens: readonly string[]): SchemaNode | undefined {
    const pointer = `${pointerTo(node)}/${tokens.map(escapeToken).join("/")}`;
    const known = this.#unlisted.get(pointer);
    if (known !== undefined) return known;
    let value: unknown = node.schema;
    for (const token of tokens) {
      const inside = typeof value === "object" && value !== null && Object.hasOwn(value, token);
      if (!inside || NEVER_SCHEMAS.has(token)) return undefined;
      // `value` is an object or array with this own key; JSON has no other kind of container.
      value = (value as JsonSchema)[token];
    }
    if (typeof value !== "boolean" && !isPlainObject(value)) return undefined;
    const [keyword = "", ...rest] = tokens;
    const depth = node.depth + tokens.length;
    const visit = { parent: node, keyword, key: rest.length === 0 ? undefined : rest.join("/"), depth, schema: value };
    const added = this.#add(visit, node, node.base);
    this.#unlisted.set(pointer, added);
    return added;
  }
}

const NEVER_SCHEMAS: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

function resolveUri(reference: string, base: string, path: string): [uri: string, fragment: string] {
  let url;
  try {
    url = new URL(reference, base);
  } catch {
    throw new SchemaError(path, "is not a URI reference");
  }
  const { hash } = url;
  url.hash = "";
  try {
    return [url.href, decodeURIComponent(hash.slice(1))];
  } catch {
    throw new SchemaError(path, "has a fragment that is not well encoded");
  }
}

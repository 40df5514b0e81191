/**
 * The field that suits a schema, and the check of what it holds.
 *
 * Contract: bounded, whatever the schema: what is deep, goes back to itself or comes in great numbers is made when it is
 * opened, and past all bounds it is a box for JSON.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaCheck, SchemaIssue } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { type Field, type FormContext, type Place, textOf } from "./field.ts";
import { closedField, listField, nullableField, objectField, variantField } from "./group-fields.ts";
import { booleanField, choiceField, jsonField, multiChoiceField, numberField, stringField } from "./plain-fields.ts";
import { MAX_ROWS } from "./rows.ts";
import { choicesOf, type Shape, shapeOf } from "./schema-shape.ts";

const OPEN_DEPTH = 3;
const MAX_DEPTH = 12;
const MAX_PROPERTIES = 200;
/** Of those made at once. */
const MAX_OPEN = 300;
const MAX_MADE = 3_000;
/** A part of the schema is checked on its own, which other references would not survive. */
const FOREIGN_REF = /"\$ref":"(?!#\/(?:\$defs|definitions)\/)/;

export class FieldMaker implements FormContext {
  readonly #root: JsonObject;
  readonly #checks = new Map<JsonObject, SchemaCheck | undefined>();
  #made = 0;

  constructor(root: JsonObject) {
    this.#root = root;
    this.#checks.set(root, compiled(root));
  }

  make(given: unknown, place: Place): Field {
    if (this.#made++ === 0) queueMicrotask(() => (this.#made = 0));
    const shape = shapeOf(given, this.#root);
    const { schema, nullable, refs } = shape;
    const { required, depth } = place;
    const at = { ...place, title: textOf(schema, "title") ?? place.title, refs: [...place.refs, ...refs] };
    const isPlain = shape.variants === undefined && /string|number|integer|boolean/.test(String(schema["type"]));
    const isFar = depth > OPEN_DEPTH || this.#made > MAX_OPEN || refs.some((ref) => place.refs.includes(ref));
    // The inside of what may be null has the check.
    const make = (): Field => ({ ...this.#field(shape, at), schema: nullable ? undefined : schema, required });
    return isFar && !isPlain ? { ...closedField(at, make), required } : make();
  }

  /** A schema that the engine refuses is not checked here: the server has the last word anyway. */
  check(schema: JsonObject, value: unknown): readonly SchemaIssue[] {
    if (!this.#checks.has(schema)) {
      const { $defs = {}, definitions = {} } = this.#root;
      const whole = { $defs, definitions, ...schema };
      this.#checks.set(schema, FOREIGN_REF.test(JSON.stringify(whole)) ? undefined : compiled(whole));
    }
    return this.#checks.get(schema)?.(value) ?? [];
  }

  #field({ schema, nullable, variants }: Shape, at: Place): Field {
    const choices = choicesOf(schema);
    if (choices !== undefined) return choiceField(schema, at, choices);
    if (at.depth > MAX_DEPTH || this.#made > MAX_MADE) return jsonField(schema, at);
    const alternatives = variants?.map((variant) => variant.schema);
    if (nullable) return nullableField(alternatives === undefined ? schema : { ...schema, anyOf: alternatives }, at);
    if (variants !== undefined) return variantField(schema, at, variants);
    const { properties, items, additionalProperties, prefixItems, default: start } = schema;
    switch (schema["type"] ?? (isObject(properties) && "object")) {
      case "string":
        return stringField(schema, at);
      case "number":
      case "integer":
        return numberField(schema, at);
      case "boolean":
        return booleanField(schema, at);
      case "array": {
        if (!isObject(items) || prefixItems !== undefined || (Array.isArray(start) && start.length > MAX_ROWS)) break;
        const picks = choicesOf(shapeOf(items, this.#root).schema);
        return picks === undefined ? listField(schema, at) : multiChoiceField(schema, at, picks);
      }
      case "object": {
        const free = additionalProperties === undefined || additionalProperties === true;
        const isKnown = isObject(properties) ? Object.keys(properties).length <= MAX_PROPERTIES : !free;
        if (isKnown) return objectField(schema, at);
        break;
      }
      default:
    }
    return jsonField(schema, at);
  }
}

function compiled(schema: JsonObject): SchemaCheck | undefined {
  try {
    return interpreterEngine().compile(schema);
  } catch {
    return undefined;
  }
}

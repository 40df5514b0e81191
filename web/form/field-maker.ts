/**
 * The field that suits a schema, and the check of what it holds.
 *
 * Contract: bounded, whatever the schema: what is deep, goes back to itself or comes in great numbers is a box for JSON.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaCheck } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { asText } from "../dom.ts";
import type { Field, FormContext, Place } from "./field.ts";
import { listField, MAX_ROWS, objectField, variantField } from "./group-fields.ts";
import { booleanField, choiceField, jsonField, multiChoiceField, textField } from "./plain-fields.ts";
import { choicesOf, type Shape, shapeOf } from "./schema-shape.ts";

const MAX_DEPTH = 6;
const MAX_PROPERTIES = 200;
/** At once. Strings, numbers and the like may be more, as long as what they are in was in time. */
const MAX_MADE = 300;

export function formFor(root: JsonObject): FormContext {
  const { $defs = {}, definitions = {} } = root;
  const checks = new Map<JsonObject, SchemaCheck | undefined>();
  let made = 0;

  const fieldFor = ({ schema, variants }: Shape, at: Place, isFar: boolean): Field => {
    const choices = choicesOf(schema);
    if (choices !== undefined) return choiceField(schema, at, choices);
    const { properties, items, additionalProperties, prefixItems, type = isObject(properties) && "object" } = schema;
    const kind = variants === undefined ? type : "variants";
    if (kind === "string" || kind === "number" || kind === "integer") return textField(schema, at);
    if (kind === "boolean") return booleanField(schema, at);
    if (isFar) return jsonField(schema, at);
    if (variants !== undefined) return variantField(schema, at, variants);
    if (kind === "array") {
      const picks = choicesOf(shapeOf(items, root).schema);
      if (picks !== undefined) return multiChoiceField(schema, at, picks);
      if (isObject(items) && prefixItems === undefined && [at.start].flat().length <= MAX_ROWS)
        return listField(schema, at);
    }
    const isKnown = isObject(properties)
      ? Object.keys(properties).length <= MAX_PROPERTIES
      : additionalProperties === false;
    return kind === "object" && isKnown ? objectField(schema, at) : jsonField(schema, at);
  };

  return {
    make(given, place) {
      if (made++ === 0) queueMicrotask(() => (made = 0));
      const shape = shapeOf(given, root);
      const { schema, nullable, refs } = shape;
      const required = place.required && !nullable;
      const first = place.start === undefined && place.fresh ? schema["default"] : place.start;
      const start = nullable ? (first ?? undefined) : first;
      const at = {
        ...place,
        title: asText(schema["title"]) || place.title,
        required,
        start,
        given: required || start !== undefined,
        refs: [...place.refs, ...refs],
      };
      const isFar = place.depth > MAX_DEPTH || made > MAX_MADE || refs.some((ref) => place.refs.includes(ref));
      const field = { ...fieldFor(shape, at, isFar), schema, required };
      if (!nullable) return field;
      // Blank is `null` where it has to be something, or was.
      const blank = place.required || place.start === null ? null : undefined;
      return { element: field.element, read: () => field.read() ?? blank, parts: () => [field] };
    },

    check(schema, value) {
      if (!checks.has(schema)) {
        checks.set(schema, undefined);
        try {
          checks.set(schema, interpreterEngine().compile({ $defs, definitions, ...schema }));
        } catch {
          // What the engine refuses is not checked here: the server has the last word anyway.
        }
      }
      return checks.get(schema)?.(value) ?? [];
    },
  };
}

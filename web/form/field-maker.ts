/**
 * The field that suits a schema, and the check of what it holds.
 *
 * Contract: bounded, whatever the schema. What comes in great numbers, or starts with what its field cannot show, is a box for
 * JSON. What is optional is made when it is asked for, so that a schema that goes back to itself ends.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaCheck } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import type { Field, FormContext, Place } from "./field.ts";
import { objectField, rowsField, variantField } from "./group-fields.ts";
import { choiceField, INPUT_TYPES, inputField, multiChoiceField, textField } from "./plain-fields.ts";
import { bare, choicesOf, MANY, type Shape, shapeOf } from "./schema-shape.ts";
import { objectOf } from "../text.ts";

export function formFor(root: JsonObject): FormContext {
  const { $defs = {}, definitions = {} } = root;
  const checks = new Map<JsonObject, SchemaCheck>();
  let made = 0;

  const fieldFor = (place: Place, variants: Shape["variants"]): Field => {
    const { schema, start } = place;
    const { properties, items, prefixItems, additionalProperties, format } = schema;
    const { type = isObject(properties) && "object" } = schema;
    const choices = choicesOf(schema);
    if (choices !== undefined) return choiceField(place, choices);
    if (variants !== undefined) return optional(place, (whole) => variantField(whole, variants));
    const input = INPUT_TYPES.get(type === "string" ? format : type);
    if (input !== undefined) return inputField(place, input);
    const members = start ?? (type === "array" ? [] : {});
    const count = Object.keys({ ...objectOf(properties), ...members }).length;
    const isFew = made + count <= MANY;
    if (isFew && type === "array" && Array.isArray(members)) {
      const picks = choicesOf(shapeOf(items, root).schema);
      if (picks !== undefined) return multiChoiceField(place, picks);
      if (isObject(items) && prefixItems === undefined)
        return rowsField(place, { make: (entry) => form.make(items, entry), many: true });
    }
    if (isFew && type === "object" && isObject(members) && (isObject(properties) || additionalProperties === false))
      return optional(place, objectField);
    // Nothing to fill in is no fault of an object that has to be there.
    return textField(place.required && type === "object" ? { ...place, start: members } : place);
  };
  const form: FormContext = {
    make(given, place) {
      made++;
      const { schema, nullable, variants } = shapeOf(given, root);
      const first = place.fresh ? (place.start ?? schema["default"]) : place.start;
      const start = nullable ? (first ?? undefined) : first;
      const field = fieldFor({ ...place, schema, start, required: place.required && !nullable }, variants);
      if (!nullable) return field;
      // Blank is `null` where it has to be something, or was.
      const blank = place.required || place.start === null ? null : undefined;
      return { ...field, read: () => field.read() ?? blank };
    },

    check(schema, value) {
      let check = checks.get(schema);
      if (check === undefined) {
        try {
          check = interpreterEngine().compile({ $defs, definitions, ...schema });
        } catch {
          check = () => undefined; // What the engine refuses the server has to judge.
        }
        checks.set(schema, check);
      }
      return (check(value) ?? []).map(({ path, message }) => `${path || "This"} ${message}.`);
    },
  };
  return form;
}

/** Made when it is asked for, where it may be left out. */
function optional(place: Place, make: (place: Place) => Field): Field {
  return place.required
    ? make(place)
    : rowsField(place, { make: (whole) => make({ ...whole, schema: bare(place.schema) }), many: false });
}

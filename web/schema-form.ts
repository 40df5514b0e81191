/**
 * A form from a JSON Schema: what it can show as fields it does, anything else becomes a box for JSON.
 *
 * Contract: `read()` gives the arguments that the fields stand for, leaving out optional ones nobody filled in. The
 * browser checks what HTML can express; the server has the last word on everything.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { choiceField, choicesOf, multiChoiceField } from "./choice-fields.ts";
import { freshId, h } from "./dom.ts";
import { type Field, type FieldOptions, labelled, textOf } from "./field.ts";
import { listField } from "./list-field.ts";
import { booleanField, jsonField, numberField, stringField } from "./plain-fields.ts";

/** Deeper or wider than this, a form is harder to fill in than its JSON. */
const MAX_DEPTH = 4;
const MAX_PROPERTIES = 60;
/** Keywords that say more about an object than its list of properties does. */
const BEYOND_FIELDS = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "patternProperties",
  "dependentSchemas",
];

export interface SchemaForm {
  readonly elements: readonly HTMLElement[];
  /** @returns undefined never; call it after the form's own validity check. */
  read(): JsonObject;
}

/** Fields for the arguments of a tool, or for what an elicitation asks. */
export function schemaForm(schema: JsonObject): SchemaForm {
  if (!hasFields(schema, 0)) {
    const field = jsonField(
      "arguments",
      { ...schema, type: "object" },
      { required: true, title: "Arguments", depth: 0 },
    );
    return { elements: [field.element], read: () => (field.read() ?? {}) as JsonObject }; // The box insists on an object.
  }
  const fields = fieldsOf(schema, 0);
  return { elements: fields.map(([, { element }]) => element), read: () => collect(fields) };
}

function fieldsOf(schema: JsonObject, depth: number): [string, Field][] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, property]) => {
    const options = { required: required.includes(name), title: textOf(property, "title") ?? name, depth };
    return [name, fieldFor(name, isObject(property) ? property : {}, options)];
  });
}

function fieldFor(name: string, schema: JsonObject, options: FieldOptions): Field {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choiceField(name, schema, options, choices);
  if (BEYOND_FIELDS.some((keyword) => schema[keyword] !== undefined)) return jsonField(name, schema, options);
  const { type, items } = schema;
  switch (Array.isArray(type) && type.length === 2 ? type.find((entry) => entry !== "null") : type) {
    case "string":
      return stringField(name, schema, options);
    case "number":
    case "integer":
      return numberField(name, schema, options);
    case "boolean":
      return booleanField(name, schema, options);
    case "array": {
      const itemChoices = isObject(items) ? choicesOf(items) : undefined;
      if (itemChoices !== undefined) return multiChoiceField(name, schema, options, itemChoices);
      return isPlainString(items) ? listField(name, schema, options) : jsonField(name, schema, options);
    }
    case "object":
      return hasFields(schema, options.depth + 1)
        ? groupField(name, schema, options)
        : jsonField(name, schema, options);
    default:
      return jsonField(name, schema, options);
  }
}

/** An object inside the arguments. Optional and empty, it is left out. */
function groupField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const fields = fieldsOf(schema, options.depth + 1);
  // Required within a group that may be left out as a whole is for the server to judge.
  if (!options.required) for (const [, { element }] of fields) relax(element);
  const hint = textOf(schema, "description");
  const hintId = freshId();
  const group = h(
    "fieldset",
    { class: "group", "aria-describedby": hint === undefined ? undefined : hintId },
    h("legend", {}, ...labelled(name, options)),
    hint === undefined ? undefined : h("p", { class: "hint", id: hintId }, hint),
    ...fields.map(([, { element }]) => element),
  );
  return {
    element: group,
    read: () => {
      const value = collect(fields);
      return options.required || Object.keys(value).length > 0 ? value : undefined;
    },
  };
}

function relax(element: HTMLElement): void {
  for (const control of element.querySelectorAll("[required]")) control.removeAttribute("required");
}

function collect(fields: readonly [string, Field][]): JsonObject {
  const value: [string, unknown][] = [];
  for (const [name, field] of fields) {
    const given = field.read();
    if (given !== undefined) value.push([name, given]);
  }
  return Object.fromEntries(value); // Unlike assignment, this makes `__proto__` a property like any other.
}

function hasFields(schema: JsonObject, depth: number): boolean {
  if (depth > MAX_DEPTH || BEYOND_FIELDS.some((keyword) => schema[keyword] !== undefined)) return false;
  const { properties, additionalProperties } = schema;
  if (properties === undefined) return additionalProperties === false;
  if (!isObject(properties) || isObject(additionalProperties)) return false;
  return Object.keys(properties).length <= MAX_PROPERTIES;
}

function isPlainString(items: unknown): boolean {
  return (
    isObject(items) && items["type"] === "string" && !BEYOND_FIELDS.some((keyword) => items[keyword] !== undefined)
  );
}

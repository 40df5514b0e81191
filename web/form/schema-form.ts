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
  /** Call it once the browser found the form valid. */
  read(): JsonObject;
}

/** Fields for the arguments of a tool, or for what an elicitation asks. */
export function schemaForm(schema: JsonObject): SchemaForm {
  if (!hasFields(schema, 0)) {
    const field = jsonField(
      "arguments",
      { ...schema, type: "object" },
      { required: false, mark: "optional", title: "Arguments", depth: 0 },
    );
    return { elements: [field.element], read: () => (field.read() ?? {}) as JsonObject }; // The box insists on an object.
  }
  const fields = fieldsOf(schema, { required: true, depth: 0 });
  return { elements: fields.map(([, { element }]) => element), read: () => collect(fields) };
}

/** What a group that may be left out requires of its fields is for the server to judge. */
function fieldsOf(schema: JsonObject, group: Pick<FieldOptions, "required" | "depth">): [string, Field][] {
  const listed: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, property]) => {
    const asked = listed.includes(name);
    const mark = asked ? (group.required ? "required" : "required here") : "optional";
    const title = textOf(property, "title") ?? name;
    const options = { required: asked && group.required, mark, title, depth: group.depth };
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

/** An object inside the arguments. Optional and as it was at first, defaults included, it is left out. */
function groupField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const fields = fieldsOf(schema, { required: options.required, depth: options.depth + 1 });
  const untouched = JSON.stringify(collect(fields));
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
      return options.required || JSON.stringify(value) !== untouched ? value : undefined;
    },
  };
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

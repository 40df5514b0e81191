/**
 * Fields for one string, number, boolean, or piece of JSON.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { choiceField } from "./choice-fields.ts";
import { h } from "./dom.ts";
import { defaultOf, type Field, fieldAround, type FieldOptions, numberOf, textOf } from "./field.ts";

/** Strings that may be longer than this get room for several lines. */
const ONE_LINE = 255;
const INPUT_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
]);

export function stringField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const minLength = numberOf(schema, "minLength");
  const maxLength = numberOf(schema, "maxLength");
  const format = textOf(schema, "format");
  const examples = Array.isArray(schema["examples"]) ? schema["examples"] : [];
  const attributes = {
    required: options.required && (minLength ?? 0) > 0,
    minlength: minLength,
    // HTML counts UTF-16 units, JSON Schema counts characters; doubled, no text that is allowed is cut off.
    maxlength: maxLength === undefined ? undefined : maxLength * 2,
    placeholder:
      typeof examples[0] === "string" ? examples[0] : format === "date-time" ? "2026-07-28T12:00:00Z" : undefined,
    autocomplete: "off",
    spellcheck: "false",
  };
  const oneLine = format !== undefined || (maxLength !== undefined && maxLength <= ONE_LINE);
  const control = oneLine
    ? h("input", { ...attributes, type: INPUT_TYPES.get(format) ?? "text" })
    : h("textarea", { ...attributes, rows: 3 });
  const preset = defaultOf(schema);
  if (typeof preset === "string") control.defaultValue = preset;
  const element = fieldAround(control, name, schema, options);
  return { element, read: () => (control.value === "" && !options.required ? undefined : control.value) };
}

export function numberField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const control = h("input", {
    type: "number",
    required: options.required,
    min: numberOf(schema, "minimum"),
    max: numberOf(schema, "maximum"),
    step: schema["type"] === "integer" ? 1 : "any",
    inputmode: schema["type"] === "integer" ? "numeric" : "decimal",
  });
  const preset = defaultOf(schema);
  if (typeof preset === "number") control.defaultValue = String(preset);
  const element = fieldAround(control, name, schema, options);
  return { element, read: () => (control.value === "" ? undefined : Number(control.value)) };
}

/** A box to tick where both states are known to be meant; otherwise a choice that has a third state. */
export function booleanField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const preset = defaultOf(schema);
  if (!options.required && typeof preset !== "boolean") {
    const choices = [true, false].map((value) => ({ value, label: value ? "Yes" : "No" }));
    return choiceField(name, schema, options, choices);
  }
  const control = h("input", { type: "checkbox" });
  control.defaultChecked = preset === true;
  const element = fieldAround(control, name, schema, options);
  element.querySelector(".mark")?.remove(); // A box always has an answer.
  element.classList.add("check");
  element.prepend(control);
  return { element, read: () => control.checked };
}

/** For everything without a field of its own. What is typed has to be JSON, of the right kind where that is known. */
export function jsonField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const { type } = schema;
  const control = h("textarea", {
    class: "json",
    rows: 4,
    required: options.required,
    spellcheck: "false",
    placeholder: placeholder(type),
  });
  const preset = schema["default"];
  if (preset !== undefined) control.defaultValue = JSON.stringify(preset, null, 2);
  const check = (): void => control.setCustomValidity(problemOf(control.value, type));
  control.addEventListener("input", check);
  const element = fieldAround(control, name, schema, options);
  return { element, read: () => (control.value.trim() === "" ? undefined : (JSON.parse(control.value) as unknown)) };
}

function placeholder(type: unknown): string {
  return type === "array" ? "[ … ]" : type === "object" ? "{ … }" : "JSON";
}

function problemOf(text: string, type: unknown): string {
  if (text.trim() === "") return "";
  try {
    const value: unknown = JSON.parse(text);
    if (type === "object" && !isObject(value)) return "This has to be a JSON object.";
    return type === "array" && !Array.isArray(value) ? "This has to be a JSON array." : "";
  } catch {
    return "This is not valid JSON yet.";
  }
}

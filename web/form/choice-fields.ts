/**
 * Fields for one or several of a fixed set of values.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { asText, freshId, h } from "./dom.ts";
import { defaultOf, type Field, fieldAround, type FieldOptions, labelled, textOf } from "./field.ts";

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** The values of `enum`, `const`, or a `oneOf`/`anyOf` of titled constants; undefined when the schema is no such list. */
export function choicesOf(schema: JsonObject): Choice[] | undefined {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values)) {
    const labels: unknown[] = Array.isArray(names) ? names : [];
    return values.map((value: unknown, index) => ({ value, label: asText(labels[index] ?? value) }));
  }
  if ("const" in schema) return [{ value: schema["const"], label: asText(schema["const"]) }];
  const options = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const choices = options.map((option: unknown) =>
    isObject(option) && "const" in option
      ? { value: option["const"], label: textOf(option, "title") ?? asText(option["const"]) }
      : undefined,
  );
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

export function choiceField(
  name: string,
  schema: JsonObject,
  options: FieldOptions,
  choices: readonly Choice[],
): Field {
  const preset = choices.findIndex(({ value }) => value === defaultOf(schema));
  const control = h(
    "select",
    { required: options.required },
    h("option", { value: "" }, options.required ? "Choose…" : "—"),
    // Positions as values, since choices may be of any type.
    ...choices.map(({ label }, index) => h("option", { value: index, selected: index === preset }, label)),
  );
  const element = fieldAround(control, name, schema, options);
  return { element, read: () => (control.value === "" ? undefined : choices[Number(control.value)]?.value) };
}

export function multiChoiceField(
  name: string,
  schema: JsonObject,
  options: FieldOptions,
  choices: readonly Choice[],
): Field {
  const given = defaultOf(schema);
  const preset: unknown[] = Array.isArray(given) ? given : [];
  const boxes = choices.map(({ value }) => {
    const box = h("input", { type: "checkbox", id: freshId() });
    box.defaultChecked = preset.includes(value);
    return box;
  });
  const hint = textOf(schema, "description");
  const element = h(
    "fieldset",
    { class: "field choices" },
    h("legend", {}, ...labelled(name, options)),
    ...choices.map(({ label }, index) => h("label", { class: "choice" }, boxes[index], label)),
    hint === undefined ? undefined : h("p", { class: "hint" }, hint),
  );
  return {
    element,
    read: () => {
      const chosen = choices.filter((_, index) => boxes[index]?.checked === true).map(({ value }) => value);
      return chosen.length === 0 && !options.required ? undefined : chosen;
    },
  };
}

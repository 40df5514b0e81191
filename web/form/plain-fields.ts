/**
 * Fields for one string, number, boolean, choice, or piece of JSON.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, h } from "../dom.ts";
import { controlField, type Field, groupOf, type Place, same } from "./field.ts";
import { jsonFault } from "./json-fault.ts";
import type { Choice } from "./schema-shape.ts";

/** Strings that may be longer than this get room for several lines. */
const ONE_LINE = 255;
const INPUT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
  ["date-time", "datetime-local"],
]);

function typing({ examples }: JsonObject): Record<string, string> {
  const [example] = [examples].flat();
  return { placeholder: asText(example), autocomplete: "off", spellcheck: "false" };
}

export function stringField(schema: JsonObject, place: Place): Field {
  const { format, maxLength } = schema;
  const type = INPUT_TYPES.get(format) ?? (place.short === true || Number(maxLength) <= ONE_LINE ? "text" : "");
  if (type === "") return controlField(h("textarea", { ...typing(schema), rows: 1 }), schema, place, {});
  const isTime = type === "datetime-local";
  const control = h("input", { ...typing(schema), type, step: isTime ? 1 : undefined });
  if (!isTime) return controlField(control, schema, place, {});
  return controlField(control, schema, place, {
    // As the control wants it: in the time zone of the person, which it does not name.
    show: (value) => {
      const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
      const offset = new Date(time).getTimezoneOffset() * 60_000;
      return Number.isNaN(time) ? undefined : new Date(time - offset).toISOString().slice(0, 19);
    },
    parse: (text) => new Date(text).toISOString().replace(".000", ""),
  });
}

export function numberField(schema: JsonObject, place: Place): Field {
  const { type, minimum, maximum, multipleOf } = schema;
  const step = multipleOf ?? (type === "integer" ? 1 : "any");
  // What is no number there has no effect.
  const control = h("input", {
    ...typing(schema),
    type: "number",
    min: asText(minimum),
    max: asText(maximum),
    step: asText(step),
  });
  return controlField(control, schema, place, { type: "number", parse: Number });
}

/** A box to tick where both states are known to be meant; otherwise a choice that has a third state. */
export function booleanField(schema: JsonObject, place: Place): Field {
  if (!place.required && typeof schema["default"] !== "boolean") {
    const choices = [true, false].map((value) => ({ value, label: value ? "Yes" : "No" }));
    return choiceField(schema, place, choices);
  }
  const control = h("input", { type: "checkbox" });
  const codec = { type: "boolean", parse: (text: string) => text === "true" } as const;
  const field = controlField(control, schema, { ...place, mark: undefined }, codec);
  field.element.classList.add("check");
  field.element.prepend(control);
  return { ...field, read: () => field.read() ?? (place.required ? false : undefined) };
}

/** For everything without a field of its own. */
export function jsonField(schema: JsonObject, place: Place): Field {
  return controlField(h("textarea", { class: "json", rows: 3, ...typing(schema) }), schema, place, {
    show: (value) => JSON.stringify(value, null, 2),
    parse: (text) => (text.trim() === "" || jsonFault(text) !== undefined ? undefined : (JSON.parse(text) as unknown)),
    fault: (text) => {
      const at = text.trim() === "" ? undefined : jsonFault(text);
      return at && `is not JSON: ${at}`;
    },
  });
}

/** The values are known by their positions, since they may be of any type. */
function positionOf(choices: readonly Choice[], value: unknown): number {
  return choices.findIndex((choice) => same(choice.value, value));
}

export function choiceField(schema: JsonObject, place: Place, choices: readonly Choice[]): Field {
  const isFixed = place.required && choices.length === 1;
  const options = choices.map(({ label }, index) => h("option", { value: index }, label));
  if (!isFixed) options.unshift(h("option", { value: "" }, place.required ? "Choose…" : "—"));
  return controlField(
    h("select", {}, ...options),
    isFixed ? { ...schema, default: choices[0]?.value } : schema,
    place,
    {
      show: (value) => options.find((option) => option.value === String(positionOf(choices, value)))?.value,
      parse: (text) => choices[Number(text)]?.value,
    },
  );
}

export function multiChoiceField(schema: JsonObject, place: Place, choices: readonly Choice[]): Field {
  const boxes = choices.map(() => h("input", { type: "checkbox" }));
  const chosen = (): unknown[] => choices.filter((_, index) => boxes[index]?.checked).map(({ value }) => value);
  let kept: unknown;
  let shown: unknown;
  const write = (value: unknown): void => {
    const places = new Set([value].flat().map((one) => positionOf(choices, one)));
    for (const [index, box] of boxes.entries()) box.checked = places.has(index);
    shown = chosen();
    kept = Array.isArray(value) && !places.has(-1) ? value : undefined;
  };
  write(schema["default"]);
  const labels = choices.map(({ label }, index) => h("label", { class: "choice" }, boxes[index], label));
  return {
    element: groupOf("fieldset", "field choices", schema, place, labels),
    write,
    read: () => {
      const values = chosen();
      // In the order in which they were written.
      if (kept !== undefined && same(values, shown)) return kept;
      return values.length > 0 || place.required ? values : undefined;
    },
  };
}

/**
 * Fields for one string, number, boolean, choice, or piece of JSON.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, h, jsonText } from "../dom.ts";
import { type Codec, controlField, type Field, framed, type Place } from "./field.ts";
import type { Choice } from "./schema-shape.ts";

/** Strings that may be longer than this get room for several lines. */
const ONE_LINE = 255;
const INPUT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
  ["password", "password"],
  ["date-time", "datetime-local"],
]);

const TEXT: Codec = { show: asText, parse: (text) => text };
/** As the control wants it: in the time zone of the person, which it does not name. */
const TIME: Codec = {
  show: (value) => {
    const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
    const offset = new Date(time).getTimezoneOffset() * 60_000;
    return Number.isNaN(time) ? undefined : new Date(time - offset).toISOString().slice(0, 19);
  },
  parse: (text) => new Date(text).toISOString().replace(".000", ""),
};
const ANY: Codec = { show: (value) => jsonText(value, 2), parse: (text) => JSON.parse(text) as unknown };

export function textField(schema: JsonObject, place: Place): Field {
  const { type, format, maxLength } = schema;
  if (type !== "string") return controlField(h("input", { type: "number" }), schema, place, { ...ANY, parse: Number });
  const isShort = place.short === true || Number(maxLength) <= ONE_LINE;
  const input = INPUT_TYPES.get(format) ?? (isShort ? "text" : undefined);
  if (input === undefined) return controlField(h("textarea", { rows: 1 }), schema, place, TEXT);
  const codec = input === "datetime-local" ? TIME : TEXT;
  return controlField(h("input", { type: input, step: 1 }), schema, place, codec); // To the second.
}

/** A box to tick where both states are known to be meant; otherwise a choice that has a third state. */
export function booleanField(schema: JsonObject, place: Place): Field {
  if (!place.given) {
    const choices = [true, false].map((value) => ({ value, label: value ? "Yes" : "No" }));
    return choiceField(schema, place, choices);
  }
  const box = h("input", { type: "checkbox", checked: place.start === true });
  const element = framed(schema, { ...place, required: false }, [], box);
  element.classList.add("tick");
  element.prepend(box);
  return { element, read: () => box.checked };
}

/** For everything without a field of its own. */
export function jsonField(schema: JsonObject, place: Place): Field {
  const control = h("textarea", { class: "json", rows: 3 });
  return controlField(control, schema, place, ANY);
}

export function choiceField(schema: JsonObject, place: Place, choices: readonly Choice[]): Field {
  const isFixed = place.required && choices.length === 1;
  const options = choices.map(({ label, value }) => h("option", { value: ANY.show(value) }, label));
  if (!isFixed) options.unshift(h("option", { value: "" }, "—"));
  const start = isFixed ? choices[0]?.value : place.start;
  return controlField(h("select", {}, ...options), schema, { ...place, start }, ANY);
}

export function multiChoiceField(schema: JsonObject, place: Place, choices: readonly Choice[]): Field {
  const chosen = new Set([place.start].flat().map(ANY.show));
  const boxes = choices.map(({ value }) => h("input", { type: "checkbox", checked: chosen.has(ANY.show(value)) }));
  const labels = choices.map(({ label }, index) => h("label", { class: "check" }, boxes[index], label));
  return {
    element: framed(schema, place, [h("div", { class: "actions" }, ...labels)]),
    read: () => {
      const values = choices.filter((_, index) => boxes[index]?.checked).map(({ value }) => value);
      return place.given || values.length > 0 ? values : undefined;
    },
  };
}

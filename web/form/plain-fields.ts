/**
 * Fields for one string, number, choice, or piece of JSON, and for several choices.
 */
import { asText, h, jsonText } from "../dom.ts";
import { type Control, type Field, framed, type Place } from "./field.ts";
import type { Choice } from "./schema-shape.ts";

/** By type, or by the format of a string. */
export const INPUT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ["number", "number"],
  ["integer", "number"],
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
  ["password", "password"],
  ["date-time", "datetime-local"],
]);

/**
 * A field with one control. What it started with and nobody changed is read as it was, however the control shows it; what the
 * control cannot show is text instead.
 *
 * @param parse gives the value of a text; an error is shown as what is wrong
 */
function controlField(control: Control, place: Place, parse: (text: string) => unknown): Field {
  const { schema, start, required } = place;
  const [example] = [schema["examples"]].flat();
  const text = parse === JSON.parse ? jsonText(start, 2) : asText(start);
  Object.assign(control, {
    placeholder: asText(example),
    autocomplete: "off",
    // An empty text may be meant, if it is there.
    required: required && start !== "",
    value: text,
  });
  const shown = control.value;
  if (shown === "" && text !== "") return textField(place);
  const read = (): unknown => {
    const { value } = control;
    control.setCustomValidity("");
    try {
      return value === shown ? start : value === "" ? undefined : parse(value);
    } catch (error) {
      control.setCustomValidity((error as Error).message); // What `parse` throws.
      return value;
    }
  };
  return framed(place, { control, read });
}

/** @param kind a type of inputs. A time is in the time zone of the person, and is sent with its offset. */
export function inputField(place: Place, kind: string): Field {
  const parse = kind === "datetime-local" ? (text: string) => new Date(text).toISOString() : String;
  return controlField(h("input", { type: kind, step: "any" }), place, kind === "number" ? Number : parse);
}

/** A text, or the JSON of whatever has no field of its own. */
export function textField(place: Place): Field {
  return place.schema["type"] === "string"
    ? controlField(h("textarea", { rows: 1 }), place, String)
    : controlField(h("textarea", { class: "json", rows: 3 }), place, JSON.parse);
}

export function choiceField(place: Place, choices: readonly Choice[]): Field {
  const options = [{ label: "—", value: undefined }, ...choices].map(({ label, value }) =>
    h("option", { value: jsonText(value, 2) }, label),
  );
  // There is only one way to fill it in.
  const start = place.start ?? (place.required && choices.length === 1 ? choices[0]?.value : undefined);
  return controlField(h("select", {}, ...options), { ...place, start }, JSON.parse);
}

export function multiChoiceField(place: Place, choices: readonly Choice[]): Field {
  const { start, required } = place;
  const chosen = new Set([start].flat().map((value) => jsonText(value)));
  const boxes = choices.map(({ value }) => h("input", { type: "checkbox", checked: chosen.has(jsonText(value)) }));
  const labels = choices.map(({ label }, index) => h("label", { class: "check" }, boxes[index], label));
  const read = (): unknown => {
    const values = choices.filter((_, index) => boxes[index]?.checked).map(({ value }) => value);
    return required || start !== undefined || values.length > 0 ? values : undefined;
  };
  if (start !== undefined && jsonText(read()) !== jsonText(start)) return textField(place);
  return framed(place, { children: [h("div", { class: "actions" }, ...labels)], read });
}

/**
 * A field for a list of strings: a row for each, with buttons to add and to remove.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { h } from "./dom.ts";
import { defaultOf, type Field, type FieldOptions, labelled, numberOf, textOf } from "./field.ts";

export function listField(name: string, schema: JsonObject, options: FieldOptions): Field {
  const items = isObject(schema["items"]) ? schema["items"] : {};
  const maxLength = numberOf(items, "maxLength");
  const rows = h("div", { class: "rows" });
  const inputs = (): HTMLInputElement[] => [...rows.querySelectorAll("input")];

  const addRow = (value: string): HTMLInputElement => {
    const label = `${options.title}, entry ${inputs().length + 1}`;
    const input = h("input", {
      type: "text",
      "aria-label": label,
      maxlength: maxLength === undefined ? undefined : maxLength * 2,
      autocomplete: "off",
    });
    input.value = value;
    const remove = h("button", { type: "button", class: "quiet icon", "aria-label": "Remove this entry" }, "×");
    const row = h("div", { class: "row" }, input, remove);
    remove.addEventListener("click", () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector("input") ?? add).focus();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // Enter adds the next entry instead of sending a half-filled form.
      (row.nextElementSibling?.querySelector("input") ?? addRow("")).focus();
    });
    rows.append(row);
    return input;
  };

  const add = h("button", { type: "button", class: "quiet add" }, "Add an entry");
  add.addEventListener("click", () => addRow("").focus());
  const preset = defaultOf(schema);
  const start: unknown[] = Array.isArray(preset) ? preset : [""];
  for (const value of start) addRow(typeof value === "string" ? value : "");

  const hint = textOf(schema, "description");
  const element = h(
    "fieldset",
    { class: "field list" },
    h("legend", {}, ...labelled(name, options)),
    hint === undefined ? undefined : h("p", { class: "hint" }, hint),
    rows,
    add,
  );
  return {
    element,
    read: () => {
      const values = inputs()
        .map(({ value }) => value)
        .filter((value) => value !== "");
      return values.length === 0 && !options.required ? undefined : values;
    },
  };
}

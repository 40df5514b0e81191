/**
 * A form from a JSON Schema: what it can show as fields it does, anything else becomes a box for JSON.
 *
 * Contract: `read()` gives the value that the fields stand for. It is checked against the schema as it changes; what is wrong is
 * shown at fields that were changed, and at all once `problems()` was called. The `<form>` around it should be `novalidate`: this
 * form says what is wrong itself. No text from a schema becomes an id, a name or markup.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { h } from "../dom.ts";
import { changed, type Field } from "./field.ts";
import { formFor } from "./field-maker.ts";
import { textField } from "./plain-fields.ts";

export interface SchemaForm {
  readonly element: HTMLElement;
  /** The value as it is now, whether it is in order or not. Optional parts that nobody filled in are left out. */
  read(): JsonObject;
  write(value: JsonObject): void;
  /** What is wrong now, shown at the fields from here on; the first that is wrong gets the focus. Empty: it may be sent. */
  problems(): readonly string[];
  /** Called after each change by the person, and after `write`. */
  onChange(listener: () => void): void;
}

/**
 * Fields for the arguments of a tool, or for what an elicitation asks.
 *
 * @param options.json offers the JSON of the whole value instead of the fields
 */
export function schemaForm(schema: JsonObject, { json = false } = {}): SchemaForm {
  const whole = { type: "object", ...schema };
  const toggle = h("input", { type: "checkbox" });
  const made = (start?: JsonObject): Field => {
    const form = formFor(schema);
    const place = { name: "Arguments", required: true, start, fresh: true, form };
    return toggle.checked ? textField({ ...place, schema: whole }) : form.make(whole, place);
  };
  const show = (value: JsonObject): void => {
    const next = made(value);
    shown.element.replaceWith(next.element);
    shown = next;
  };
  let shown = made();
  let isStrict = false;
  toggle.addEventListener("input", () => {
    const value = shown.read();
    // A text that is no JSON stays until it is.
    if (isObject(value)) show(value);
    else toggle.checked = true;
  });
  const modes = json && !shown.element.matches(":has(> .json)") && h("label", { class: "check" }, toggle, "JSON");
  const element = h("div", { class: "schema-form" }, modes, shown.element);
  element.addEventListener("input", () => shown.problems(isStrict));
  return {
    element,
    // Of a form whose fields are those of an object, and whose box is checked for one.
    read: () => (shown.read() ?? {}) as JsonObject,
    write: (value) => {
      show(value);
      changed(element);
    },
    problems: () => {
      isStrict = true;
      const found = shown.problems(true);
      element.querySelector<HTMLElement>("[aria-invalid]")?.focus();
      return found;
    },
    onChange: (listener) => element.addEventListener("input", listener),
  };
}

/**
 * A form from a JSON Schema: what it can show as fields it does, anything else becomes a box for JSON.
 *
 * Contract: `read()` gives the value that the fields stand for. The whole of it is checked against the schema as it changes;
 * what is wrong is shown at fields that were touched, and at all once `problems()` was called. The `<form>` around it should be
 * `novalidate`: this form says what is wrong itself. No text from a schema becomes an id, a name or markup.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaIssue } from "../../src/schema/engine.ts";
import { button, h } from "../dom.ts";
import { FieldMaker } from "./field-maker.ts";
import { jsonField } from "./plain-fields.ts";
import { type Problem, problemsOf, showProblems } from "./problems.ts";
import { holds } from "./schema-shape.ts";

/** After the last key, so that nobody is corrected in the middle of a word. */
const CHECK_AFTER_MS = 150;

export interface SchemaFormOptions {
  /** Offers the JSON of the whole value beside the fields. */
  readonly json?: boolean;
  /** What to start with, in place of the defaults of the schema. */
  readonly value?: JsonObject;
}

export interface SchemaForm {
  readonly element: HTMLElement;
  /** The value as it is now, whether it is in order or not. Optional parts that nobody filled in are left out. */
  read(): JsonObject;
  /** Fills the fields. What they cannot show is shown as JSON, where that is offered. */
  write(value: JsonObject): void;
  /** What is wrong now, shown at the fields from here on; the first that is wrong gets the focus. Empty: it may be sent. */
  problems(): readonly SchemaIssue[];
  /** Called after each change by the person, and after `write`. */
  onChange(listener: () => void): void;
}

/** Fields for the arguments of a tool, or for what an elicitation asks. */
export function schemaForm(schema: JsonObject, { json = false, value }: SchemaFormOptions = {}): SchemaForm {
  const form = new FieldMaker(schema);
  const base = { title: "Arguments", required: true, depth: 0, refs: [], form };
  const fields = form.make({ type: "object", ...schema, title: undefined, description: undefined }, base);
  const editor = jsonField({ type: "object" }, { ...base, title: "JSON" });
  const isTabbed = json && !fields.element.matches(".field:has(> textarea)");
  const status = h("p", { class: "hint", role: "status" });
  const listeners: (() => void)[] = [];
  let shown = fields;
  let isStrict = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = (): readonly Problem[] => {
    const found = problemsOf(shown, schema, (part, given) => form.check(part, given));
    showProblems(shown, found, isStrict);
    return found;
  };
  const tabs = [fields, editor].map((side) => button(side === editor ? "JSON" : "Form", () => turn(side), ""));
  const show = (side: typeof shown): void => {
    shown = side;
    for (const [index, one] of [fields, editor].entries()) {
      one.element.hidden = one !== side;
      tabs[index]?.setAttribute("aria-pressed", String(one === side));
    }
  };
  /** Whether the fields show all of it. */
  const fill = (given: unknown): boolean => {
    fields.write(given);
    const isWhole = holds(fields.read(), given);
    status.textContent = isWhole ? "" : "The fields cannot show all of this, so it stays JSON.";
    return isWhole;
  };
  const turn = (side: typeof shown): void => {
    if (side === shown) return;
    const given = shown.read() ?? {};
    status.textContent = "";
    if (side === editor) editor.write(given);
    else if (editor.fault?.() !== undefined) status.textContent = "The fields stay as they were until this is JSON.";
    else fill(given);
    if (status.textContent === "") show(side);
    check();
  };
  const write = (given: JsonObject): void => {
    if ((!fill(given) || shown === editor) && isTabbed) {
      editor.write(given);
      show(editor);
    }
    for (const listener of listeners) listener();
    check();
  };

  const choice = h("div", { class: "modes", role: "group", "aria-label": "Fill in as" }, ...tabs, status);
  const parts = isTabbed ? [choice, fields.element, editor.element] : [fields.element];
  const element = h("div", { class: "schema-form" }, ...parts);
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(check, CHECK_AFTER_MS);
  };
  element.addEventListener("input", () => {
    status.textContent = "";
    for (const listener of listeners) listener();
    soon();
  });
  element.addEventListener("focusout", ({ target, relatedTarget }) => {
    // A field is touched with all that it is inside of.
    for (const field of element.querySelectorAll<HTMLElement>("div, fieldset, details"))
      if (target instanceof Node && field.contains(target)) field.dataset["touched"] = "";
    // A button that is being pressed must not move away from under the pointer.
    if (!(relatedTarget instanceof HTMLButtonElement)) soon();
  });
  show(fields);
  if (value !== undefined) write(value);
  return {
    element,
    // Of a form whose fields are those of an object, and whose box is checked for one.
    read: () => (shown.read() ?? {}) as JsonObject,
    write,
    problems: () => {
      isStrict = true;
      const found = check();
      const wrong = element.querySelector(":not([hidden]) > [aria-invalid]");
      const control =
        wrong?.matches("fieldset") === true ? wrong.querySelector("input, select, textarea, button") : wrong;
      if (control instanceof HTMLElement) control.focus();
      return found.map(({ path, message }) => ({ path, message }));
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

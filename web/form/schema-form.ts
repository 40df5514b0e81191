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
import { changed, type Field } from "./field.ts";
import { formFor } from "./field-maker.ts";
import { jsonField } from "./plain-fields.ts";
import { type Problem, problemsOf, showProblems } from "./problems.ts";
import { holds } from "./schema-shape.ts";

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

/**
 * Fields for the arguments of a tool, or for what an elicitation asks.
 *
 * @param options.json offers the JSON of the whole value beside the fields
 */
export function schemaForm(schema: JsonObject, { json = false } = {}): SchemaForm {
  const form = formFor(schema);
  const place = { title: "Arguments", required: true, given: true, fresh: false, depth: 0, refs: [], form };
  const fieldsFor = (start?: JsonObject): Field =>
    form.make({ type: "object", ...schema }, { ...place, start, fresh: start === undefined });
  let shown = fieldsFor();
  let isStrict = false;

  // Of a form whose fields are those of an object, and whose box is checked for one.
  const read = (): JsonObject => (shown.read() ?? {}) as JsonObject;
  const check = (): readonly Problem[] => {
    const judged = form.check(schema, read()).length > 0;
    const found = problemsOf({ ...shown, schema }, form, judged);
    showProblems(element, found, isStrict);
    return found;
  };
  const problems = (): readonly Problem[] => {
    isStrict = true;
    const found = check();
    element.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    return found;
  };
  const isJson = (): boolean => toggle.ariaPressed === "true";
  const show = (asJson: boolean, value: JsonObject): void => {
    const fields = fieldsFor(value);
    const isWhole = holds(fields.read(), value);
    const useJson = isToggled && (asJson || !isWhole);
    status.textContent = isWhole ? "" : "The fields cannot show it all.";
    toggle.ariaPressed = String(useJson);
    const next = useJson ? jsonField({ type: "object" }, { ...place, title: "JSON", start: value }) : fields;
    shown.element.replaceWith(next.element);
    shown = next;
    check();
  };

  const toggle = button(
    "JSON",
    () => {
      if (shown.fault?.() === undefined) show(!isJson(), read());
      else problems();
    },
    "",
  );
  const status = h("p", { class: "hint", role: "status" });
  const isToggled = json && !shown.element.matches(":has(> .json)");
  const modes = isToggled ? h("div", { class: "actions" }, toggle, status) : undefined;
  const element = h("div", { class: "schema-form" }, modes, shown.element);
  toggle.ariaPressed = "false";
  element.addEventListener("input", check);
  element.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (target instanceof Element) target.classList.add("touched");
    // A button that is being pressed must not move away from under the pointer.
    if (!(relatedTarget instanceof HTMLButtonElement)) check();
  });
  return {
    element,
    read,
    write: (value) => {
      show(isJson(), value);
      changed(element);
    },
    problems,
    onChange: (listener) => element.addEventListener("input", listener),
  };
}

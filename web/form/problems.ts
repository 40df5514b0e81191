/**
 * What is wrong with a value, brought to the fields it is about.
 */
import type { SchemaIssue } from "../../src/schema/engine.ts";
import type { Field, FormContext } from "./field.ts";

/** Its path is one inside the field. */
export interface Problem extends SchemaIssue {
  readonly field: Field;
}

/**
 * All that is wrong. The engine stops at the first thing that is wrong in a place, so the fields are asked one by one, from
 * the inside.
 *
 * @param judged whether values count: not what is in order as a whole, nor what is left out
 */
export function problemsOf(field: Field, form: FormContext, judged: boolean): Problem[] {
  const as = (message: string, path = ""): Problem => ({ field, path, message });
  const fault = field.fault?.();
  if (fault !== undefined) return [as(fault)];
  const { schema, required } = field;
  const value = field.read();
  const inside = field.parts?.().flatMap((part) => problemsOf(part, form, judged && value !== undefined)) ?? [];
  if (!judged || inside.length > 0) return inside;
  if (value === undefined) return required === true ? [as("is required")] : [];
  return schema === undefined ? [] : form.check(schema, value).map(({ message, path }) => as(message, path));
}

/** @param all also at fields that nobody touched yet */
export function showProblems(root: HTMLElement, problems: readonly Problem[], all: boolean): void {
  for (const note of root.querySelectorAll(".error")) note.textContent = "";
  for (const control of root.querySelectorAll("[aria-invalid]")) control.ariaInvalid = null;
  for (const { field, path, message } of problems) {
    const { element } = field;
    const note = element.querySelector(":scope > .error");
    if (note === null || !(all || element.querySelector(".touched"))) continue;
    note.append(`${path || "This"} ${message}.\n`);
    element.querySelector(`[aria-describedby~="${note.id}"]`)?.setAttribute("aria-invalid", "true");
  }
}

/**
 * What every field of a form has in common: a label, a mark when it is required, a hint, and a way to read it.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { type Child, freshId, h } from "./dom.ts";

export interface Field {
  readonly element: HTMLElement;
  /** Undefined when an optional field is empty. */
  read(): unknown;
}

export interface FieldOptions {
  /** Whether the form insists on a value. */
  readonly required: boolean;
  /** What is said about that, next to the label. */
  readonly mark: string;
  readonly title: string;
  /** How many objects this field is inside of. */
  readonly depth: number;
}

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** A label, the control, and what the schema says about it. */
export function fieldAround(control: Control, name: string, schema: JsonObject, options: FieldOptions): HTMLElement {
  control.id = freshId();
  control.name = name;
  const hint = textOf(schema, "description");
  const hintId = `${control.id}-hint`;
  if (hint !== undefined) control.setAttribute("aria-describedby", hintId);
  return h(
    "div",
    { class: "field" },
    h("label", { for: control.id }, ...labelled(name, options)),
    control,
    hint === undefined ? undefined : h("p", { class: "hint", id: hintId }, hint),
  );
}

/** The title, the name on the wire where it differs, and whether it is required. */
export function labelled(name: string, { title, required, mark }: FieldOptions): Child[] {
  // Spaces between, for those who hear the label instead of seeing its layout.
  return [
    h("span", { class: "title" }, title),
    " ",
    ...(title === name ? [] : [h("code", { class: "name" }, name), " "]),
    h("span", { class: required ? "mark required" : "mark" }, mark),
  ];
}

export function textOf(schema: unknown, keyword: string): string | undefined {
  const value = isObject(schema) ? schema[keyword] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** What to start with. `null` cannot be typed into a field, so it counts as nothing. */
export function defaultOf(schema: JsonObject): unknown {
  return schema["default"] ?? undefined;
}

/**
 * What every field of a form has in common: a label, a mark when it is required, what the schema says about it, and a place
 * for what is wrong. A field shows what it was made with; for another value another field is made.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaIssue } from "../../src/schema/engine.ts";
import { asText, type Child, freshId, h } from "../dom.ts";
import { limitsOf } from "./limits.ts";

export interface Field {
  readonly element: HTMLElement;
  /** Undefined when it is left out. */
  read(): unknown;
  /** The fields inside, or the one that stands for this one. */
  parts?(): readonly Field[];
  /** Why what was typed stands for nothing. */
  fault?(): string | undefined;
  /** What its value is checked by. */
  readonly schema?: JsonObject;
  readonly required?: boolean;
}

/** Where a field stands. */
export interface Place {
  readonly title: string;
  /** The name on the wire. */
  readonly name?: string | undefined;
  readonly required: boolean;
  /** What it shows first. What it cannot show is not read from it again: compare. */
  readonly start?: unknown;
  /** Whether it is there even when it is blank. */
  readonly given: boolean;
  /** Whether defaults stand in for what is missing there. */
  readonly fresh: boolean;
  /** How many objects and lists it is inside of. */
  readonly depth: number;
  /** The references that led here. */
  readonly refs: readonly string[];
  /** One line is enough. */
  readonly short?: boolean;
  readonly form: FormContext;
}

/** What the fields need from the form they are in. */
export interface FormContext {
  /** The field that suits a schema. */
  make(schema: unknown, place: Place): Field;
  /** What is wrong with a value by a part of the schema. */
  check(schema: JsonObject, value: unknown): readonly SchemaIssue[];
}

/** How values look in a control. */
export interface Codec {
  /** Undefined when a value cannot be shown. */
  readonly show: (value: unknown) => string | undefined;
  /** Its value; an error is shown as what is wrong. */
  readonly parse: (text: string) => unknown;
}

/**
 * A field with one control. What it started with and nobody changed is read as it was, however the control shows it: a time
 * with the offset it had, an empty text that is meant.
 */
export function controlField(
  control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement,
  schema: JsonObject,
  place: Place,
  { show, parse }: Codec,
): Field {
  const [example] = [schema["examples"]].flat();
  Object.assign(control, { placeholder: asText(example), autocomplete: "off", spellcheck: false });
  const known = show(place.start);
  control.value = known ?? "";
  const shown = control.value;
  const kept = shown === "" && known !== "" ? undefined : place.start;
  const read = (): unknown => {
    const text = control.value;
    return text === shown ? kept : text.trim() === "" ? undefined : parse(text);
  };
  const fault = (): string | undefined => {
    const { typeMismatch, badInput } = control.validity;
    if (typeMismatch || badInput) return `is not a valid ${asText(schema["format"]) || "number"}`;
    try {
      read();
      return undefined;
    } catch (error) {
      return `is not JSON: ${(error as SyntaxError).message}`; // What `parse` throws.
    }
  };
  return {
    element: framed(schema, place, [], control),
    read: () => (fault() === undefined ? read() : undefined),
    fault,
  };
}

/** One control under a label, or several things under one legend; with a hint, and a place for problems. */
export function framed(schema: JsonObject, place: Place, inside: readonly Child[], control?: HTMLElement): HTMLElement {
  const { title, name = title, required } = place;
  const id = freshId();
  // Spaces between, for those who hear the label instead of seeing its layout.
  const label = [
    h("span", { class: "title" }, title),
    " ",
    name === title ? undefined : h("code", {}, name),
    " ",
    required && place.name !== undefined ? h("span", { class: "mark required" }, "required") : undefined,
  ];
  const said = [asText(schema["description"]), limitsOf(schema)].filter(Boolean).join("\n");
  const hint = h("p", { class: "hint", id: `${id}h` }, said);
  const error = h("p", { class: "error", id: `${id}e` });
  const frame =
    control === undefined
      ? h("fieldset", { class: "field", tabindex: -1 }, h("legend", {}, ...label), hint, ...inside, error)
      : h("div", { class: "field" }, h("label", { for: id }, ...label), control, hint, error);
  const described = control ?? frame;
  described.id = id;
  described.setAttribute("aria-describedby", `${hint.id} ${error.id}`);
  return frame;
}

/** Tells the form of a change that no control tells of. */
export function changed(element: HTMLElement): void {
  element.dispatchEvent(new Event("input", { bubbles: true }));
}

/** To the first thing inside that can be filled in or pressed. */
export function focusIn(element: Element): void {
  element.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}

/**
 * What every field of a form has in common: a label, a mark when it is required, what the schema says about it, and a place
 * for what is wrong.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaIssue } from "../../src/schema/engine.ts";
import { type Child, freshId, h } from "../dom.ts";
import { limitsOf } from "./limits.ts";

export interface Field {
  readonly element: HTMLElement;
  /** Undefined when it is left out. */
  read(): unknown;
  /** Undefined empties it. What it cannot show is not read from it again: compare. */
  write(value: unknown): void;
  /** The fields inside, by their place in what `read` gives. */
  children?(): readonly (readonly [string, Field])[];
  /** The field that stands for this one at present. */
  inner?(): Field | undefined;
  /** Why what was typed stands for nothing. */
  fault?(): string | undefined;
  /** What its value is checked by. */
  readonly schema?: JsonObject | undefined;
  readonly required?: boolean;
}

/** Where a field stands. */
export interface Place {
  readonly title: string;
  /** The name on the wire. */
  readonly name?: string | undefined;
  readonly required: boolean;
  /** Said next to the label; nothing where it goes without saying. */
  readonly mark?: string | undefined;
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

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** How values look in a control. */
export interface Codec {
  /** Of the values that are shown as they are. */
  readonly type?: "string" | "number" | "boolean";
  /** Undefined when a value cannot be shown. */
  readonly show?: (value: unknown) => string | undefined;
  readonly parse?: (text: string) => unknown;
  readonly fault?: (text: string) => string | undefined;
}

/**
 * A field with one control. What was written and nobody changed is read as it was written, however the control shows it: a
 * time with the offset it had, an empty text that is meant.
 */
export function controlField(control: Control, schema: JsonObject, place: Place, codec: Codec): Field {
  const { type = "string", parse = (text) => text } = codec;
  const { show = (value) => (typeof value === type ? String(value) : undefined) } = codec;
  const start = schema["default"] ?? undefined; // `null` cannot be typed, so it counts as nothing.
  const isBox = control instanceof HTMLInputElement && control.type === "checkbox";
  let kept: unknown;
  let shown = "";
  const text = (): string => (isBox ? String(control.checked) : control.value);
  const write = (value: unknown): void => {
    const known = show(value);
    if (isBox) control.checked = (known ?? show(start)) === "true";
    else control.value = known ?? "";
    shown = text();
    kept = known === undefined || (known !== "" && shown === "") ? undefined : value;
  };
  control.id = freshId();
  const label = h("label", { for: control.id }, ...labelled(place));
  const element = h("div", { class: "field" }, label, control, ...notesOf(control, schema));
  write(start);
  return {
    element,
    write,
    read: () => (text() === shown ? kept : text() === "" ? undefined : parse(text())),
    fault: () => {
      if (codec.fault !== undefined) return codec.fault(text());
      const { typeMismatch, badInput } = control.validity;
      return typeMismatch || badInput ? `is not a valid ${textOf(schema, "format") ?? type}` : undefined;
    },
  };
}

/** The hint and the place for problems, both read out with the control. */
function notesOf(control: HTMLElement, schema: JsonObject): HTMLElement[] {
  const notes = ["hint", "error"].map((kind) => h("p", { class: kind, id: freshId() }));
  notes[0]?.append([textOf(schema, "description"), limitsOf(schema)].filter(Boolean).join("\n"));
  control.setAttribute("aria-describedby", notes.map(({ id }) => id).join(" "));
  return notes;
}

/** The title, the name on the wire where it differs, and whether it is required. */
function labelled({ title, name = title, required, mark }: Place): Child[] {
  // Spaces between, for those who hear the label instead of seeing its layout.
  return [
    h("span", { class: "title" }, title),
    " ",
    title === name ? undefined : h("code", { class: "name" }, name),
    " ",
    mark === undefined ? undefined : h("span", { class: required ? "mark required" : "mark" }, mark),
  ];
}

/** Several controls under one label. */
export function groupOf(
  tag: "fieldset" | "details",
  look: string,
  schema: JsonObject,
  place: Place,
  inside: readonly Child[],
): HTMLElement {
  const label = h(tag === "fieldset" ? "legend" : "summary", {}, ...labelled(place));
  const group = h(tag, { class: look }, label);
  const [hint, error] = notesOf(tag === "fieldset" ? group : label, schema);
  group.append(...[hint, ...inside, error].filter((child) => child !== undefined));
  return group;
}

export function textOf(schema: unknown, keyword: string): string | undefined {
  const value = isObject(schema) ? schema[keyword] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function same(first: unknown, second: unknown): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Tells the form of a change that no control tells of. */
export function changed(element: HTMLElement): void {
  element.dispatchEvent(new Event("input", { bubbles: true }));
}

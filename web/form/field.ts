/**
 * What every field of a form has in common: a label, a mark when it is required, what the schema says about it, and a place
 * for what is wrong. A field shows what it was made with; for another value another field is made.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, type Child, freshId, h } from "../dom.ts";
import { limitsOf } from "./limits.ts";

export interface Field {
  readonly element: HTMLElement;
  /** Undefined when it is left out. */
  read(): unknown;
  /**
   * What is wrong, here and in the fields inside, and shows it.
   *
   * @param all shows it also where nobody changed anything yet
   */
  problems(all: boolean): readonly string[];
}

/** What a field is for. */
export interface Place {
  /** As `shapeOf` gives it. */
  readonly schema: JsonObject;
  /** On the wire, where it has one there. */
  readonly name: string;
  readonly required: boolean;
  /** What it shows first. */
  readonly start?: unknown;
  /** Whether defaults stand in for what is missing there. */
  readonly fresh: boolean;
  readonly form: FormContext;
}

/** What the fields need from the form they are in. */
export interface FormContext {
  /** The field that suits a schema. */
  make(given: unknown, place: Omit<Place, "schema">): Field;
  /** What is wrong with a value by a part of the schema. */
  check(schema: JsonObject, value: unknown): readonly string[];
}

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Contents {
  /** The one control, which the label is for; without it the label is that of a group. */
  readonly control?: Control;
  readonly children?: readonly Child[];
  /** Makes the control valid or not, where what was typed may stand for nothing. */
  readonly read: () => unknown;
  /** The fields inside. */
  readonly parts?: () => readonly Field[];
}

export function framed(place: Place, { control, children = [control], read, parts }: Contents): Field {
  const { schema, name, required, form } = place;
  const title = asText(schema["title"]) || name;
  const id = freshId();
  const said = [asText(schema["description"]), limitsOf(schema)].filter(Boolean).join("\n");
  const hint = h("p", { class: "hint", id: `${id}h` }, said);
  const error = h("p", { class: "error", id: `${id}e` });
  const caption = h(
    control === undefined ? "legend" : "label",
    { for: control && id },
    // Spaces between, for those who hear the label instead of seeing its layout.
    h("span", { class: "title" }, title),
    " ",
    name !== title && h("code", {}, name),
    " ",
    required && h("span", { class: "hint" }, "required"),
  );
  const element = h(
    control === undefined ? "fieldset" : "div",
    { class: "field", tabindex: -1 },
    caption,
    hint,
    ...children,
    error,
  );
  const described = control ?? element;
  described.id = id;
  described.setAttribute("aria-describedby", `${hint.id} ${error.id}`);
  let touched = false;
  element.addEventListener("input", () => (touched = true));
  return {
    element,
    read,
    problems(all) {
      const inside = parts?.().flatMap((part) => part.problems(all)) ?? [];
      const value = read();
      const why = control?.validationMessage;
      // The engine stops at the first thing that is wrong, so a whole is judged once its parts are in order.
      const own = why ? [why] : inside.length > 0 || value === undefined ? [] : form.check(schema, value);
      const shown = all || touched ? own.join("\n") : "";
      error.textContent = shown;
      described.ariaInvalid = shown ? "true" : null;
      return [...inside, ...own];
    },
  };
}

/** Tells the form of a change that no control tells of. */
export function changed(element: HTMLElement): void {
  element.dispatchEvent(new Event("input", { bubbles: true }));
}

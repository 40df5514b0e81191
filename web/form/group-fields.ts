/**
 * Fields made of fields: objects, lists and alternatives.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import { button, h } from "../dom.ts";
import { changed, type Field, focusIn, framed, type Place } from "./field.ts";
import { entriesOf, holds, type Variant } from "./schema-shape.ts";

/** More are better written as JSON. */
export const MAX_ROWS = 200;

/** An object. Optional, it is left out until something in it differs from how it started. */
export function objectField(schema: JsonObject, place: Place): Field {
  const { properties, required: listed } = schema;
  const starts = new Map(entriesOf(place.start));
  const fields = entriesOf(properties).map(([name, property]) => {
    const required = Array.isArray(listed) && listed.includes(name);
    const inside = { ...place, title: name, name, required, start: starts.get(name), depth: place.depth + 1 };
    return { name, field: place.form.make(property, inside) };
  });
  const parts = fields.map(({ field }) => field);
  const collect = (): JsonObject => {
    const read = fields.map(({ name, field }) => [name, field.read()] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)); // So `__proto__` is a property like any other.
  };
  const untouched = JSON.stringify(collect());
  const elements = parts.map(({ element }) => element);
  return {
    element: framed(schema, place, elements),
    parts: () => parts,
    read: () => {
      const value = collect();
      return place.given || JSON.stringify(value) !== untouched ? value : undefined;
    },
  };
}

/** Rows that are added and removed. Blank ones count for nothing. */
export function listField(schema: JsonObject, place: Place): Field {
  const { title, start, form } = place;
  const rows = new Map<Element, Field>();
  const list = h("ol", { class: "rows" });
  const append = (value: unknown, fresh: boolean): Element => {
    const field = form.make(schema["items"], {
      ...place,
      title: `${title}, entry`,
      name: undefined,
      required: true,
      start: value,
      fresh,
      short: true,
      depth: place.depth + 1,
      refs: [], // Each is asked for, so none goes on by itself.
    });
    const remove = (): void => {
      const next = row.nextElementSibling;
      rows.delete(row);
      row.remove();
      focusIn(next ?? element);
      changed(list);
    };
    const cross = button("×", remove, "quiet icon");
    cross.ariaLabel = "Remove";
    const row = h("li", { class: "row" }, field.element, cross);
    // Enter goes on to the next entry instead of sending a half-filled form.
    row.addEventListener("keydown", (event) => {
      const { key, ctrlKey, metaKey, isComposing, defaultPrevented, target } = event;
      if (key !== "Enter" || ctrlKey || metaKey || isComposing || defaultPrevented) return;
      if (!(target instanceof HTMLInputElement)) return;
      event.preventDefault();
      if (row.nextElementSibling === null) more();
      else focusIn(row.nextElementSibling);
    });
    rows.set(row, field);
    list.append(row);
    return row;
  };
  const more = (): void => {
    focusIn(append(undefined, true));
    changed(list);
  };
  for (const value of [start ?? []].flat()) append(value, place.fresh);
  const filled = (): Field[] => [...rows.values()].filter((field) => field.read() !== undefined);
  const element = framed(schema, place, [list, button("Add an entry", more, "quiet add")]);
  return {
    element,
    parts: filled,
    read: () => {
      const values = filled().map((field) => field.read());
      return place.given || values.length > 0 ? values : undefined;
    },
  };
}

/** One of several: a choice, and the fields of what is chosen. */
export function variantField(schema: JsonObject, place: Place, variants: readonly Variant[]): Field {
  const { title, start, form } = place;
  const options = ["—", ...variants.map(({ name }) => name)];
  const select = h("select", { "aria-label": `Kind of ${title}` }, ...options.map((name) => h("option", {}, name)));
  const slot = h("div", { class: "slot" });
  let inner: Field | undefined;
  const make = ({ name, schema: whole }: Variant, value: unknown, fresh: boolean): Field =>
    form.make(whole, { ...place, title: name, name: undefined, required: true, start: value, fresh });
  const choose = (field: Field | undefined): void => {
    inner = field;
    slot.replaceChildren(field?.element ?? "");
  };
  select.addEventListener("change", () => {
    const variant = variants[select.selectedIndex - 1];
    choose(variant && make(variant, inner?.read(), true)); // What both have in common is kept.
    changed(slot);
  });
  if (start !== undefined) {
    const able = variants.map((variant) => make(variant, start, place.fresh));
    const fits = able.filter((field) => holds(field.read(), start));
    choose(fits.find((field) => form.check(field.schema ?? {}, start).length === 0) ?? fits[0]);
    select.selectedIndex = able.findIndex((field) => field === inner) + 1;
  }
  return {
    element: framed(schema, place, [select, slot]),
    parts: () => (inner === undefined ? [] : [inner]),
    read: () => inner?.read(),
  };
}

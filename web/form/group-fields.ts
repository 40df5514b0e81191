/**
 * Fields made of fields: objects, alternatives, and rows that are added and removed.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import { own } from "../../src/schema/walk.ts";
import { button, h } from "../dom.ts";
import { changed, type Field, framed, type Place } from "./field.ts";
import { objectOf } from "../text.ts";
import type { Variant } from "./schema-shape.ts";

/** A field for each property, and for each of the value that is none. */
export function objectField(place: Place): Field {
  const { schema, start, form } = place;
  const { properties, required, additionalProperties } = schema;
  const fields = Object.keys({ ...objectOf(properties), ...objectOf(start) }).map((name) => {
    const field = form.make(own(objectOf(properties), name) ?? additionalProperties, {
      form,
      name,
      required: [required].flat().includes(name),
      start: own(objectOf(start), name),
      fresh: start === undefined,
    });
    return { name, field };
  });
  return framed(place, {
    children: fields.map(({ field }) => field.element),
    parts: () => fields.map(({ field }) => field),
    read: () => {
      const read = fields.map(({ name, field }) => [name, field.read()] as const);
      return Object.fromEntries(read.filter(([, value]) => value !== undefined)); // So `__proto__` is a property like any other.
    },
  });
}

/**
 * Rows that are added and removed.
 *
 * @param rows what is in one, and whether there may be more: then the value is a list
 */
export function rowsField(place: Place, { make, many }: { make: (place: Place) => Field; many: boolean }): Field {
  const { start, required } = place;
  const rows = new Set<Field>();
  const list = h("ol", { class: "rows" });
  const append = (first?: unknown): Field => {
    const field = make({ ...place, required: true, start: first, fresh: true });
    const remove = button("×", () => {
      rows.delete(field);
      row.remove();
      add.hidden = false;
      add.focus();
      changed(list);
    });
    remove.ariaLabel = "Remove";
    const row = h("li", { class: "row" }, field.element, remove);
    rows.add(field);
    list.append(row);
    add.hidden = !many;
    return field;
  };
  const add = button(
    "Add",
    () => {
      append().element.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
      changed(list);
    },
    "quiet add",
  );
  const starts = start === undefined ? [] : [start].flat(many ? 1 : 0);
  for (const first of starts) append(first);
  return framed(place, {
    children: [list, add],
    parts: () => [...rows],
    read: () => {
      const values = [...rows].map((field) => field.read());
      return !many ? values[0] : required || start !== undefined || values.length > 0 ? values : undefined;
    },
  });
}

/** One of several: a choice, and the field of what is chosen. */
export function variantField(place: Place, variants: readonly Variant[]): Field {
  const { start, form } = place;
  const select = h("select", { "aria-label": "Kind" }, ...variants.map(({ name }) => h("option", {}, name)));
  const slot = h("div", { class: "row" });
  const make = (index: number, first?: unknown): Field => {
    select.selectedIndex = index;
    const { name, schema } = variants[index] ?? place;
    const field = form.make(schema, { ...place, name, required: true, start: first, fresh: true });
    slot.replaceChildren(field.element);
    return field;
  };
  // The one that fits as it is, or would once all is filled in.
  const rules: JsonObject[] = start === undefined ? [] : [{}, { required: [] }];
  const fits = rules.map((rule) =>
    variants.findIndex(({ schema }) => form.check({ ...schema, ...rule }, start).length === 0),
  );
  let inner = make(fits.find((index) => index >= 0) ?? 0, start);
  // Before the form hears of it, and asks what is chosen.
  select.addEventListener("input", () => (inner = make(select.selectedIndex)));
  return framed(place, { children: [select, slot], parts: () => [inner], read: () => inner.read() });
}

/**
 * Fields made of fields: objects, lists, alternatives, and what may be `null`.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { h } from "../dom.ts";
import { changed, type Field, groupOf, type Place, same } from "./field.ts";
import { rowsOf } from "./rows.ts";
import { holds, type Variant } from "./schema-shape.ts";

/** Blank rows that are there from the start, because fewer are not allowed. */
const MAX_BLANK_ROWS = 5;

/** An object. Optional, it is left out until something in it differs from how it started. */
export function objectField(schema: JsonObject, place: Place): Field {
  const { properties, additionalProperties: others, required: listed } = schema;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, property]): [string, Field] => {
    const required = Array.isArray(listed) && listed.includes(name);
    const mark = required ? (place.required ? "required" : "required here") : "optional";
    return [name, place.form.make(property, { ...place, title: name, name, required, mark, depth: place.depth + 1 })];
  });
  const rows = isObject(others) ? rowsOf(others, place, true) : undefined;
  const children = (): readonly (readonly [string, Field])[] => [...(rows?.entries() ?? []), ...fields];
  const collect = (): JsonObject => {
    const read = children().map(([name, field]) => [name, field.read()] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)); // So `__proto__` is a property like any other.
  };
  let given = place.required;
  const write = (value: unknown): void => {
    given = place.required || isObject(value);
    const rest = new Map(Object.entries(isObject(value) ? value : {}));
    for (const [name, field] of fields) {
      field.write(rest.get(name));
      rest.delete(name);
    }
    rows?.write([...rest]);
  };
  const start = schema["default"];
  if (isObject(start)) write({ ...collect(), ...start });
  const untouched = collect();
  const inside = [...fields.map(([, { element }]) => element), ...(rows?.elements ?? [])];
  return {
    element: groupOf("fieldset", "group", schema, place, inside),
    children,
    write,
    read: () => {
      const value = collect();
      return given || !same(value, untouched) ? value : undefined;
    },
  };
}

export function listField(schema: JsonObject, place: Place): Field {
  const rows = rowsOf(schema["items"], place);
  const { minItems, default: start } = schema;
  let given = place.required;
  const write = (value: unknown): void => {
    given = place.required || Array.isArray(value);
    rows.write(Array.isArray(value) ? value.map((entry: unknown) => ["", entry]) : []);
  };
  const blank = place.required && typeof minItems === "number" ? Math.min(minItems, MAX_BLANK_ROWS) : 0;
  write(start ?? (place.required ? Array.from({ length: blank }) : undefined));
  return {
    element: groupOf("fieldset", "field list", schema, place, rows.elements),
    children: () => rows.entries(),
    write,
    read: () => {
      const values = rows.entries().map(([, entry]) => entry.read());
      return values.length > 0 || given ? values : undefined;
    },
  };
}

/** One of several: a choice, and the fields of what is chosen. */
export function variantField(schema: JsonObject, place: Place, variants: readonly Variant[]): Field {
  const { title, required, form } = place;
  const options = variants.map(({ name }, index) => h("option", { value: index }, name));
  const none = h("option", { value: "" }, required ? "Choose…" : "—");
  const select = h("select", { "aria-label": `Kind of ${title}` }, none, ...options);
  const slot = h("div", { class: "slot" });
  let inner: Field | undefined;
  const make = ({ name, schema: whole }: Variant): Field =>
    form.make(whole, { ...place, title: name, name: undefined, required: true, mark: undefined });
  const choose = (index: number, field: Field | undefined): void => {
    inner = field;
    select.value = String(index);
    if (field === undefined) select.value = "";
    slot.replaceChildren(...(field === undefined ? [] : [field.element]));
  };
  select.addEventListener("change", () => {
    const before = inner?.read();
    const variant = variants[select.selectedIndex - 1];
    choose(select.selectedIndex - 1, variant && make(variant));
    const now = inner?.read();
    // What both have in common is kept.
    if (isObject(before) && isObject(now)) inner?.write({ ...before, ...now });
    changed(slot);
  });
  const write = (value: unknown): void => {
    choose(-1, undefined);
    if (value === undefined) return;
    for (const [index, variant] of variants.entries()) {
      const field = make(variant);
      field.write(value);
      if (!holds(field.read(), value)) continue;
      const fits = form.check(variant.schema, value).length === 0;
      if (fits || inner === undefined) choose(index, field);
      if (fits) return;
    }
  };
  write(schema["default"]);
  return {
    element: groupOf("fieldset", "field variants", schema, place, [select, slot]),
    inner: () => inner,
    read: () => inner?.read(),
    write,
  };
}

/** A field beside a box that stands for `null`. */
export function nullableField(schema: JsonObject, place: Place): Field {
  const inner = place.form.make(schema, place);
  const box = h("input", { type: "checkbox", "aria-label": `${place.title} is null` });
  const set = (on: boolean): void => {
    box.checked = inner.element.inert = on;
  };
  box.addEventListener("input", () => set(box.checked));
  set(place.required && schema["default"] === null);
  return {
    element: h("div", { class: "nullable" }, inner.element, h("label", { class: "choice" }, box, "null")),
    inner: () => (box.checked ? undefined : inner),
    read: () => (box.checked ? null : inner.read()),
    write: (value) => {
      set(value === null);
      inner.write(value ?? undefined);
    },
  };
}

/** Made when it is opened: what goes on for ever, or is far inside. */
export function closedField(place: Place, make: () => Field): Field {
  let inner: Field | undefined;
  const element = groupOf("details", "field closed", {}, place, []);
  const open = (): Field => {
    if (inner === undefined) element.append((inner = make()).element);
    return inner;
  };
  element.addEventListener("toggle", open);
  return {
    element,
    inner: () => inner,
    read: () => inner?.read(),
    write: (value) => {
      element.toggleAttribute("open", value !== undefined);
      if (value !== undefined || inner !== undefined) open().write(value);
    },
  };
}

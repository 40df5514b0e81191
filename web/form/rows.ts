/**
 * Rows that are added, removed and moved: the entries of a list, and properties whose names are free.
 */
import { button, h } from "../dom.ts";
import { changed, type Field, type Place } from "./field.ts";

/** More are better written as JSON. */
export const MAX_ROWS = 200;

interface Row {
  readonly element: HTMLElement;
  readonly field: Field;
  /** Its name, where it has one of its own. */
  readonly key: HTMLInputElement | undefined;
}

export interface Rows {
  readonly elements: readonly HTMLElement[];
  /** Without rows that are blank. */
  entries(): readonly (readonly [key: string, field: Field])[];
  write(values: readonly (readonly [string, unknown])[]): void;
}

/** @param keyed whether each row has a name of its own */
export function rowsOf(items: unknown, place: Place, keyed = false): Rows {
  let rows: Row[] = [];
  const list = h("div", { class: "rows" });
  const within = {
    ...place,
    refs: [], // Each is asked for, so none goes on by itself.
    required: true,
    short: true,
    depth: place.depth + 1,
    title: "Value",
    name: undefined,
    mark: undefined,
  };

  /** Puts them on the page in their order, with their numbers. */
  const arrange = (focus?: Element | null): void => {
    // What stays where it is keeps the focus.
    for (const [index, { element, field, key }] of rows.entries()) {
      const name = `${place.title}, entry ${index + 1}`;
      if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
      const title = field.element.querySelector(".title");
      if (key !== undefined) key.ariaLabel = `Name of ${name}`;
      else if (title !== null) title.textContent = name;
      for (const tool of element.lastElementChild?.children ?? [])
        tool.ariaLabel = `${tool.getAttribute("title")} entry ${index + 1}`;
    }
    while (list.children.length > rows.length) list.lastElementChild?.remove();
    add.disabled = rows.length >= MAX_ROWS;
    if (focus instanceof HTMLElement) focus.focus();
    changed(list);
  };
  const firstOf = (row: Row | undefined): Element =>
    row?.element.querySelector("input, select, textarea, summary") ?? add;
  const move = (row: Row, by: number): void => {
    const from = rows.indexOf(row);
    rows.splice(from, 1);
    if (by !== 0) rows.splice(Math.max(0, from + by), 0, row);
    else row.element.remove();
    arrange(by === 0 ? firstOf(rows[from] ?? rows.at(-1)) : document.activeElement);
  };
  const append = (): Row => {
    const field = place.form.make(items, within);
    const key = keyed ? h("input", { autocomplete: "off", spellcheck: "false" }) : undefined;
    const tools = h("div", { class: "tools" });
    const element = h("div", { class: "row" }, key, field.element, tools);
    const row = { element, field, key };
    for (const [sign, title, by] of [
      ["↑", "Move up", -1],
      ["↓", "Move down", 1],
      ["×", "Remove", 0],
    ] as const) {
      const tool = button(sign, () => move(row, by), "quiet icon");
      tool.title = title;
      tools.append(tool);
    }
    // Enter goes on to the next entry instead of sending a half-filled form.
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || event.defaultPrevented)
        return;
      if (!(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      const next = rows[rows.indexOf(row) + 1];
      if (next === undefined) addOne();
      else arrange(firstOf(next));
    });
    rows.push(row);
    return row;
  };
  const addOne = (): void => {
    const row = append();
    if (row.field.element instanceof HTMLDetailsElement) row.field.element.open = true;
    arrange(firstOf(row));
  };
  const add = button("Add an entry", addOne, "quiet add");
  return {
    elements: [list, add],
    entries: () => {
      const filled = rows.filter(({ field, key }) => key?.value !== "" && field.read() !== undefined);
      return filled.map(({ field, key }, index) => [key?.value ?? String(index), field]);
    },
    write: (values) => {
      rows = [];
      list.replaceChildren();
      for (const [name, value] of values.slice(0, MAX_ROWS)) {
        const { field, key } = append();
        if (key !== undefined) key.value = name;
        field.write(value);
      }
      arrange();
    },
  };
}

/**
 * JSON as a tree that opens.
 *
 * Contract: nothing is laid out before it is seen, so a value of megabytes costs what of it is open. It is one stop for Tab;
 * the arrow keys move between its rows and open them.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { button, type Child, copyButton, h, jsonText, linkOrText } from "../dom.ts";
import { cut } from "./cut.ts";

const PAGE_ROWS = 100;
const LONG_TEXT = 1_000;
/** Branches are open at first while there are no more rows than this in all. */
const FIRST_ROWS = 50;
const ROW = "summary,.leaf";

interface Tree {
  /** Called with the row that has the focus. */
  select(row: HTMLElement, value: unknown, path: string): void;
  rowsLeft: number;
}

export function jsonView(root: unknown): HTMLElement {
  let chosen = root;
  let current: HTMLElement | undefined;
  const path = h("code");
  const tree: Tree = {
    rowsLeft: FIRST_ROWS,
    select(row, value, at) {
      if (current !== undefined) current.tabIndex = -1;
      current = row;
      row.tabIndex = 0;
      chosen = value;
      path.textContent = at;
    },
  };
  // JSONPath, RFC 9535.
  const rows = h("div", { class: "block json" }, node(tree, root, "$"));
  const first = rows.querySelector<HTMLElement>(ROW);
  if (first !== null) tree.select(first, root, "$");
  rows.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const all = [...rows.querySelectorAll<HTMLElement>(ROW)].filter((row) => row.checkVisibility());
    const at = all.findIndex((row) => row === target);
    const branch = all[at]?.closest("summary")?.parentElement;
    if (key === "ArrowDown") all[at + 1]?.focus();
    else if (key === "ArrowUp") all[at - 1]?.focus();
    else if (key.startsWith("Arrow")) branch?.toggleAttribute("open", key === "ArrowRight");
    else return;
    event.preventDefault();
  });
  const bar = h(
    "div",
    { class: "bar" },
    path,
    copyButton("Copy", () => jsonText(chosen, 2)),
    copyButton("Copy path", () => path.innerText),
  );
  return h("div", { class: "stack", role: "group", "aria-label": "JSON" }, rows, bar);
}

function node(tree: Tree, value: unknown, path: string, key?: string): HTMLElement {
  const listed = Array.isArray(value);
  const entries = listed || isObject(value) ? Object.entries<unknown>(value) : [];
  const size = entries.length;
  const name: Child[] = key === undefined ? [] : [h("span", { class: "key" }, key), ": "];
  const row = h(size === 0 ? "div" : "summary", { class: size === 0 ? "leaf" : undefined, tabindex: -1 }, ...name);
  row.addEventListener("focus", () => tree.select(row, value, path));
  if (size === 0) {
    row.append(leafOf(value));
    return row;
  }
  const names = listed ? [] : entries.slice(0, 6).map(([each]) => each);
  const peek = names.join(", ").slice(0, 80);
  row.append(listed ? `[${size}] ` : `{${size}} `, h("span", { class: "hint" }, peek));
  const members = h("div", { class: "members" });
  const branch = h("details", {}, row, members);
  const more = (): void => {
    const from = members.childElementCount;
    for (const [name, member] of entries.slice(from, from + PAGE_ROWS)) {
      const key = listed ? name : JSON.stringify(name);
      const step = !listed && /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${key}]`;
      members.append(node(tree, member, path + step, key));
    }
    const left = size - members.childElementCount;
    if (left === 0) return;
    const rest = button(`${left} more`, () => {
      const last = rest.previousElementSibling;
      rest.remove();
      more();
      const next = last?.nextElementSibling;
      const row = next?.querySelector("summary") ?? next;
      if (row instanceof HTMLElement) row.focus();
    });
    members.append(rest);
  };
  const open = (): unknown => members.firstChild ?? more();
  branch.addEventListener("toggle", open);
  if (path === "$" || size <= tree.rowsLeft) {
    tree.rowsLeft -= size;
    branch.open = true;
    open();
  }
  return branch;
}

function leafOf(value: unknown): HTMLElement {
  if (typeof value !== "string") return h("span", { class: "other" }, jsonText(value));
  const text = JSON.stringify(value);
  const link = /^https?:/i.test(value) && text.length < LONG_TEXT;
  return link ? linkOrText(value, text) : h("span", { class: "string" }, ...cut(text, LONG_TEXT));
}

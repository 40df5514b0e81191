/**
 * JSON as a tree that opens.
 *
 * Contract: nothing is laid out before it is seen, so a value of megabytes costs what of it is open.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { box, button, type Child, copyButton, h, jsonText, linkOrText } from "../dom.ts";
import { cut } from "./cut.ts";

const PAGE_ROWS = 100;
const LONG_TEXT = 1_000;
/** Branches are open at first as far as there are no more rows than this in all. */
const FIRST_ROWS = 50;
/** Of what is in a branch, while it is closed. */
const PEEK = 80;

export function jsonView(value: unknown): HTMLElement {
  const tree = h("div", { class: "block json", tabindex: 0 }, node(value, Infinity));
  return box(
    "stack",
    tree,
    box(
      "bar",
      copyButton("Copy", () => jsonText(value, 2)),
    ),
  );
}

/** @param room for rows that are shown at first */
function node(value: unknown, room: number, ...name: readonly Child[]): HTMLElement {
  const isList = Array.isArray(value);
  const entries = isList || isObject(value) ? Object.entries<unknown>(value) : [];
  const size = entries.length;
  if (size === 0) return h("div", { class: "leaf", tabindex: -1 }, ...name, leafOf(value));
  const peek = isList ? "" : entries.map(([key]) => key).join(", ");
  const count = isList ? `[${size}]` : `{${size}}`;
  const row = h("summary", {}, ...name, count, " ", h("span", { class: "hint" }, peek.slice(0, PEEK)));
  const branch = h("details", {}, row);
  const share = (Math.min(room, FIRST_ROWS) - size) / size;
  const rowsFrom = (from: number): HTMLElement[] => {
    const to = from + PAGE_ROWS;
    const rows: HTMLElement[] = entries
      .slice(from, to)
      .map(([key, member]) =>
        node(member, share, h("span", { class: "key" }, isList ? key : JSON.stringify(key)), ": "),
      );
    const more = button(`${size - to} more`, () => {
      const next = rowsFrom(to);
      more.replaceWith(...next);
      (next[0]?.querySelector("summary") ?? next[0])?.focus();
    });
    return to < size ? [...rows, more] : rows;
  };
  const open = (): unknown => row.nextSibling ?? branch.append(...rowsFrom(0));
  branch.addEventListener("toggle", open);
  if (size <= room) {
    branch.open = true;
    open();
  }
  return branch;
}

function leafOf(value: unknown): HTMLElement {
  const text = jsonText(value);
  if (typeof value !== "string") return h("span", { class: "other" }, text);
  if (/^https?:/i.test(value) && text.length < LONG_TEXT) return linkOrText(value, text);
  return h("span", { class: "string" }, ...cut(text, LONG_TEXT));
}

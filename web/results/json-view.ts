/**
 * JSON as a tree that opens.
 *
 * Contract: nothing is laid out before it is seen, so a value of megabytes costs what of it is open.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { box, type Child, copyButton, h, jsonText, linkOrText } from "../dom.ts";
import { cut } from "./cut.ts";
import { folded } from "./folded.ts";

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
  if (size === 0) return h("div", {}, ...name, leafOf(value));
  const peek = isList ? "" : entries.map(([key]) => key).join(", ");
  const share = (Math.min(room, FIRST_ROWS) - size) / size;
  const rowsFrom = (from: number): HTMLElement[] => {
    const to = from + PAGE_ROWS;
    const rows = entries
      .slice(from, to)
      .map(([key, member]) =>
        node(member, share, h("span", { class: "key" }, isList ? key : JSON.stringify(key)), ": "),
      );
    return to < size ? [...rows, folded(() => rowsFrom(to), false, `${size - to} more`)] : rows;
  };
  const hint = h("span", { class: "hint" }, peek.slice(0, PEEK));
  return folded(() => rowsFrom(0), size <= room, ...name, isList ? `[${size}] ` : `{${size}} `, hint);
}

function leafOf(value: unknown): HTMLElement {
  const text = jsonText(value);
  if (typeof value !== "string") return h("span", { class: "other" }, text);
  if (/^https?:/i.test(value) && text.length < LONG_TEXT) return linkOrText(value, text);
  return h("span", { class: "string" }, ...cut(text, LONG_TEXT));
}

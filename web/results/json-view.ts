/**
 * JSON laid out for reading, with keys and kinds of values told apart by class.
 */
import { h } from "./dom.ts";

/** Characters beyond which colour is not worth a hundred thousand elements. */
const MAX_COLOURED = 60_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function jsonView(value: unknown): HTMLElement {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  // Reachable by keyboard, since it scrolls.
  const view = h("pre", { class: "json", tabindex: 0, role: "region", "aria-label": "JSON" });
  if (text.length > MAX_COLOURED) {
    view.textContent = text;
    return view;
  }
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon] = match;
    const kind = string === undefined ? "other" : colon === undefined ? "string" : "key";
    view.append(text.slice(end, match.index), h("span", { class: kind }, string ?? token), colon ?? "");
    end = match.index + token.length;
  }
  view.append(text.slice(end));
  return view;
}

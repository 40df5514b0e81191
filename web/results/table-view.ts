/** A list of objects as a table, as far as one reads tables. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, h } from "../dom.ts";

const MAX_ROWS = 200;
const MAX_COLUMNS = 30;
const MAX_CELL = 300;

export function isTable(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

export function tableView(value: readonly JsonObject[]): HTMLElement {
  const rows = value.slice(0, MAX_ROWS);
  const columns = [...new Set(rows.flatMap(Object.keys))].slice(0, MAX_COLUMNS);
  const table = h(
    "table",
    {},
    h("tr", {}, ...columns.map((key) => h("th", {}, key))),
    ...rows.map((row) => h("tr", {}, ...columns.map((key) => h("td", {}, asText(row[key]).slice(0, MAX_CELL))))),
  );
  const rest = value.length - MAX_ROWS;
  return h("div", { class: "block", tabindex: 0 }, table, rest > 0 && `${rest} more`);
}

/** A list of like objects as a table, as far as one reads tables. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, h } from "../dom.ts";

const MAX_ROWS = 200;
const MAX_COLUMNS = 30;
const MAX_CELL = 300;

/** Whether each is an object that has something in common with the first. */
export function isTable(value: unknown): value is JsonObject[] {
  if (!Array.isArray(value) || !isObject(value[0])) return false;
  const keys = Object.keys(value[0]).slice(0, MAX_COLUMNS);
  return value.every((row) => isObject(row) && keys.some((key) => Object.hasOwn(row, key)));
}

export function tableView(value: readonly JsonObject[]): HTMLElement {
  const rows = value.slice(0, MAX_ROWS);
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = all.slice(0, MAX_COLUMNS);
  const left = [
    value.length > MAX_ROWS ? `the first ${MAX_ROWS} of ${value.length} rows` : "",
    all.length > MAX_COLUMNS ? `${MAX_COLUMNS} of ${all.length} columns` : "",
  ].filter(Boolean);
  return h(
    "div",
    { class: "block", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      left.length > 0 ? h("caption", {}, `Shown: ${left.join(", ")}`) : undefined,
      h("thead", {}, h("tr", {}, ...columns.map((key) => h("th", { scope: "col" }, key)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...columns.map((key) => cell(row, key))))),
    ),
  );
}

function cell(row: JsonObject, key: string): HTMLElement {
  return h("td", {}, Object.hasOwn(row, key) ? asText(row[key]).slice(0, MAX_CELL) : "");
}

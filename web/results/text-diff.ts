/** What changed in a text, line by line; of what stayed, what is next to it. */
import { type Child, h } from "../dom.ts";
import { diffLines, MAX_LINES, type Run } from "./line-diff.ts";

const CONTEXT = 3;
const LONG_LINE = 2_000;

export function diffView(before: string, after: string): HTMLElement {
  const runs = diffLines(before, after);
  return runs === undefined
    ? h("p", { class: "hint" }, `More than ${MAX_LINES} lines changed.`)
    : h("pre", { class: "diff", tabindex: 0, role: "region", "aria-label": "Changes" }, ...runs.flatMap(rowsOf));
}

function rowsOf([sign, lines]: Run): Child[] {
  const rows = lines.map((line) => `${sign} ${line.slice(0, LONG_LINE)}\n`);
  if (sign !== " ") return rows.length > 0 ? [h(sign === "+" ? "ins" : "del", {}, rows.join(""))] : [];
  const folded = rows.length - 2 * CONTEXT;
  if (folded > 0) rows.splice(CONTEXT, folded, `… ${folded} unchanged\n`);
  return rows;
}

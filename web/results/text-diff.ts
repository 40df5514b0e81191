/** What changed in a text, line by line; long stretches that stayed are folded. */
import { h } from "../dom.ts";
import { diffLines, MAX_LINES } from "./line-diff.ts";

const CONTEXT = 3;
const LONG_LINE = 2_000;

export function diffView(before: string, after: string): HTMLElement {
  const lines = diffLines(before, after);
  if (lines === undefined) return h("p", { class: "hint" }, `More than ${MAX_LINES} lines changed.`);
  const rows = h("pre", { class: "diff", tabindex: 0, role: "region", "aria-label": "Changes" });
  for (let at = 0, end = 0; at < lines.length; at = end) {
    const sign = lines[at]?.[0];
    while (lines[end]?.[0] === sign) end++;
    const run = lines.slice(at, end).map((line) => `${line.slice(0, LONG_LINE)}\n`);
    if (sign === " ") {
      const folded = run.splice(CONTEXT, run.length - 2 * CONTEXT);
      const rest = h("details", {}, h("summary", {}, `${folded.length} unchanged`), folded.join(""));
      rows.append(...run.splice(0, CONTEXT), folded.length > 0 ? rest : "", ...run);
    } else rows.append(h(sign === "+" ? "ins" : "del", {}, run.join("")));
  }
  return rows;
}

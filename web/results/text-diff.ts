/** What changed in a text, line by line; long stretches that stayed are folded. */
import { h } from "../dom.ts";
import { type DiffLine, diffLines, MAX_LINES } from "./line-diff.ts";

const CONTEXT = 3;
const LONG_LINE = 2_000;
const LOOKS = { "+": ["ins", "added"], "-": ["del", "removed"] } as const;

export function diffView(before: string, after: string): HTMLElement {
  const lines = diffLines(before, after);
  if (lines === undefined) return h("p", { class: "hint" }, `More than ${MAX_LINES} lines changed.`);
  const rows = h("pre", { class: "diff", tabindex: 0, role: "region", "aria-label": "Changes" });
  for (let at = 0; at < lines.length;) {
    const changed = lines.findIndex(({ sign }, index) => index >= at && sign !== " ");
    const end = changed < 0 ? lines.length : changed;
    // Some lines of what stayed are shown before a change, and after one.
    const from = Math.min(end, at === 0 ? 0 : at + CONTEXT);
    const to = Math.max(from, changed < 0 ? end : end - CONTEXT);
    rows.append(...lines.slice(at, from).map(lineView));
    if (to > from) {
      const same = lines.slice(from, to).map(({ text }) => `  ${text.slice(0, LONG_LINE)}`);
      rows.append(h("details", {}, h("summary", {}, `${same.length} unchanged`), same.join("\n")));
    }
    rows.append(...lines.slice(to, end + 1).map(lineView));
    at = end + 1;
  }
  return rows;
}

function lineView({ sign, text }: DiffLine): HTMLElement {
  const line = ` ${text.slice(0, LONG_LINE)}`;
  if (sign === " ") return h("span", {}, sign, line);
  const [tag, label] = LOOKS[sign];
  return h(tag, {}, h("span", { role: "img", "aria-label": label }, sign), line);
}

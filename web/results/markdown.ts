/**
 * A small Markdown, from text to a tree of elements-to-be: headings, paragraphs, lists, quotes, tables, fences, rules;
 * emphasis, code, links.
 *
 * Contract: takes time in proportion to the text, whatever the text. There is no HTML. Links lead to `http:` and `https:`,
 * and pictures become links, since loading one would tell a stranger who looks. What is nested too deeply, or comes after too
 * many elements, is plain text. Line ends within a paragraph are kept.
 */
import { parseInline } from "./markdown-inline.ts";

export type MarkdownChild = MarkdownNode | string;
export interface MarkdownNode {
  readonly tag: Tag;
  readonly children: readonly MarkdownChild[];
  readonly attributes: Readonly<Record<string, string>>;
}
type Tag =
  | (typeof HEADINGS)[number]
  | ("p" | "ul" | "ol" | "li" | "blockquote" | "pre" | "code" | "hr" | "em" | "strong" | "del" | "a")
  | ("table" | "tr" | "th" | "td");
/** @returns the element, or what would be in it when there are enough of them */
export type Make = (tag: Tag, children: MarkdownChild[], attributes?: MarkdownNode["attributes"]) => MarkdownChild[];

/** Below the headings of the section and of the result. */
const HEADINGS = ["h4", "h5", "h6"] as const;
const MAX_DEPTH = 8;
const MAX_ELEMENTS = 4_000;

const BLANK = /^\s*$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^ {0,3}(?:[-*+]|(\d{1,9})[.)]) +(?=\S)/;
const ENDS_PARAGRAPH = [BLANK, FENCE, HEADING, RULE, QUOTE, ITEM, /^ {0,3}\|/];

/** Whether there is anything in it that reads better that way. */
export function looksLikeMarkdown(text: string): boolean {
  return /^ {0,3}(?:#{1,6} \S|[-*+] \S|\d+[.)] \S|> |```|\|.*\|)|\*\*\S|\]\(https?:|`[^`\n]+`/m.test(text);
}

export function parseMarkdown(text: string): readonly MarkdownChild[] {
  let room = MAX_ELEMENTS;
  const make: Make = (tag, children, attributes = {}) => (room-- > 0 ? [{ tag, children, attributes }] : children);
  return parseBlocks(text.split(/\r\n?|\n/), make, 0);
}

function parseBlocks(lines: readonly string[], make: Make, depth: number): MarkdownChild[] {
  if (depth > MAX_DEPTH) return [lines.join("\n")];
  const blocks: MarkdownChild[] = [];
  let at = 0;
  const take = (test: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && test(lines[at] ?? "")) at++;
    return lines.slice(from, at);
  };
  const put = (tag: Tag, children: MarkdownChild[], attributes?: MarkdownNode["attributes"]): unknown =>
    blocks.push(...make(tag, children, attributes));
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    const under = lines[at + 1] ?? "";
    at++;
    if (BLANK.test(line)) continue;
    if (fence !== undefined) {
      put("pre", [take((next) => !next.trim().startsWith(fence)).join("\n")]);
      at++;
    } else if (heading !== null) {
      put(HEADINGS[(heading[1]?.length ?? 0) - 1] ?? "h6", parseInline((heading[2] ?? "").replace(/ #+ *$/, ""), make));
    } else if (RULE.test(line)) put("hr", []);
    else if (QUOTE.test(line)) {
      const quoted = [line, ...take((next) => QUOTE.test(next))].map((each) => each.replace(QUOTE, ""));
      put("blockquote", parseBlocks(quoted, make, depth + 1));
    } else if (item !== null) {
      at--;
      const [, start] = item;
      const items: MarkdownChild[] = [];
      for (let next: RegExpExecArray | null = item; next && (next[1] === undefined) === (start === undefined);) {
        const [{ length }] = next;
        const inside = indentOf(next[0]) + 2;
        const own = [(lines[at++] ?? "").slice(length)];
        for (const more of take((each) => BLANK.test(each) || indentOf(each) >= inside)) {
          own.push(more.slice(Math.min(length, indentOf(more))));
        }
        const [first = "", ...rest] = parseBlocks(own, make, depth + 1);
        // The first paragraph of an item needs no room around it.
        items.push(
          ...make("li", [...(typeof first === "object" && first.tag === "p" ? first.children : [first]), ...rest]),
        );
        next = ITEM.exec(lines[at] ?? "");
      }
      put(start === undefined ? "ul" : "ol", items, start === undefined ? {} : { start });
    } else if (line.includes("|") && /^[ |:]*-[ |:-]*$/.test(under)) {
      at++;
      const rows = [line, ...take((next) => next.includes("|"))].map(cellsOf);
      put(
        "table",
        rows.flatMap((cells, row) =>
          make(
            "tr",
            cells.flatMap((cell) => make(row === 0 ? "th" : "td", parseInline(cell, make))),
          ),
        ),
      );
    } else {
      const more = take((next) => !ENDS_PARAGRAPH.some((end) => end.test(next)));
      put("p", parseInline([line, ...more].join("\n"), make));
    }
  }
  return blocks;
}

function cellsOf(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  return cells.slice(cells[0] === "" ? 1 : 0, cells.at(-1) === "" ? -1 : undefined).map((cell) => cell.trim());
}

function indentOf(line: string): number {
  return line.search(/[^ ]|$/);
}

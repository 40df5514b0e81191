/**
 * A small Markdown, from text to a tree of elements-to-be: headings, paragraphs, lists, quotes, tables, fences, rules;
 * emphasis, code, links.
 *
 * Contract: takes time in proportion to the text, whatever the text. There is no HTML. Links lead to `http:` and `https:`,
 * and pictures become links, since loading one would tell a stranger who looks. What is very long or nested too deeply is
 * plain text. Line ends within a paragraph are kept. Emphasis begins and ends where words do.
 */
export type MarkdownChild = MarkdownNode | string;
export type MarkdownNode = readonly [
  tag: Tag,
  children: MarkdownChild[],
  attributes?: Readonly<Record<string, string | undefined>>,
];
type Tag =
  | ("h4" | "h5" | "h6" | "p" | "ul" | "ol" | "li" | "blockquote" | "pre" | "hr" | "table" | "tr" | "th" | "td")
  | ("code" | "em" | "strong" | "del" | "a");

const MAX_DEPTH = 8;
/** There are not many more elements than a third of this. */
const MAX_LENGTH = 50_000;

// No expression looks past the next mark of its own kind, or past a fixed length: that keeps the time linear. The last match
// is the end, so that what is before a match is all that is not matched.
const BLOCK = new RegExp(
  `^ {0,3}(?:${either([
    /(?<fence>`{3,}(?=[^`\n]*$)|~{3,}).*\n?(?<pre>[^]*?)(?:^ *\k<fence>.*|(?![^]))/,
    /(?<level>#{1,6})[ \t]+(?<heading>.*)/,
    /(?<rule>[-*_])(?: *\k<rule>){2,} *$/,
    /(?<quote>>.*(?:\n {0,3}>.*)*)/,
    /(?<=^(?<indent> *))(?:[-*+]|(?<start>\d{1,9})[.)]) +(?=\S)(?<item>.*(?:\n(?:\k<indent> {2}.*|[^\S\n]*$))*)/,
    /(?<table>(?=.*\|).+\n[ |:]*-[ |:-]*$(?:\n(?=.*\|).+)*)/,
  ])})|(?![^])`,
  "gm",
);
const INLINE = new RegExp(
  either([
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /(?<ticks>``?)(?<code>.+?)\k<ticks>/,
    // With one level of brackets in the text and in the address, and perhaps a title.
    /\[(?<label>(?:[^[\]]|\[[^[\]]*\])+)\]\(<?(?<target>https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)>?(?: "[^"\n]*")?\)/,
    /(?<url>https?:\/\/[^\s<>`"']*[^\s<>`"'.,;:!?)\]*_~])/,
    /(?<!\w)(?<mark>(?<sign>[*_~])\k<sign>{0,2})(?!\s|\k<sign>)(?<inner>[^]{1,500}?)(?<!\s|\k<sign>)\k<mark>(?!\w|\k<sign>)/,
    /$/,
  ]),
  "gi",
);

function either(patterns: readonly RegExp[]): string {
  return patterns.map(({ source }) => source).join("|");
}

/** Whether there is anything in it that reads better that way. */
export function looksLikeMarkdown(text: string): boolean {
  return parseMarkdown(text).some(
    ([tag, children]) => tag !== "p" || children.some((child) => typeof child === "object"),
  );
}

export function parseMarkdown(text: string): MarkdownNode[] {
  return parseBlocks(text.replace(/\r\n?/g, "\n"), text.length > MAX_LENGTH ? MAX_DEPTH : 0);
}

function parseBlocks(text: string, depth: number): MarkdownNode[] {
  if (depth === MAX_DEPTH) return [["p", [text]]];
  const blocks: MarkdownNode[] = [];
  const put = (...node: MarkdownNode): unknown => blocks.push(node);
  const inner = (indented: string, margin: RegExp): MarkdownNode[] =>
    parseBlocks(indented.replace(margin, ""), depth + 1);
  let end = 0;
  for (const { index, 0: token, groups = {} } of text.matchAll(BLOCK)) {
    for (const lines of text.slice(end, index).split(/(?:^|\n)\s*\n/)) {
      if (/\S/.test(lines)) put("p", parseInline(lines.trimEnd()));
    }
    end = index + token.length;
    const { fence, pre = "", level = "", heading, rule, quote, start, item, table } = groups;
    if (fence) put("pre", [pre]);
    if (rule) put("hr", []);
    // Below the headings of the section and of the result.
    if (heading) put((["h4", "h5"] as const)[level.length - 1] ?? "h6", parseInline(heading));
    if (quote) put("blockquote", inner(quote, /^ {0,3}> ?/gm));
    if (item) {
      const tag = start ? "ol" : "ul";
      if (blocks.at(-1)?.[0] !== tag) put(tag, [], { start });
      const made = inner(item, new RegExp(`^ {0,${token.length - item.length}}`, "gm"));
      blocks.at(-1)?.[1].push(["li", made]);
    }
    if (table) put("table", table.split("\n").flatMap(rowOf));
  }
  return blocks;
}

/** The second line of a table rules off its head. */
function rowOf(line: string, index: number): MarkdownNode[] {
  const cells = line.replace(/^\s*\||\|\s*$/g, "").split(/(?<!\\)\|/);
  const tag = index === 0 ? "th" : "td";
  return index === 1 ? [] : [["tr", cells.map((cell) => [tag, parseInline(cell.trim())])]];
}

/** @param inLink there are no links in links */
function parseInline(text: string, inLink = false): MarkdownChild[] {
  const children: MarkdownChild[] = [];
  let end = 0;
  for (const { index, 0: token, groups = {} } of text.matchAll(INLINE)) {
    const { escaped, code, label, target, url, mark = "", inner } = groups;
    const href = target ?? url;
    let made: MarkdownChild = escaped ?? token;
    if (code) made = ["code", [code]];
    if (inner) {
      made = [mark.startsWith("~") ? "del" : mark.length > 1 ? "strong" : "em", parseInline(inner, inLink)];
    }
    if (href && !inLink) {
      const attributes = { href, title: href, target: "_blank", rel: "noopener noreferrer" };
      made = ["a", parseInline(label ?? href, true), attributes];
    }
    children.push(text.slice(end, index), made);
    end = index + token.length;
  }
  return children;
}

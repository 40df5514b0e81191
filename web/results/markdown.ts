/**
 * A small Markdown, line by line: headings, paragraphs, lists, quotes, tables, fences; in a line emphasis, code, links.
 *
 * Contract: takes time in proportion to the text, whatever the text. There is no HTML. Links lead to `http:` and `https:`,
 * and pictures become links, since loading one would tell a stranger who looks. What is very long is plain text. Line ends
 * within a paragraph are kept. Emphasis begins and ends where words do.
 */
import { h, linkOrText } from "../dom.ts";

/** There are no more elements than this. */
const MAX_LENGTH = 50_000;

const LINE = /^(\s*)(?:(#{1,6}) +|([-*+]) +|(\d{1,9})[.)] +|(>) ?|(\|))?(.*)/s;
// No part looks past the next mark of its own kind, or past a fixed length: that keeps the time linear.
const INLINE =
  /\\([^a-z\d\s])|`([^`]+)`|\[([^[\]]+)\]\((https?:\/\/[^\s()]+)(?:\s[^()]*)?\)|(https?:\/\/[^\s<>`"']*[\w/])|(?<!\w)([*_]{1,3})(?![\s*_])(.{1,500}?)(?<![\s*_])\6(?![\w*_])/gi;

export function markdown(text: string): HTMLElement {
  const block = h("div", { class: "block prose", tabindex: 0 });
  if (text.length > MAX_LENGTH) {
    block.append(text);
    return block;
  }
  // Every other part is in a fence.
  for (const [index, part] of text.split(/^ *```[^`\n]*$\n?/m).entries()) {
    if (index % 2 > 0) block.append(h("pre", {}, part));
    else putLines(block, part.split(/\r?\n/));
  }
  return block;
}

function putLines(block: HTMLElement, lines: readonly string[]): void {
  /** What a line without a mark goes on with. */
  let open: HTMLElement | undefined;
  /** Goes on with what is last, if it is such an element. */
  const among = (tag: "ul" | "ol" | "table"): Element => {
    if (block.lastElementChild?.localName !== tag) block.append(h(tag));
    return block.lastElementChild ?? block;
  };
  for (const line of lines) {
    const [, indent = "", level, bullet, number, quote, bar, text = ""] = LINE.exec(line) ?? [];
    const children = inline(text);
    if (bullet || number) {
      open = h("li", {}, ...children);
      // Nested lists look so, and are read as one.
      open.style.marginLeft = `${indent.length / 2}em`;
      // As it is written. A value of its own would have the browser count all others anew.
      if (number) open.style.listStyle = `"${number}. "`;
      among(number ? "ol" : "ul").append(open);
    } else if (bar) {
      const cells = text.replace(/\|\s*$/, "").split("|");
      if (!/^[-:|\s]+$/.test(text))
        among("table").append(h("tr", {}, ...cells.map((cell) => h("td", {}, ...inline(cell.trim())))));
    } else if (level) {
      block.append(h((["h4", "h5"] as const)[level.length - 1] ?? "h6", {}, ...children));
      open = undefined;
    } else if (text === "") open = undefined;
    else if (open && (!quote || open.localName === "blockquote")) open.append("\n", ...children);
    else block.append((open = h(quote ? "blockquote" : "p", {}, ...children)));
  }
}

function inline(text: string): (Node | string)[] {
  const children: (Node | string)[] = [];
  let end = 0;
  for (const {
    index,
    0: token,
    1: escaped,
    2: code,
    3: label,
    4: target,
    5: url = target,
    6: mark,
    7: inner,
  } of text.matchAll(INLINE)) {
    children.push(
      text.slice(end, index),
      escaped ??
        (code
          ? h("code", {}, code)
          : inner
            ? h(mark?.[1] ? "strong" : "em", {}, ...inline(inner))
            : linkOrText(url ?? "", label ?? token)),
    );
    end = index + token.length;
  }
  return [...children, text.slice(end)];
}

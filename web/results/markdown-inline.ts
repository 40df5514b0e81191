/**
 * Markdown within a line or a paragraph: emphasis, code, links. The contract is that of markdown.ts.
 *
 * No part of the expression can look past the next character of its own kind, so it takes linear time.
 */
import type { Make, MarkdownChild } from "./markdown.ts";

const TOKEN = new RegExp(
  [
    /\\([!-/:-@[-`{-~])/,
    /``([^\n]{1,300}?)``|`([^`\n]+)`/,
    // With one level of brackets in the text and in the address, and perhaps a title.
    /\[((?:[^[\]]|\[[^[\]]*\])+)\]\(<?(https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)>?(?: "[^"\n]*")?\)/,
    /(https?:\/\/[^\s<>`"']*[^\s<>`"'.,;:!?)\]*_~])/,
    /\*\*(?=\S)((?:[^*]|\*(?!\*)[^*]+\*)+)(?<=\S)\*\*|(?<!\w)__(?=\S)([^_]+)(?<=\S)__(?!\w)/,
    /\*(?=[^\s*])((?:[^*]|\*\*[^*]+\*\*)+)(?<=\S)\*|(?<!\w)_(?=\S)([^_]+)(?<=\S)_(?!\w)/,
    /~~(?=\S)([^~]+)~~/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** @param inLink there are no links in links */
export function parseInline(text: string, make: Make, inLink = false): MarkdownChild[] {
  const children: MarkdownChild[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, escaped, quoted, code = quoted, label, target, url, stars, strong = stars, star, em = star, del] =
      match;
    const href = target ?? url;
    let made: MarkdownChild[] = [escaped ?? token];
    if (code !== undefined) made = make("code", [code]);
    else if (href !== undefined && !inLink && URL.canParse(href)) {
      const attributes = { href, title: href, target: "_blank", rel: "noopener noreferrer" };
      made = make("a", label === undefined ? [href] : parseInline(label, make, true), attributes);
    }
    for (const [tag, inner] of [
      ["strong", strong],
      ["em", em],
      ["del", del],
    ] as const) {
      if (inner !== undefined) made = make(tag, parseInline(inner, make, inLink));
    }
    children.push(text.slice(end, match.index), ...made);
    end = match.index + token.length;
  }
  return [...children, text.slice(end)].filter((child) => child !== "");
}

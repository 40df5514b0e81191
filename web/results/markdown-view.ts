/** Markdown as elements. */
import { type Child, h } from "../dom.ts";
import { type MarkdownChild, parseMarkdown } from "./markdown.ts";

export function markdown(text: string): HTMLElement {
  return h("div", { class: "block prose", tabindex: 0 }, ...parseMarkdown(text).map(build));
}

function build(child: MarkdownChild): Child {
  return typeof child === "string" ? child : h(child[0], child[2], ...child[1].map(build));
}

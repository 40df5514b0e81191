/** Markdown as elements. */
import { h } from "../dom.ts";
import { type MarkdownChild, parseMarkdown } from "./markdown.ts";

export function markdown(text: string): HTMLElement {
  return h("div", { class: "block prose", tabindex: 0 }, ...parseMarkdown(text).map(build));
}

function build(child: MarkdownChild): HTMLElement | string {
  return typeof child === "string" ? child : h(child.tag, child.attributes, ...child.children.map(build));
}

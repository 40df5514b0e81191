/**
 * The list of tools, with a box to narrow it down once there are many.
 */
import { h } from "./dom.ts";
import type { Tool } from "./tool.ts";

/** A list this short is taken in at a glance. */
const MAX_WITHOUT_FILTER = 9;

export class ToolList {
  readonly element: HTMLElement;
  readonly #links: ReadonlyMap<string, HTMLAnchorElement>;

  constructor(tools: readonly Tool[]) {
    const items = tools.map((tool) => ({ tool, link: linkTo(tool) }));
    this.#links = new Map(items.map(({ tool, link }) => [tool.name, link]));
    const list = h("ul", {}, ...items.map(({ link }) => h("li", {}, link)));
    const none = h(
      "p",
      { class: "empty", hidden: tools.length > 0 },
      tools.length === 0 ? "No tools" : "No tool matches",
    );
    const filter = h("input", { type: "search", placeholder: "Filter tools", "aria-label": "Filter tools" });
    filter.addEventListener("input", () => {
      const typed = filter.value.trim().toLowerCase();
      let left = 0;
      for (const { tool, link } of items) {
        const matches = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase().includes(typed);
        link.parentElement?.toggleAttribute("hidden", !matches);
        if (matches) left += 1;
      }
      none.hidden = left > 0;
    });
    const heading = h("h2", {}, "Tools", h("span", { class: "count" }, String(tools.length)));
    this.element = h(
      "nav",
      { "aria-label": "Tools" },
      heading,
      tools.length > MAX_WITHOUT_FILTER ? filter : undefined,
      list,
      none,
    );
  }

  select(name: string | undefined): void {
    for (const [key, link] of this.#links) {
      if (key === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

function linkTo({ name, title, description, icon, chips, unusable }: Tool): HTMLAnchorElement {
  const first = chips[0];
  const badge = unusable === undefined ? first : ({ label: "unusable", tone: "alarm" } as const);
  return h(
    "a",
    { href: `#/${encodeURIComponent(name)}` },
    icon === undefined
      ? h("span", { class: "blank", "aria-hidden": "true" })
      : h("img", { src: icon, alt: "", width: 22, height: 22 }),
    h("span", { class: "title" }, title),
    badge === undefined ? undefined : h("span", { class: `chip ${badge.tone}` }, badge.label),
    h("span", { class: "hint" }, description),
  );
}

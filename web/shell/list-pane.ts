/**
 * One list of a server as links, with a box to narrow it down: what tools, resources and prompts are chosen from.
 *
 * Contract: when the list comes again, what was typed, the focus and the scroll position stay.
 */
import { button, type Child, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import type { ServerList } from "../server-list.ts";

export interface PaneEntry {
  /** What it is selected by. */
  readonly key: string;
  readonly href: string;
  readonly title: string;
  readonly hint: string;
  readonly icon?: string | undefined;
  readonly badge?: Child;
}

export interface PaneOptions<T> {
  readonly title: string;
  readonly list: ServerList<T>;
  readonly entryOf: (item: T) => PaneEntry;
  /** What is said when there are none. */
  readonly none: string;
}

/** More would make the page slow; narrowing down finds the others. */
const MAX_SHOWN = 500;

export class ListPane<T> {
  readonly element: HTMLElement;
  readonly #options: PaneOptions<T>;
  readonly #list = h("ul", {});
  readonly #note = h("div", { role: "status" });
  readonly #search: HTMLInputElement;
  #selected: string | undefined;

  constructor(options: PaneOptions<T>) {
    const { title, list } = options;
    const label = `Search ${title.toLowerCase()}`;
    this.#options = options;
    this.#search = h("input", { type: "search", placeholder: label, "aria-label": label, "data-search": true });
    this.#search.addEventListener("input", () => this.#draw());
    this.element = h(
      "nav",
      { "aria-label": title },
      h("h2", { tabindex: -1 }, title),
      this.#search,
      this.#list,
      this.#note,
    );
    list.state.watch(() => this.#draw());
    list.ensure();
  }

  select(key: string | undefined): void {
    this.#selected = key;
    for (const link of this.#list.querySelectorAll("a")) this.#mark(link);
  }

  #mark(link: HTMLElement): void {
    if (link.dataset["key"] === this.#selected) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }

  #draw(): void {
    const { list, entryOf, none } = this.#options;
    const { phase, items, error } = list.state.value;
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : undefined;
    const key = focused instanceof HTMLElement ? focused.dataset["key"] : undefined;
    const typed = this.#search.value.trim().toLowerCase();
    const found = items
      .map(entryOf)
      .filter(({ title, hint, key: name }) => `${title} ${name} ${hint}`.toLowerCase().includes(typed));
    const links = found.slice(0, MAX_SHOWN).map((entry) => this.#link(entry));
    this.#list.replaceChildren(...links.map((link) => h("li", {}, link)));
    links.find((link) => key !== undefined && link.dataset["key"] === key)?.focus({ preventScroll: true });
    this.#search.hidden = items.length < 2;
    const retry = (): HTMLElement => button("Try again", () => list.refresh());
    this.#note.replaceChildren(
      ...(phase === "failed" ? [failureBlock(error), retry()] : []),
      ...(found.length > MAX_SHOWN ? [hint(`${found.length - MAX_SHOWN} more. Search to find them.`)] : []),
      ...(phase === "ready" && found.length === 0 ? [hint(items.length === 0 ? none : "Nothing matches.")] : []),
      ...(phase === "loading" && items.length === 0 ? [hint("Loading…")] : []),
    );
  }

  #link({ key, href, title, hint: text, icon, badge }: PaneEntry): HTMLAnchorElement {
    const link = h(
      "a",
      { href, "data-key": key },
      icon === undefined ? undefined : h("img", { src: icon, alt: "", width: 22, height: 22 }),
      h("span", { class: "title" }, title),
      badge,
      text === "" ? undefined : h("span", { class: "hint" }, text),
    );
    this.#mark(link);
    return link;
  }
}

function hint(text: string): HTMLElement {
  return h("p", { class: "empty" }, text);
}

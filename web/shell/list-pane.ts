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
  /** More to search in. */
  readonly text?: () => string;
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
    this.#draw();
  }

  #draw(): void {
    const { list, entryOf, none } = this.#options;
    const { phase, items, error } = list.state.value;
    const links = [...this.#list.querySelectorAll("a")];
    const focused = links.find((link) => link === document.activeElement)?.dataset["key"];
    const typed = this.#search.value.trim().toLowerCase();
    const found = items
      .map(entryOf)
      .filter(({ title, hint, key: name, text }) =>
        `${title} ${name} ${hint} ${(typed && text?.()) ?? ""}`.toLowerCase().includes(typed),
      );
    const made = found.slice(0, MAX_SHOWN).map((entry) => this.#link(entry));
    this.#list.replaceChildren(...made.map((link) => h("li", {}, link)));
    if (focused !== undefined) made.find(({ dataset }) => dataset["key"] === focused)?.focus({ preventScroll: true });
    this.#search.hidden = items.length < 2;
    const rest = found.length - MAX_SHOWN;
    const nothing =
      items.length > 0 ? "Nothing matches." : phase === "ready" ? none : phase === "loading" ? "Loading…" : "";
    const said = rest > 0 ? `${rest} more. Search to find them.` : found.length > 0 ? "" : nothing;
    this.#note.replaceChildren(h("p", { class: "empty" }, said));
    if (phase !== "failed") return;
    const retry = button("Try again", () => {
      this.element.querySelector("h2")?.focus(); // The button goes.
      list.refresh();
    });
    this.#note.append(failureBlock(error), retry);
  }

  #link({ key, href, title, hint: text, icon, badge }: PaneEntry): HTMLAnchorElement {
    return h(
      "a",
      { href, "data-key": key, "aria-current": key === this.#selected && "page" },
      icon !== undefined && h("img", { src: icon, alt: "", width: 22, height: 22 }),
      h("span", { class: "title" }, title),
      badge,
      h("span", { class: "hint" }, text),
    );
  }
}

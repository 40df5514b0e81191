/**
 * The list of resources. It changes while one looks at it, so entries that stay keep their element, and with it the focus.
 */
import { h } from "./dom.ts";
import { flash } from "./flash.ts";
import { fragmentOf, type Resource } from "./resource.ts";

interface Entry {
  readonly item: HTMLLIElement;
  readonly link: HTMLAnchorElement;
  /** What it shows, to tell whether that is still right. */
  readonly shown: string;
}

export class ResourceList {
  readonly element: HTMLElement;
  readonly #list = h("ul");
  readonly #count = h("span", { class: "count" });
  readonly #empty = h("p", { class: "empty" }, "Nothing here yet.");
  readonly #heading = h("h2", { tabindex: -1 }, "Resources", this.#count);
  #entries: ReadonlyMap<string, Entry> | undefined;
  #selected: string | undefined;

  /** @param status an element for below the heading */
  constructor(status: HTMLElement) {
    this.element = h("nav", { "aria-label": "Resources" }, this.#heading, status, this.#list, this.#empty);
    this.#empty.hidden = true;
  }

  show(resources: readonly Resource[]): void {
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    for (const resource of resources) {
      const { uri } = resource;
      const shown = JSON.stringify(resource);
      const known = before?.get(uri);
      const entry = known?.shown === shown ? known : entryFor(resource, shown);
      // The first list is all news, which is none.
      if (before !== undefined && entry !== known) flash(entry.item);
      entries.set(uri, entry);
    }
    this.#entries = entries;
    this.#arrange([...entries.values()].map(({ item }) => item));
    this.#count.textContent = String(entries.size);
    this.#empty.textContent = "Nothing here yet.";
    this.#empty.hidden = entries.size > 0;
    this.select(this.#selected);
  }

  fail(reason: string): void {
    this.#empty.textContent = `The list could not be read: ${reason}`;
    this.#empty.hidden = false;
  }

  select(uri: string | undefined): void {
    this.#selected = uri;
    for (const [key, { link }] of this.#entries ?? []) {
      if (key === uri) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Moves as little as possible: an element that moves loses the focus. */
  #arrange(items: readonly HTMLLIElement[]): void {
    const staying = new Set<Element>(items);
    const leaving = [...this.#list.children].filter((item) => !staying.has(item));
    for (const item of leaving) {
      if (item.contains(document.activeElement)) this.#heading.focus({ preventScroll: true });
      item.remove();
    }
    let place = this.#list.firstElementChild;
    for (const item of items) {
      if (item === place) place = place.nextElementSibling;
      else this.#list.insertBefore(item, place);
    }
  }
}

function entryFor({ uri, title, description, icon }: Resource, shown: string): Entry {
  const link = h(
    "a",
    { href: fragmentOf(uri) },
    icon === undefined ? undefined : h("img", { src: icon, alt: "", width: 22, height: 22 }),
    h("span", { class: "title" }, title),
    h("span", { class: "hint" }, description || uri),
  );
  return { item: h("li", {}, link), link, shown };
}

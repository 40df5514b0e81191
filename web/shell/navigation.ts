/**
 * The sections as links, with how much is in each. What a server has not got is left out.
 */
import { h } from "../dom.ts";
import { hrefTo, type SectionName } from "../route.ts";
import type { Server } from "../server.ts";

interface Entry {
  readonly section: SectionName;
  readonly label: string;
  readonly isOffered?: (server: Server) => boolean;
}

const offers =
  (capability: "tools" | "resources" | "prompts") =>
  ({ description }: Server): boolean =>
    description === undefined || description.capabilities[capability] !== undefined;

export const ENTRIES: readonly Entry[] = [
  { section: "tools", label: "Tools" }, // What the page opens with, so it is there for servers without any too.
  { section: "resources", label: "Resources", isOffered: offers("resources") },
  { section: "prompts", label: "Prompts", isOffered: offers("prompts") },
  { section: "listen", label: "Changes" },
  { section: "wire", label: "Wire" },
  { section: "chat", label: "Chat" },
  { section: "servers", label: "Servers" },
];

export class Navigation {
  readonly element = h("nav", { class: "sections", "aria-label": "Sections" });
  #selected: SectionName | undefined;

  /** Draws it for a server. `signal` ends the following of its counts. */
  follow(server: Server, signal: AbortSignal): void {
    server.status.watch(() => this.#draw(server, signal), signal);
  }

  select(section: SectionName): void {
    this.#selected = section;
    for (const link of this.element.querySelectorAll("a")) mark(link, link.dataset["section"] === section);
    // `scrollIntoView` would also make it the place from which Tab goes on.
    const current = this.element.querySelector<HTMLElement>("[aria-current]");
    if (current !== null) this.element.scrollLeft = current.offsetLeft - current.offsetWidth;
  }

  #draw(server: Server, signal: AbortSignal): void {
    const links = ENTRIES.filter(({ isOffered }) => isOffered?.(server) !== false).map(({ section, label }) => {
      const count = h("span", { class: "count" });
      const link = h("a", { href: hrefTo(section), "data-section": section }, h("span", {}, label), " ", count);
      mark(link, section === this.#selected);
      const size = sizeOf(server, section);
      size?.((items) => (count.textContent = items === 0 ? "" : String(items)), signal);
      return link;
    });
    this.element.replaceChildren(...links);
  }
}

type Follow = (show: (size: number) => void, signal: AbortSignal) => void;

function sizeOf(server: Server, section: SectionName): Follow | undefined {
  if (section === "tools" || section === "prompts" || section === "resources")
    return (show, signal) => server[section].state.watch(({ items }) => show(items.length), signal);
  if (section === "wire")
    return (show, signal) => server.wire.exchanges.watch((exchanges) => show(exchanges.length), signal);
  if (section === "listen")
    return (show, signal) => server.feed.entries.watch((entries) => show(entries.length), signal);
  return undefined;
}

function mark(link: HTMLElement, current: boolean): void {
  if (current) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

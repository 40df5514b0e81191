/**
 * The sections as links. What a server has not got is left out.
 */
import { byId, h } from "../dom.ts";
import { hrefTo, type SectionName } from "../route.ts";
import type { Server } from "../server.ts";

interface Entry {
  readonly section: SectionName;
  readonly label: string;
}

export const ENTRIES: readonly Entry[] = [
  { section: "tools", label: "Tools" },
  { section: "resources", label: "Resources" },
  { section: "prompts", label: "Prompts" },
  { section: "listen", label: "Changes" },
  { section: "wire", label: "Wire" },
  { section: "chat", label: "Chat" },
  { section: "servers", label: "Servers" },
];

/** What every server has a place for: the page opens with the tools, and the rest is the page's own. */
const ALWAYS: ReadonlySet<SectionName> = new Set(["tools", "listen", "wire", "chat", "servers"]);

const links = new Map(ENTRIES.map(({ section, label }) => [section, h("a", { href: hrefTo(section) }, label)]));

export function startNavigation(): void {
  byId("sections").append(...links.values());
}

/** @param description of the server, once it is known */
export function select(current: SectionName, description: Server["description"]): void {
  for (const [section, link] of links) {
    link.ariaCurrent = section === current ? "page" : null;
    if (description) link.hidden = !ALWAYS.has(section) && !(section in description.capabilities);
  }
}

/**
 * The sections as links, with how much is in each. What a server has not got is left out.
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

const LISTS = ["tools", "resources", "prompts"] as const;

const links = new Map(
  ENTRIES.map(({ section, label }) => [
    section,
    h("a", { href: hrefTo(section) }, label, " ", h("span", { class: "hint" })),
  ]),
);

export function startNavigation(): void {
  byId("sections").append(...links.values());
}

export function select(current: SectionName): void {
  for (const [section, link] of links) link.ariaCurrent = section === current ? "page" : null;
}

const count =
  (section: SectionName) =>
  ({ length }: readonly unknown[]): void => {
    const place = links.get(section)?.lastElementChild;
    if (place) place.textContent = length === 0 ? "" : String(length);
  };

/** Counts what it has, until `signal` aborts. */
export function follow(server: Server, signal: AbortSignal): void {
  server.wire.exchanges.watch(count("wire"), signal);
  server.feed.entries.watch(count("listen"), signal);
  for (const section of LISTS) server[section].state.watch(({ items }) => count(section)(items), signal);
  server.status.watch(() => {
    const { description } = server;
    for (const section of LISTS) {
      const link = links.get(section);
      // The page opens with the tools, so they are there for servers without any too.
      if (link && description && section !== "tools") link.hidden = description.capabilities[section] === undefined;
    }
  }, signal);
}

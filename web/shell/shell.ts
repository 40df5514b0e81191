/**
 * The frame around the sections: keeps them apart, brings the one that the address names into view, and makes each when it
 * is first looked at.
 */
import type { App, MakeSection, Section } from "../app.ts";
import { chatSection } from "../chat/chat-section.ts";
import { failureView } from "../connect/failure-view.ts";
import { serversSection } from "../connect/servers-section.ts";
import { byId, h } from "../dom.ts";
import { listenSection } from "../listen/listen-section.ts";
import { promptsSection } from "../prompts/prompts-section.ts";
import { resourcesSection } from "../resources/resources-section.ts";
import { parseRoute, type Route, type SectionName } from "../route.ts";
import type { Server } from "../server.ts";
import { toolsSection } from "../tools/tools-section.ts";
import { wireSection } from "../wire/wire-section.ts";
import { showIdentity } from "./identity.ts";
import { select, startNavigation } from "./navigation.ts";

const SECTIONS: Readonly<Record<SectionName, MakeSection>> = {
  tools: toolsSection,
  resources: resourcesSection,
  prompts: promptsSection,
  listen: listenSection,
  wire: wireSection,
  chat: chatSection,
  servers: serversSection,
};
/** One for all servers, and there while none answers. */
const COMMON: ReadonlySet<SectionName> = new Set(["chat", "servers"]);

/** Takes over the page. */
export function startShell(app: App): void {
  const { current } = app;
  const pane = byId("pane");
  /** Of each server; those of none are common. */
  const made = new Map<Server | undefined, Partial<Record<SectionName, Section>>>();
  let route: Route = parseRoute(location.hash) ?? { section: "tools", path: [] };
  let shown: Section | undefined;

  const sectionOf = (name: SectionName): Section => {
    const key = COMMON.has(name) ? undefined : current.value;
    const sections = made.get(key) ?? {};
    made.set(key, sections);
    return (sections[name] ??= SECTIONS[name](current.value, app));
  };

  /** @param moved whether the person went here, as opposed to the page having just loaded */
  const show = (moved: boolean): void => {
    const server = current.value;
    const { section: name, path } = route;
    const { value: status } = server.status;
    const hadFocus = pane.contains(document.activeElement);
    const section = status.phase === "ready" || name === "wire" || COMMON.has(name) ? sectionOf(name) : undefined;
    select(name, server.description);
    if (section === undefined || section !== shown) {
      shown?.hide?.();
      shown = section;
      pane.replaceChildren(
        section?.element ??
          (status.phase === "failed"
            ? failureView(server, status.error)
            : h("p", { class: "empty large" }, "Connecting…")),
      );
    }
    const target = section === undefined ? pane.querySelector("h2") : section.show(path);
    if (!moved && !(hadFocus && document.activeElement === document.body)) return;
    scrollTo({ top: 0 });
    (target ?? pane).focus({ preventScroll: true });
  };

  startNavigation();
  addEventListener("hashchange", () => {
    const found = parseRoute(location.hash);
    if (found === undefined) return;
    route = found;
    show(true);
  });
  let following = new AbortController();
  current.watch((server) => {
    following.abort();
    following = new AbortController();
    server.status.watch(() => {
      showIdentity(server);
      show(false);
    }, following.signal);
  });
  app.servers.watch((servers) => {
    for (const [server, sections] of made) {
      if (server === undefined || servers.includes(server)) continue;
      for (const section of Object.values(sections)) section.close?.();
      made.delete(server);
    }
  });
}

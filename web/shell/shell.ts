/**
 * The frame around the sections: keeps them apart, brings the one that the address names into view, and makes each when it
 * is first looked at.
 */
import type { App, MakeSection, Section } from "../app.ts";
import { chatSection } from "../chat/chat-section.ts";
import { failureView } from "../connect/failure-view.ts";
import { serversSection } from "../connect/servers-section.ts";
import { byId } from "../dom.ts";
import { listenSection } from "../listen/listen-section.ts";
import { promptsSection } from "../prompts/prompts-section.ts";
import { resourcesSection } from "../resources/resources-section.ts";
import { parseRoute, type Route, type SectionName } from "../route.ts";
import type { Server } from "../server.ts";
import { toolsSection } from "../tools/tools-section.ts";
import { wireSection } from "../wire/wire-section.ts";
import { Identity } from "./identity.ts";
import { Navigation } from "./navigation.ts";

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
const NEEDS_NO_ANSWER: ReadonlySet<SectionName> = new Set([...COMMON, "wire"]);

export class Shell {
  readonly #app: App;
  readonly #pane = byId("pane");
  readonly #identity = new Identity();
  readonly #navigation = new Navigation();
  readonly #made = new Map<Server, Map<SectionName, Section>>();
  readonly #common = new Map<SectionName, Section>();
  #route: Route = parseRoute(location.hash) ?? { section: "tools", path: [] };
  #shown: Section | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** Takes over the page. */
  start(): void {
    const app = this.#app;
    byId("identity").replaceChildren(this.#identity.element);
    byId("navigation").replaceChildren(this.#navigation.element);
    addEventListener("hashchange", () => {
      const route = parseRoute(location.hash);
      if (route === undefined) return;
      this.#route = route;
      this.#show(true);
    });
    let followed: Server | undefined;
    let following = new AbortController();
    app.current.watch((server) => {
      if (server === followed) return;
      followed = server;
      following.abort();
      following = new AbortController();
      this.#identity.follow(server, following.signal);
      this.#navigation.follow(server, following.signal);
      server.status.watch(() => this.#show(false), following.signal);
    });
    app.servers.watch((servers) => this.#forgetAllBut(servers));
    // It gives the model that is remembered to the questions of servers.
    this.#section(app.current.value, "chat");
  }

  /** @param moved whether the person went here, as opposed to the page having just loaded */
  #show(moved: boolean): void {
    const server = this.#app.current.value;
    const { section: name, path } = this.#route;
    this.#navigation.select(name);
    document.body.dataset["section"] = name;
    const { value: status } = server.status;
    const hadFocus = this.#pane.contains(document.activeElement);
    if (status.phase !== "ready" && !NEEDS_NO_ANSWER.has(name)) {
      this.#hide();
      const view = status.phase === "failed" ? failureView(server, status.error) : waiting();
      this.#pane.replaceChildren(view);
      if (hadFocus) (view.querySelector("h2") ?? this.#pane).focus();
      return;
    }
    const section = this.#section(server, name);
    if (section !== this.#shown) {
      this.#hide();
      this.#pane.replaceChildren(section.element);
      this.#shown = section;
    }
    const target = section.show(path);
    if (!moved && !(hadFocus && document.activeElement === document.body)) return;
    scrollTo({ top: 0 });
    (target ?? this.#pane).focus({ preventScroll: true });
  }

  #hide(): void {
    this.#shown?.hide?.();
    this.#shown = undefined;
  }

  #section(server: Server, name: SectionName): Section {
    let made = COMMON.has(name) ? this.#common : this.#made.get(server);
    if (made === undefined) this.#made.set(server, (made = new Map<SectionName, Section>()));
    let section = made.get(name);
    if (section === undefined) made.set(name, (section = SECTIONS[name](server, this.#app)));
    return section;
  }

  #forgetAllBut(servers: readonly Server[]): void {
    for (const [server, sections] of this.#made) {
      if (servers.includes(server)) continue;
      for (const section of sections.values()) section.close?.();
      this.#made.delete(server);
    }
  }
}

function waiting(): HTMLElement {
  const line = document.createElement("p");
  line.className = "empty large";
  line.textContent = "Connecting…";
  return line;
}

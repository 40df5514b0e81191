/**
 * The page: a host for the server it came from, or for `?server=URL`, and for as many others as are opened beside it. Or, in
 * a window that was opened for signing in, the way back.
 */
import type { App } from "./app.ts";
import { isCallback } from "./connect/callback.ts";
import { OWN_ENDPOINT, savedSettings } from "./connect/saved-servers.ts";
import { byId, h } from "./dom.ts";
import { hrefTo } from "./route.ts";
import { Server, type ServerSettings } from "./server.ts";
import { listenForShortcuts, openPalette } from "./shell/palette.ts";
import { startShell } from "./shell/shell.ts";
import { State } from "./state.ts";

const NOTICE_MS = 6_000;

if (isCallback()) byId("pane").append("You can close this window.");
else start();

function start(): void {
  const first = begin(settingsAt(addressed()));
  const servers = new State<readonly Server[]>([first]);
  const current = new State(first);
  const app: App = {
    servers,
    current,
    open(settings) {
      const { url } = settings;
      const known = servers.value.find((one) => one.settings.url === url);
      const server = known?.settings === settings ? known : begin(settings);
      if (server !== known) {
        known?.close();
        servers.set([...servers.value.filter((other) => other !== known), server]);
      }
      if (addressed() !== url) {
        const query = url === OWN_ENDPOINT ? "" : `?server=${encodeURIComponent(url)}`;
        history.pushState(null, "", `/${query}${location.hash}`);
      }
      if (current.value !== server) current.set(server);
      return server;
    },
    leave(server) {
      const others = servers.value.filter((other) => other !== server);
      const [next] = others;
      if (next === undefined) return;
      if (current.value === server) app.open(next.settings);
      servers.set(others);
      server.close();
    },
    go(section, ...path) {
      location.hash = hrefTo(section, ...path);
    },
    say(text) {
      const notice = h("p", { class: "notice" }, text);
      byId("notices").append(notice);
      setTimeout(() => notice.remove(), NOTICE_MS);
    },
  };
  startShell(app);
  listenForShortcuts(app);
  byId("commands").addEventListener("click", () => openPalette(app));
  addEventListener("popstate", () => {
    const url = addressed();
    // With the headers that it was opened with, whatever is saved of it.
    app.open(servers.value.find(({ settings }) => settings.url === url)?.settings ?? settingsAt(url));
  });
}

/** `?server=` where it is an address one can call, else the endpoint beside this page. */
function addressed(): string {
  const given = new URLSearchParams(location.search).get("server") ?? "";
  const { href } = new URL(URL.canParse(given, OWN_ENDPOINT) ? given : "", OWN_ENDPOINT);
  return /^https?:/.test(href) ? href.replace(/#.*/, "") : OWN_ENDPOINT;
}

function settingsAt(url: string): ServerSettings {
  return savedSettings(url) ?? { url };
}

function begin(settings: ServerSettings): Server {
  const server = new Server(settings);
  void server.connect(); // Never rejects: it becomes the status.
  return server;
}

/**
 * The page: a host for the server it came from, or for `?server=URL`, and for as many others as are opened beside it.
 */
import type { App } from "./app.ts";
import { savedSettings } from "./connect/saved-servers.ts";
import { byId } from "./dom.ts";
import { hrefTo } from "./route.ts";
import { Server, type ServerSettings } from "./server.ts";
import { Notices } from "./shell/notices.ts";
import { listenForShortcuts, openPalette } from "./shell/palette.ts";
import { Shell } from "./shell/shell.ts";
import { State } from "./state.ts";

const OWN_ENDPOINT = new URL("/mcp", location.href).href;

/** `?server=` where it is an address one can call, else the endpoint beside this page. */
function endpointFromAddress(): string {
  const given = new URLSearchParams(location.search).get("server");
  if (given === null || !URL.canParse(given, location.href)) return OWN_ENDPOINT;
  const chosen = new URL(given, location.href);
  chosen.hash = "";
  return /^https?:$/.test(chosen.protocol) ? chosen.href : OWN_ENDPOINT;
}

function settingsFromAddress(): ServerSettings {
  const url = endpointFromAddress();
  return savedSettings(url) ?? { url };
}

function begin(settings: ServerSettings): Server {
  const server = new Server(settings);
  void server.connect(); // Never rejects: it becomes the status.
  return server;
}

const notices = new Notices();
byId("notices").append(notices.element);
const first = begin(settingsFromAddress());
const servers = new State<readonly Server[]>([first]);
const current = new State(first);

const app: App = {
  servers,
  current,
  open(settings) {
    const known = servers.value.find(({ settings: { url } }) => url === settings.url);
    const same = known !== undefined && JSON.stringify(known.settings) === JSON.stringify(settings);
    const server = same ? known : begin(settings);
    if (!same) {
      known?.close();
      servers.set([...servers.value.filter((other) => other !== known), server]);
    }
    if (endpointFromAddress() !== settings.url) {
      const address = new URL(location.href);
      if (settings.url === OWN_ENDPOINT) address.searchParams.delete("server");
      else address.searchParams.set("server", settings.url);
      history.pushState(null, "", address);
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
  say: (text) => notices.say(text),
};

new Shell(app).start();
listenForShortcuts(app);
byId("commands").addEventListener("click", () => openPalette(app));
addEventListener("popstate", () => {
  const url = endpointFromAddress();
  if (url === current.value.settings.url) return;
  // With the headers that it was opened with, whatever is saved of it.
  const known = servers.value.find(({ settings }) => settings.url === url);
  if (known === undefined) app.open(settingsFromAddress());
  else current.set(known);
});

/** The server that is open, the others, and the way to more of them. */
import type { App, MakeSection } from "../app.ts";
import { asText, button, type Child, h, linkOrText } from "../dom.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import { connectForm } from "./connect-form.ts";
import { localData } from "./local-data.ts";
import { forget, savedServers } from "./saved-servers.ts";

export const serversSection: MakeSection = (_server, app) => {
  const current = h("div", {});
  const list = h("ul", { class: "servers-list" });
  const form = connectForm(app, () => drawList(app, list, edit));
  const edit = (settings: Server["settings"]): void => form.fill(settings);
  const heading = h("h2", { tabindex: -1 }, "Servers");
  const others = h("section", { class: "card" }, h("h3", {}, "Open and saved"), list);
  const element = h("div", { class: "tool servers" }, heading, current, others, form.element, localData());
  let following = new AbortController();
  app.current.watch((server) => {
    following.abort();
    following = new AbortController();
    const draw = (): void => current.replaceChildren(identityOf(server));
    server.status.watch(draw, following.signal);
    server.warnings.watch(draw, following.signal);
    drawList(app, list, edit);
  });
  app.servers.watch(() => drawList(app, list, edit));
  return {
    element,
    show() {
      current.replaceChildren(identityOf(app.current.value));
      return heading;
    },
  };
};

function identityOf(server: Server): HTMLElement {
  return h("section", { class: "card" }, ...partsOf(server));
}

function partsOf(server: Server): Child[] {
  const { description, settings, status, warnings, auth } = server;
  const actions: Child[] = [button("Reconnect", () => void server.connect(), "")]; // Never rejects: it becomes the status.
  if (auth.principal?.() !== undefined) {
    const out = async (): Promise<void> => {
      await auth.signOut();
      await server.connect();
    };
    actions.push(
      h("span", { class: "chip calm" }, "Signed in"),
      button("Sign out", () => void out(), ""),
    ); // What fails is in the console.
  }
  const address = h("code", { class: "name" }, settings.url);
  if (description === undefined) {
    const words = status.value.phase === "connecting" ? "Connecting…" : "Not connected.";
    return [
      h("h3", {}, server.name),
      address,
      h("p", { class: "hint" }, words),
      h("div", { class: "actions" }, ...actions),
    ];
  }
  const { info, era, version, capabilities, instructions } = description;
  const site = asText(info?.websiteUrl);
  return [
    h("h3", {}, server.name, " ", h("span", { class: "version" }, asText(info?.version))),
    address,
    h("p", { class: "lead" }, asText(info?.description)),
    site === "" ? undefined : linkOrText(site, site),
    h(
      "p",
      { class: "chips" },
      h("span", { class: era === "modern" ? "chip calm" : "chip" }, `${era} era`),
      h("span", { class: "chip" }, `revision ${version}`),
      ...Object.keys(capabilities).map((name) => h("span", { class: "chip" }, name)),
    ),
    asText(instructions) === ""
      ? undefined
      : h(
          "details",
          {},
          h("summary", {}, "Instructions for the model"),
          h("div", { class: "block", tabindex: 0 }, asText(instructions)),
        ),
    h("details", {}, h("summary", {}, "Capabilities"), jsonView(capabilities)),
    ...warnings.value.map((warning) => h("p", { class: "hint" }, warning)),
    h("div", { class: "actions" }, ...actions),
  ];
}

function drawList(app: App, list: HTMLElement, edit: (settings: Server["settings"]) => void): void {
  const open = app.servers.value;
  const saved = savedServers();
  const closed = saved.filter(({ url }) => !open.some(({ settings }) => settings.url === url));
  const row = (settings: Server["settings"], server?: Server): HTMLElement => {
    const { url, label } = settings;
    const isCurrent = server !== undefined && server === app.current.value;
    const name = server?.name ?? label ?? new URL(url).host;
    const act = (text: string, work: () => void): HTMLElement => {
      const made = button(text, work);
      made.setAttribute("aria-label", `${text} ${name}`);
      return made;
    };
    return h(
      "li",
      { "aria-current": isCurrent ? "true" : undefined },
      h("span", { class: "title" }, name),
      h("code", { class: "hint" }, url),
      isCurrent
        ? h("span", { class: "chip calm" }, "current")
        : act(server === undefined ? "Open" : "Switch to", () => void app.open(settings)),
      server !== undefined && open.length > 1 ? act("Leave", () => app.leave(server)) : undefined,
      act("Edit", () => edit(settings)),
      saved.some((one) => one.url === url) ? act("Forget", () => (forget(url), drawList(app, list, edit))) : undefined,
    );
  };
  list.replaceChildren(
    ...open.map((server) => row(server.settings, server)),
    ...closed.map((settings) => row(settings)),
  );
}

/** The server that is open, the others, and the way to more of them. */
import type { MakeSection } from "../app.ts";
import { asText, button, type Child, h, linkOrText } from "../dom.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server, ServerStatus } from "../server.ts";
import { connectForm } from "./connect-form.ts";
import { failureView } from "./failure-view.ts";
import { localData } from "./local-data.ts";
import { forget, type KnownServer, knownServers } from "./saved-servers.ts";

export const serversSection: MakeSection = (_server, app) => {
  const heading = h("h2", { tabindex: -1 }, "Servers");
  const card = h("section", { class: "card" });
  const warnings = h("div", { class: "hint", role: "status" });
  const list = h("ul", { class: "servers-list" });

  /** The focus stays at the button of the same name, or goes to the top when that is gone. */
  const fill = (place: HTMLElement, ...children: readonly Child[]): void => {
    const held = place.contains(document.activeElement) && nameOf(document.activeElement);
    place.replaceChildren(...h("div", {}, ...children).childNodes);
    if (held !== false) ([...place.querySelectorAll("button")].find((one) => nameOf(one) === held) ?? heading).focus();
  };

  const row = ({ settings, name, server, isSaved }: KnownServer): HTMLElement => {
    const { url } = settings;
    const isCurrent = server === app.current.value;
    const act = (text: string, work: () => void): HTMLElement => {
      const made = button(text, work);
      made.ariaLabel = `${text} ${name}`;
      return made;
    };
    return h(
      "li",
      { "aria-current": isCurrent && "true" },
      h("span", { class: "title" }, name),
      h("code", { class: "hint" }, url),
      h(
        "span",
        { class: "actions" },
        isCurrent
          ? h("span", { class: "chip calm" }, "current")
          : act(server ? "Switch to" : "Open", () => void app.open(settings)),
        server && app.servers.value.length > 1 ? act("Leave", () => app.leave(server)) : undefined,
        act("Edit", () => form.fill(settings)),
        isSaved ? act("Forget", () => (forget(url), drawList())) : undefined,
      ),
    );
  };
  const drawList = (): void => fill(list, ...knownServers(app).map(row));

  let drawn: readonly unknown[] = [];
  /** Only what changed is drawn anew, so that what was opened stays open. */
  const draw = (): void => {
    const server = app.current.value;
    const state = [server, server.status.value, server.auth.principal?.()];
    if (state.every((part, index) => part === drawn[index])) return;
    drawn = state;
    fill(card, ...partsOf(server, server.status.value), warnings, actionsOf(server));
    drawList();
  };

  const form = connectForm(app, drawList);
  const others = h("section", { class: "card" }, h("h3", {}, "Open and saved"), list);
  let following = new AbortController();
  app.current.watch((server) => {
    following.abort();
    following = new AbortController();
    server.warnings.watch(
      (texts) => warnings.replaceChildren(...texts.map((text) => h("p", {}, text))),
      following.signal,
    );
    server.status.watch(draw, following.signal);
  });
  app.servers.watch(drawList);
  return {
    element: h("div", { class: "tool servers" }, heading, card, others, form.element, localData()),
    show() {
      draw();
      return heading;
    },
  };
};

async function signOut(server: Server): Promise<void> {
  await server.auth.signOut();
  await server.connect();
}

function actionsOf(server: Server): HTMLElement {
  const isIn = server.auth.principal?.() !== undefined;
  return h(
    "div",
    { class: "actions" },
    server.status.value.phase === "failed" ? undefined : button("Reconnect", () => void server.connect(), ""), // Never rejects.
    isIn ? h("span", { class: "chip calm" }, "Signed in") : undefined,
    isIn ? button("Sign out", () => void signOut(server), "") : undefined, // What fails is in the console.
  );
}

function partsOf(server: Server, status: ServerStatus): Child[] {
  if (status.phase === "failed") return [failureView(server, status.error)];
  const address = h("code", {}, server.settings.url);
  if (status.phase === "connecting")
    return [h("h3", {}, server.name), address, h("p", { class: "hint" }, "Connecting…")];
  const { info, era, version, capabilities, instructions } = status.description;
  const site = asText(info?.websiteUrl);
  const guide = asText(instructions);
  return [
    h("h3", {}, server.name, " ", h("span", { class: "version" }, asText(info?.version))),
    address,
    h("p", { class: "lead" }, asText(info?.description)),
    site === "" ? undefined : linkOrText(site, site),
    h(
      "p",
      { class: "chips" },
      ...[`${era} era`, `revision ${version}`, ...Object.keys(capabilities)].map((text) =>
        h("span", { class: "chip" }, text),
      ),
    ),
    guide === "" ? undefined : folded("Instructions for the model", h("div", { class: "block", tabindex: 0 }, guide)),
    folded("Capabilities", jsonView(capabilities)),
  ];
}

function folded(title: string, inside: HTMLElement): HTMLElement {
  return h("details", {}, h("summary", {}, title), inside);
}

function nameOf(element: Element | null): string {
  return element?.ariaLabel ?? element?.textContent ?? "";
}

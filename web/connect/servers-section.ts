/** The server that is open, the others, and the way to more of them. Who it is stands at the top of the page. */
import type { MakeSection } from "../app.ts";
import { asText, box, button, type Child, h } from "../dom.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import { connectForm } from "./connect-form.ts";
import { failureView } from "./failure-view.ts";
import { clearAll, exportAll } from "./local-data.ts";
import { type KnownServer, knownServers, remember } from "./saved-servers.ts";

export const serversSection: MakeSection = (_server, app) => {
  const heading = h("h2", { tabindex: -1 }, "Servers");
  const about = box("about");
  const list = h("ul", { class: "card servers-list" });
  const reconnect = button("Reconnect", () => void app.current.value.connect(), ""); // Never rejects.
  const signOutButton = button("Sign out", () => void signOut(app.current.value), ""); // What fails is in the console.

  const row = ({ settings, name, server, isSaved }: KnownServer): HTMLElement => {
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
      h("code", { class: "hint" }, settings.url),
      box(
        "actions",
        isCurrent
          ? h("span", { class: "chip calm" }, "current")
          : act(server ? "Switch to" : "Open", () => (app.open(settings), done())),
        server && app.servers.value.length > 1 && act("Leave", () => (app.leave(server), done())),
        act("Edit", () => form.fill(settings)),
        isSaved && act("Forget", () => (remember(settings.url), done())),
      ),
    );
  };
  /** The frame has it drawn whenever another server is the current one, or is in another state. */
  const draw = (): void => {
    const server = app.current.value;
    about.replaceChildren(...h("div", {}, ...partsOf(server)).childNodes);
    reconnect.hidden = server.status.value.phase === "failed";
    signOutButton.hidden = server.auth?.principal?.() === undefined;
    list.replaceChildren(...knownServers(app).map(row));
  };
  /** What had the focus may be gone, so it goes to the top. */
  const done = (): void => {
    draw();
    heading.focus();
  };
  const form = connectForm(app, done);
  return {
    element: box(
      "tool servers",
      heading,
      box("card", about, box("actions", reconnect, signOutButton)),
      list,
      form.element,
      box("actions", button("Export local data", exportAll, ""), button("Clear local data", clearAll, "")),
    ),
    show() {
      draw();
      return heading;
    },
  };
};

async function signOut(server: Server): Promise<void> {
  await server.auth?.signOut();
  await server.connect();
}

function partsOf(server: Server): Child[] {
  const { value: status } = server.status;
  if (status.phase === "failed") return [failureView(server, status.error)];
  if (status.phase === "connecting") return ["Connecting…"];
  const { info, era, version, capabilities, instructions } = status.description;
  const facts = [`${era} era`, `revision ${version}`, ...Object.keys(capabilities)];
  const guide = asText(instructions);
  return [
    h("p", { class: "lead" }, asText(info?.description)),
    h("p", { class: "chips" }, ...facts.map((text) => h("span", { class: "chip" }, text))),
    guide !== "" && folded("Instructions for the model", h("div", { class: "block", tabindex: 0 }, guide)),
    folded("All that it says", jsonView(status.description)),
  ];
}

function folded(title: string, inside: HTMLElement): HTMLElement {
  return h("details", {}, h("summary", {}, title), inside);
}

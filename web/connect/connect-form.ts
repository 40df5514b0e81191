/** The form that leads to another server, or changes how one is called. */
import type { App } from "../app.ts";
import { button, freshId, h } from "../dom.ts";
import type { ServerSettings } from "../server.ts";
import { forget, save, savedSettings } from "./saved-servers.ts";

export interface ConnectForm {
  readonly element: HTMLElement;
  fill(settings: ServerSettings): void;
}

export function connectForm(app: App, onSaved: () => void): ConnectForm {
  const url = h("input", { type: "url", required: true, placeholder: "https://example.com/mcp", autocomplete: "off" });
  const label = h("input", { autocomplete: "off" });
  const issuer = h("input", { type: "url", autocomplete: "off" });
  const clientId = h("input", { autocomplete: "off" });
  const rows = h("div", { class: "rows" });
  const keep = h("input", { type: "checkbox" });
  const problem = h("p", { class: "hint bad-text", role: "alert" });
  const addRow = (name = "", value = ""): void => {
    const row = h("div", { class: "row" });
    const gone = button("×", () => row.remove(), "icon");
    gone.setAttribute("aria-label", "Remove header");
    row.append(headerField("name", name), headerField("value", value), gone);
    rows.append(row);
  };
  const form = h(
    "form",
    { class: "card" },
    h("h3", {}, "Connect to a server"),
    labelled("URL", url),
    labelled("Label", label, "What you call it. Optional."),
    h(
      "fieldset",
      { class: "group" },
      h("legend", {}, h("span", { class: "title" }, "Headers")),
      rows,
      button("Add a header", () => addRow(), "quiet add"),
    ),
    h(
      "details",
      {},
      h("summary", {}, "A client that is registered already"),
      labelled("Issuer", issuer),
      labelled("Client ID", clientId, "For servers that let nobody register by themselves."),
    ),
    h("label", { class: "check" }, keep, "Remember this server in this browser, with its headers"),
    h("p", { class: "hint" }, "Whoever uses this browser can read what is remembered."),
    problem,
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Connect")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const settings: ServerSettings = {
      url: new URL(url.value).href.replace(/#.*$/, ""),
      label: label.value.trim() || undefined,
      headers: headersIn(rows),
      ...(issuer.value !== "" && { oauth: { issuer: issuer.value, clientId: clientId.value.trim() } }),
    };
    problem.textContent = faultOf(settings);
    if (problem.textContent !== "") return;
    if (keep.checked) save(settings);
    else if (savedSettings(settings.url) !== undefined) forget(settings.url);
    app.open(settings);
    onSaved();
    app.say(`Connecting to ${settings.url}`);
  });
  return {
    element: form,
    fill(settings) {
      url.value = settings.url;
      label.value = settings.label ?? "";
      issuer.value = settings.oauth?.issuer ?? "";
      clientId.value = settings.oauth?.clientId ?? "";
      rows.replaceChildren();
      for (const [name, value] of Object.entries(settings.headers ?? {})) addRow(name, value);
      keep.checked = savedSettings(settings.url) !== undefined;
      url.focus();
    },
  };
}

function headersIn(rows: HTMLElement): Record<string, string> {
  const pairs = [...rows.children].map((row): [string, string] => {
    const [name, value] = row.querySelectorAll("input");
    return [name?.value.trim() ?? "", value?.value.trim() ?? ""];
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

function faultOf({ url, headers }: ServerSettings): string {
  const { protocol, hostname, username } = new URL(url);
  if (!/^https?:$/.test(protocol)) return "The URL has to begin with https: or http:.";
  if (username !== "") return "A URL is no place for a name and a password: use a header.";
  if (location.protocol === "https:" && protocol === "http:" && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname))
    return "This page came over https, so the browser lets it call no server over http but those on this machine.";
  try {
    void new Headers(headers);
    return "";
  } catch {
    return "A header has a name or a value that HTTP does not allow.";
  }
}

function labelled(title: string, control: HTMLElement, hint?: string): HTMLElement {
  const id = freshId();
  if (hint !== undefined) control.setAttribute("aria-describedby", id);
  const text = h("label", {}, h("span", { class: "title" }, title), control);
  return h("div", { class: "field" }, text, hint === undefined ? undefined : h("p", { class: "hint", id }, hint));
}

function headerField(what: string, text: string): HTMLInputElement {
  const input = h("input", {
    "aria-label": `Header ${what}`,
    placeholder: what,
    autocomplete: "off",
    spellcheck: "false",
  });
  input.value = text;
  return input;
}

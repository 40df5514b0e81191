/** The form that leads to another server, or changes how one is called. */
import type { App } from "../app.ts";
import { h } from "../dom.ts";
import type { ServerSettings } from "../server.ts";
import { forgetApproved } from "../tools/approval.ts";
import { remember, savedSettings } from "./saved-servers.ts";
import { urlFault } from "./url-fault.ts";

export interface ConnectForm {
  readonly element: HTMLElement;
  fill(settings: ServerSettings): void;
}

/** @param onDone called once it was sent */
export function connectForm(app: App, onDone: () => void): ConnectForm {
  const url = h("input", { type: "url", required: true });
  const headers = h("textarea", { rows: 2, placeholder: "Authorization: Bearer …" });
  const issuer = h("input", { type: "url" });
  const clientId = h("input");
  const keep = h("input", { type: "checkbox" });
  const problem = h("p", { class: "error", role: "alert" });
  const form = h(
    "form",
    { class: "card", autocomplete: "off" },
    h("h3", {}, "Connect to a server"),
    labelled("URL", url),
    labelled("Headers, one on each line", headers),
    h("details", {}, h("summary", {}, "OAuth client"), labelled("Issuer", issuer), labelled("Client ID", clientId)),
    h("label", { class: "check" }, keep, "Remember in this browser, for whoever uses it to read"),
    problem,
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Connect")),
  );
  /** @throws {Error} what is wrong with it */
  const read = (): ServerSettings => {
    const href = new URL(url.value).href.replace(/#.*/, "");
    const fault = urlFault(href);
    if (fault !== "") throw new Error(fault);
    return {
      url: href,
      headers: headersIn(headers.value),
      ...(issuer.value !== "" && { oauth: { issuer: issuer.value, clientId: clientId.value.trim() } }),
    };
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      const settings = read();
      problem.textContent = "";
      forgetApproved(settings.url);
      remember(settings.url, ...(keep.checked ? [settings] : []));
      app.open(settings);
      onDone();
      app.say("Connecting…");
    } catch (error) {
      problem.textContent = (error as Error).message; // Nothing else is thrown by `read`.
    }
  });
  return {
    element: form,
    fill(settings) {
      url.value = settings.url;
      headers.value = Object.entries(settings.headers ?? {})
        .map((header) => header.join(": "))
        .join("\n");
      issuer.value = settings.oauth?.issuer ?? "";
      clientId.value = settings.oauth?.clientId ?? "";
      keep.checked = savedSettings(settings.url) !== undefined;
      url.focus();
    },
  };
}

/** @throws {TypeError} in the browser's words, what is no header */
function headersIn(text: string): Record<string, string> {
  const lines = text.match(/\S.*/g) ?? [];
  return Object.fromEntries(
    new Headers(
      lines.map((line) => {
        const [, name = "", value = ""] = /^(.*?):(.*)/.exec(line) ?? [];
        return [name, value];
      }),
    ),
  );
}

function labelled(title: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "title" }, title), control);
}

/** One template: its variables, with what the server proposes for them, and the way to the resource that they name. */
import type { ResourceTemplate } from "../../src/client.ts";
import type { App } from "../app.ts";
import { asText, h } from "../dom.ts";
import { completingFields } from "../prompts/completing-fields.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { expand, variablesOf } from "./uri-template.ts";

export function templateView(server: Server, template: ResourceTemplate, app: App): DetailView {
  const { uriTemplate, name, title, description } = template;
  const wanted = variablesOf(uriTemplate).map((variable) => ({ name: variable, required: false }));
  const fields = completingFields(server, { type: "ref/resource", uri: uriTemplate }, wanted);
  const uri = h("output", { class: "hint" });
  const draw = (): void => void (uri.textContent = expand(uriTemplate, fields.read()));
  const form = h(
    "form",
    { class: "card" },
    ...fields.elements,
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Open"), uri),
  );
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    app.go("resources", expand(uriTemplate, fields.read()));
  });
  draw();
  const heading = h("h2", { tabindex: -1 }, asText(title) || name);
  const head = h(
    "header",
    {},
    heading,
    h("code", { class: "name" }, uriTemplate),
    h("p", { class: "lead" }, asText(description)),
  );
  return { heading, element: h("article", { class: "tool" }, head, form) };
}

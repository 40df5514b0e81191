/** One template: its variables, with what the server proposes for them, and the way to the resource that they name. */
import type { ResourceTemplate } from "../../src/client.ts";
import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { completingForm } from "../prompts/completing-form.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { detailHead } from "./described.ts";
import { expand, variablesOf } from "./uri-template.ts";

export function templateView(server: Server, template: ResourceTemplate, app: App): DetailView {
  const { uriTemplate: uri } = template;
  const { heading, head } = detailHead(uri, template);
  const form = completingForm(server, {
    ref: { type: "ref/resource", uri },
    wanted: variablesOf(uri).map((name) => ({ name })),
    action: "Open",
    onSubmit: (values) => app.go("resources", expand(uri, values)),
  });
  return { heading, element: h("article", { class: "tool" }, head, form) };
}

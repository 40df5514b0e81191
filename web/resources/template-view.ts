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
  const { uriTemplate } = template;
  const { heading, head } = detailHead(uriTemplate, template);
  const uri = h("output", { class: "hint" });
  const { form, read } = completingForm(server, {
    ref: { type: "ref/resource", uri: uriTemplate },
    wanted: variablesOf(uriTemplate).map((name) => ({ name })),
    action: "Open",
    onSubmit: (values) => app.go("resources", expand(uriTemplate, values)),
  });
  form.append(uri);
  const draw = (): void => void (uri.textContent = expand(uriTemplate, read()));
  form.addEventListener("input", draw);
  draw();
  return { heading, element: h("article", { class: "tool" }, head, form) };
}

/** The resources of a server, and the templates that lead to more of them. */
import type { Resource, ResourceTemplate } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { asText, h, iconUri } from "../dom.ts";
import { sizeText } from "../results/media-view.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane, type PaneEntry } from "../shell/list-pane.ts";
import { titleOf } from "./detail-head.ts";
import { resourceView } from "./resource-view.ts";
import { templateView } from "./template-view.ts";

/** Stands where a URI would, and is none. */
const TEMPLATE = "template";

export const resourcesSection: MakeSection = (server, app) => {
  const { resources, templates } = server;
  const pane = new ListPane<Resource>({
    title: "Resources",
    list: resources,
    none: "This server lists no resources.",
    entryOf: (resource) => entryOf(resource, resource.uri, [resource.uri]),
  });
  const patterns = new ListPane<ResourceTemplate>({
    title: "Templates",
    list: templates,
    none: "This server has no templates.",
    entryOf: (template) => entryOf(template, template.uriTemplate, [TEMPLATE, template.uriTemplate]),
  });
  const uri = h("input", { "aria-label": "Any URI", placeholder: "Any URI", required: true, spellcheck: "false" });
  const form = h("form", { class: "any-uri" }, uri, h("button", {}, "Open"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    app.go("resources", uri.value);
  });
  const section = browse({
    section: "resources",
    back: "All resources",
    hint: "Choose a resource, or a template that leads to one.",
    list: [pane.element, patterns.element, form],
    select: (key) => pane.select(key),
    open: ([first = "", pattern]) => {
      patterns.select(pattern);
      if (pattern === undefined) return resourceView(server, first);
      const template = templates.state.value.items.find(({ uriTemplate }) => uriTemplate === pattern);
      return template && templateView(server, template, app);
    },
  });
  templates.state.watch(() => section.again());
  return section;
};

function entryOf(item: Resource | ResourceTemplate, key: string, path: readonly string[]): PaneEntry {
  const { mimeType, size, description, icons }: Partial<Resource> = item;
  const facts = [key, mimeType, typeof size === "number" ? sizeText(size) : "", description];
  const hint = facts.map(asText).filter(Boolean).join(" · ");
  return { key, href: hrefTo("resources", ...path), title: titleOf(item) || key, hint, icon: iconUri(icons) };
}

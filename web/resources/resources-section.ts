/** The resources of a server, and the templates that lead to more of them. */
import type { Resource, ResourceTemplate } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { h } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
import { entryOf } from "./described.ts";
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
    entryOf: (resource) => entryOf(resource, resource.uri, hrefTo("resources", resource.uri)),
  });
  const patterns = new ListPane<ResourceTemplate>({
    title: "Templates",
    list: templates,
    none: "This server has no templates.",
    entryOf: (template) => entryOf(template, template.uriTemplate, hrefTo("resources", TEMPLATE, template.uriTemplate)),
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

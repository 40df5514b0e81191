/** The resources of a server, and the templates that lead to more of them. */
import type { Resource, ResourceTemplate } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
import { entryOf } from "./described.ts";
import { resourceView } from "./resource-view.ts";
import { templateView } from "./template-view.ts";

export const resourcesSection: MakeSection = (server, app) => {
  const { resources, templates } = server;
  const pane = new ListPane<Resource>({
    title: "Resources",
    list: resources,
    none: "None.",
    entryOf: (resource) => entryOf(resource, resource.uri, hrefTo("resources", resource.uri)),
  });
  const patterns = new ListPane<ResourceTemplate>({
    title: "Templates",
    list: templates,
    none: "None.",
    entryOf: (template) => entryOf(template, template.uriTemplate, hrefTo("resources", template.uriTemplate)),
  });
  const templateAt = ([wanted]: readonly string[]): ResourceTemplate | undefined =>
    templates.state.value.items.find(({ uriTemplate }) => uriTemplate === wanted);
  const section = browse({
    section: "resources",
    back: "All resources",
    hint: "Choose a resource.",
    list: [pane.element, patterns.element],
    select: (key) => {
      pane.select(key);
      patterns.select(key);
    },
    said: templateAt,
    open: (path) => {
      const [uri = ""] = path;
      // No URI has one of these.
      if (!uri.includes("{")) return resourceView(server, uri);
      const template = templateAt(path);
      return template && templateView(server, template, app);
    },
  });
  templates.state.watch(() => section.again());
  return section;
};

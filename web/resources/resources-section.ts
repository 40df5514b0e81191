/** The resources of a server, and the templates that lead to more of them. */
import type { Resource, ResourceTemplate } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { asText, h, iconUri } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
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
    entryOf: (resource) => ({
      key: resource.uri,
      href: hrefTo("resources", resource.uri),
      title: titleOf(resource),
      hint: [resource.uri, resource.mimeType, asText(resource.description)]
        .filter((text) => text !== undefined && text !== "")
        .join(" · "),
      icon: iconUri(resource.icons),
    }),
  });
  const patterns = new ListPane<ResourceTemplate>({
    title: "Templates",
    list: templates,
    none: "This server has no templates.",
    entryOf: (template) => ({
      key: template.uriTemplate,
      href: hrefTo("resources", TEMPLATE, template.uriTemplate),
      title: titleOf(template),
      hint: template.uriTemplate,
      icon: iconUri(template.icons),
    }),
  });
  const uri = h("input", { "aria-label": "URI", placeholder: "Any URI", required: true, spellcheck: "false" });
  const form = h("form", { class: "row any-uri" }, uri, h("button", {}, "Open"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    app.go("resources", uri.value);
  });
  const section = browse({
    section: "resources",
    back: "All resources",
    hint: "Choose a resource from the list.",
    list: [pane.element, patterns.element, form],
    select: (key) => pane.select(key),
    open: ([first = "", pattern]) => {
      if (first === TEMPLATE && pattern !== undefined) {
        patterns.select(pattern);
        const template = templates.state.value.items.find(({ uriTemplate }) => uriTemplate === pattern);
        return template && templateView(server, template, app);
      }
      patterns.select(undefined);
      const known = resources.state.value.items.find((resource) => resource.uri === first);
      return resourceView(server, first, known === undefined ? first : titleOf(known));
    },
  });
  templates.state.watch(() => section.again());
  return section;
};

function titleOf({ title, name }: Resource | ResourceTemplate): string {
  return asText(title) || asText(name);
}

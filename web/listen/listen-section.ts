/** What the server tells of changes, as it comes, and how the listening itself goes. */
import type { ListenEvent } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { button, h } from "../dom.ts";
import { jsonView } from "../results/json-view.ts";
import { hrefTo } from "../route.ts";
import { showLive, whyNot } from "./live-text.ts";

const LISTS = { toolsListChanged: "tools", promptsListChanged: "prompts", resourcesListChanged: "resources" } as const;

export const listenSection: MakeSection = ({ feed }) => {
  const heading = h("h2", { tabindex: -1 }, "Changes");
  const state = h("span", { class: "state", role: "status" });
  const why = h("div", {});
  const granted = h("div", {});
  const list = h("ul", { class: "changes card", role: "log", "aria-label": "Changes" });
  const none = h("p", { class: "empty large" }, "Nothing has changed since this page began to listen.");
  const actions = h(
    "div",
    { class: "actions" },
    button("Listen", () => feed.start(), ""),
    button("Stop", () => feed.stop(), ""),
  );
  feed.state.watch((now) => {
    showLive(state, now);
    why.replaceChildren(...whyNot(now));
    granted.replaceChildren(
      ...(now.phase === "live" ? [h("h3", {}, "The server granted"), jsonView(now.granted)] : []),
    );
  });
  feed.entries.watch((entries) => {
    none.hidden = entries.length > 0;
    list.hidden = entries.length === 0;
    const rows = entries
      .toReversed()
      .map(({ at, event }) =>
        h("li", {}, h("time", { class: "hint" }, new Date(at).toLocaleTimeString()), " ", described(event)),
      );
    list.replaceChildren(...rows);
  });
  const element = h(
    "section",
    { class: "tool" },
    h("div", { class: "line" }, heading, state),
    actions,
    why,
    granted,
    none,
    list,
  );
  return { element, show: () => heading };
};

function described(event: ListenEvent): HTMLElement {
  if (event.type === "resourceUpdated")
    return h("span", {}, "Updated: ", h("a", { href: hrefTo("resources", event.uri) }, event.uri));
  if (event.type === "resumed")
    return h("span", {}, "Joined again: what changed in between is not known, so everything is looked at again");
  const section = LISTS[event.type];
  return h("a", { href: hrefTo(section) }, `The list of ${section} changed`);
}

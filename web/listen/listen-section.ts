/** What the server tells of changes, as it comes, and how the listening itself goes. */
import type { MakeSection } from "../app.ts";
import { button, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import { hrefTo } from "../route.ts";
import { type FeedEntry, LISTS } from "./feed.ts";
import { showLive } from "./live-text.ts";

export const listenSection: MakeSection = ({ feed }) => {
  const heading = h("h2", { tabindex: -1 }, "Changes");
  const state = h("span", { class: "state", role: "status" });
  const about = h("div", {});
  const hint = h("li", { class: "empty" }, "What changes shows here.");
  const list = h("ul", {}, hint);
  feed.state.watch((now) => {
    showLive(state, now);
    about.replaceChildren(
      "granted" in now
        ? `Granted: ${Object.entries(now.granted)
            .flatMap(([name, what]) => (what === true ? name : what))
            .join(", ")}`
        : "error" in now
          ? failureBlock(now.error)
          : now.phase === "idle"
            ? "This server offers no changes."
            : "",
    );
  });
  let last: FeedEntry | undefined;
  feed.entries.watch((entries) => {
    // Those that are there stay, and so does the focus on them.
    const fresh = last === undefined ? entries : entries.slice(entries.indexOf(last) + 1);
    list.prepend(...fresh.map(entryView).toReversed());
    hint.hidden = entries.length > 0;
    while (list.childElementCount > entries.length + 1) hint.previousSibling?.remove();
    last = entries.at(-1);
  });
  const again = button("Listen again", () => feed.start(), "");
  const log = h("div", { class: "card", role: "log", "aria-label": "Changes" }, list);
  const actions = h("div", { class: "actions" }, again, state);
  return { element: h("section", { class: "tool" }, heading, actions, about, log), show: () => heading };
};

function entryView({ at, event }: FeedEntry): HTMLElement {
  const time = `${new Date(at).toLocaleTimeString()} `;
  if (event.type === "resumed") return h("li", {}, time, "Joined again");
  const section = event.type === "resourceUpdated" ? event.uri : LISTS[event.type];
  const href = event.type === "resourceUpdated" ? hrefTo("resources", event.uri) : hrefTo(LISTS[event.type]);
  return h("li", {}, time, h("a", { href }, section), " changed");
}

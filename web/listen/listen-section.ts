/** What the server tells of changes, as it comes, and how the listening itself goes. */
import type { ListenEvent, SubscriptionFilter } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { button, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import { hrefTo } from "../route.ts";
import { type FeedEntry, LISTS } from "./feed.ts";
import { isRefused, showLive } from "./live-text.ts";

export const listenSection: MakeSection = ({ feed }) => {
  const heading = h("h2", { tabindex: -1 }, "Changes");
  const state = h("span", { class: "state", role: "status" });
  const about = h("div", { class: "stack" });
  const list = h("ul", {});
  const log = h("div", { class: "card changes", role: "log", "aria-label": "Changes" }, list);
  const none = h("p", { class: "empty large" }, "Nothing has changed since this page began to listen.");
  const stop = button("Stop", () => feed.stop(), "");
  feed.state.watch((now) => {
    showLive(state, now);
    stop.disabled = now.phase === "idle" || now.phase === "ended";
    if (now.phase === "live") about.replaceChildren(h("p", { class: "hint" }, `Granted: ${grantedText(now.granted)}`));
    else if (isRefused(now)) about.replaceChildren(h("p", { class: "block note" }, "This server offers no changes."));
    else about.replaceChildren("error" in now ? failureBlock(now.error) : "");
  });
  let last: FeedEntry | undefined;
  feed.entries.watch((entries) => {
    // Those that are there stay, and so does the focus on them.
    const fresh = entries.slice(entries.findLastIndex((entry) => entry === last) + 1);
    list.prepend(...fresh.toReversed().map(entryView));
    while (list.childElementCount > entries.length) list.lastElementChild?.remove();
    last = entries.at(-1);
    none.hidden = last !== undefined;
    log.hidden = last === undefined;
  });
  const actions = h(
    "div",
    { class: "actions" },
    button("Listen again", () => feed.start(), ""),
    stop,
    state,
  );
  return { element: h("section", { class: "tool" }, heading, actions, about, none, log), show: () => heading };
};

function grantedText(granted: SubscriptionFilter): string {
  return Object.entries(granted)
    .flatMap(([name, what]) => (what === true ? name : what))
    .join(", ");
}

function entryView({ at, event }: FeedEntry): HTMLElement {
  return h("li", {}, h("time", { class: "hint" }, new Date(at).toLocaleTimeString()), " ", ...described(event));
}

function described(event: ListenEvent): (HTMLElement | string)[] {
  if (event.type === "resourceUpdated")
    return [h("a", { href: hrefTo("resources", event.uri) }, event.uri), " changed"];
  if (event.type === "resumed") return ["Joined again, and looked at everything: what changed meanwhile is not told"];
  const section = LISTS[event.type];
  return [h("a", { href: hrefTo(section) }, `List of ${section}`), " changed"];
}

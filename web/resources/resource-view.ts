/** One resource: what is in it, kept up to date where the server tells of changes, and what the last change was. */
import type { ReadResourceResult, ResourceContents } from "../../src/client.ts";
import { button, h } from "../dom.ts";
import { liveText } from "../listen/live-text.ts";
import { Refresher } from "../refresher.ts";
import { resourceContentsView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { diffView } from "../results/text-diff.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";

const MAX_CONTENTS = 50;

export function resourceView(server: Server, uri: string, title: string): DetailView {
  const { client, feed, description } = server;
  const closing = new AbortController();
  const heading = h("h2", { tabindex: -1 }, title);
  const live = h("span", { class: "state", role: "status" });
  const contents = h("div", { class: "result" });
  const change = h("details", { class: "card", hidden: true, open: true });
  const offered = description?.capabilities.resources?.subscribe === true;
  const follow = h("input", { type: "checkbox", disabled: !offered });
  let last: ReadResourceResult | undefined;
  let unfollow: (() => void) | undefined;

  const refresher = new Refresher(async () => {
    try {
      const read = await client.readResource(uri, { signal: closing.signal });
      const [before, after] = [textOf(last), textOf(read)];
      if (last !== undefined && before !== after) {
        const summary = h("summary", {}, `Changed at ${new Date().toLocaleTimeString()}`);
        change.replaceChildren(summary, diffView(before, after));
        change.hidden = false;
      }
      if (last === undefined || before !== after) contents.replaceChildren(...viewsOf(read));
      last = read;
    } catch (error) {
      if (!closing.signal.aborted) contents.replaceChildren(failureBlock(error));
    }
  });
  const setFollowing = (on: boolean): void => {
    unfollow?.();
    unfollow = on ? feed.subscribe(uri, () => refresher.request()) : undefined;
    follow.checked = on;
    say();
  };
  const say = (): void => {
    const isLive = unfollow !== undefined && feed.state.value.phase === "live";
    live.dataset["tone"] = isLive ? "ok" : "idle";
    live.textContent =
      unfollow === undefined ? (offered ? "Not followed" : "The server offers no updates") : liveText(feed.state.value);
  };
  follow.addEventListener("change", () => setFollowing(follow.checked));
  feed.state.watch(say, closing.signal);
  setFollowing(offered);
  refresher.request();

  const element = h(
    "article",
    { class: "tool" },
    h("header", {}, heading, h("code", { class: "name" }, uri)),
    h(
      "div",
      { class: "actions" },
      button("Read again", () => refresher.request(), ""),
      h("label", { class: "check" }, follow, "Follow changes"),
      live,
    ),
    contents,
    change,
  );
  return {
    heading,
    element,
    close: () => {
      unfollow?.();
      closing.abort();
    },
  };
}

function viewsOf({ contents }: ReadResourceResult): HTMLElement[] {
  const listed: readonly ResourceContents[] = contents;
  return listed.length === 0
    ? [h("p", { class: "empty" }, "There is nothing in it.")]
    : listed.slice(0, MAX_CONTENTS).map((part) => h("div", { class: "card" }, resourceContentsView(part)));
}

/** What can be compared: the texts, and that the rest differs. */
function textOf(read: ReadResourceResult | undefined): string {
  const parts: readonly ResourceContents[] = read?.contents ?? [];
  return parts.map((part) => ("text" in part ? pretty(part.text) : JSON.stringify(part))).join("\n");
}

/** JSON in lines, so that lines can be compared. */
function pretty(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)), null, 2);
  } catch {
    return String(text);
  }
}

/** One resource: what is in it, kept up to date where the server tells of changes, and what the last change was. */
import { type InputMode, isPendingInput } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { button, h, jsonText } from "../dom.ts";
import { showLive } from "../listen/live-text.ts";
import { Refresher } from "../refresher.ts";
import { resourceContentsView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { diffView } from "../results/text-diff.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { detailHead } from "./described.ts";

const MAX_CONTENTS = 50;
const NOW = (): string => new Date().toLocaleTimeString();

export function resourceView({ client, feed, description, resources }: Server, uri: string): DetailView {
  const closing = new AbortController();
  const { signal } = closing;
  const { heading, head, describe } = detailHead(uri, {});
  const live = h("span", { class: "state", role: "status" });
  const trouble = h("div", { class: "stack", role: "status" });
  const change = h("div", {});
  const contents = h("div", { class: "result", role: "region", "aria-label": "Contents" }, empty("Reading…"));
  const offered = description?.capabilities.resources?.subscribe === true;
  const follow = h("input", { type: "checkbox", disabled: !offered });
  let last: readonly unknown[] | undefined;
  let unfollow: (() => void) | undefined;

  /** Whether a person pressed for it. Nobody is asked anything for what the page does by itself. */
  let isWanted = false;

  const refresher = new Refresher(async () => {
    const input = isWanted ? "handlers" : "manual";
    isWanted = false;
    try {
      const read = await client.readResource<InputMode>(uri, { signal, input });
      if (isPendingInput(read))
        throw new Error("The server asks something before it shows this. Read it again to be asked.");
      draw([read.contents].flat());
      trouble.replaceChildren();
    } catch (error) {
      if (signal.aborted) return;
      if (last === undefined) contents.replaceChildren();
      const since = last && h("p", { class: "hint" }, `Could not be read again at ${NOW()}. Before that it was:`);
      trouble.replaceChildren(failureBlock(error), since ?? "");
    }
  });
  const draw = (parts: readonly unknown[]): void => {
    if (jsonText(parts) === jsonText(last)) return;
    const [before, after] = [textOf(last), textOf(parts)];
    if (last !== undefined) {
      const difference = before === after ? undefined : diffView(before, after);
      const summary = h("summary", {}, `Changed at ${NOW()}`);
      change.replaceChildren(h("details", { class: "card fresh", open: true }, summary, difference));
    }
    last = parts;
    const views: HTMLElement[] = parts
      .slice(0, MAX_CONTENTS)
      .map((part) => h("div", { class: "card" }, partView(part)));
    if (parts.length > MAX_CONTENTS) views.push(empty(`${parts.length - MAX_CONTENTS} more are on the wire.`));
    replaceCalmly(contents, views.length === 0 ? [empty("There is nothing in it.")] : views);
  };
  const setFollowing = (on: boolean): void => {
    unfollow?.();
    unfollow = on ? feed.subscribe(uri, () => refresher.request()) : undefined;
    follow.checked = on;
    say();
  };
  const say = (): void => {
    const state = feed.state.value;
    const isLess = state.phase === "live" && state.granted.resourceSubscriptions?.includes(uri) !== true;
    const followed = unfollow === undefined ? "Not followed" : isLess ? "Live, but not this resource" : undefined;
    showLive(live, state, offered ? followed : "The server offers no updates");
  };
  follow.addEventListener("change", () => setFollowing(follow.checked));
  setFollowing(offered);
  feed.state.watch(say, signal);
  resources.state.watch(({ items }) => describe(items.find((item) => item.uri === uri) ?? {}), signal);
  refresher.request();

  const again = button(
    "Read again",
    () => {
      isWanted = true;
      refresher.request();
    },
    "",
  );
  const actions = h("div", { class: "actions" }, again, h("label", { class: "check" }, follow, "Follow changes"), live);
  return {
    heading,
    element: h("article", { class: "tool" }, head, actions, trouble, change, h("h3", {}, "Contents"), contents),
    close: () => {
      unfollow?.();
      closing.abort();
    },
  };
}

function empty(text: string): HTMLElement {
  return h("p", { class: "empty" }, text);
}

function partView(part: unknown): HTMLElement {
  // Looked at again there, whatever it is.
  return resourceContentsView(part as Parameters<typeof resourceContentsView>[0]);
}

/** The focus, and what was scrolled inside, stay where they were as far as the new elements are like the old. */
function replaceCalmly(box: HTMLElement, children: readonly HTMLElement[]): void {
  const stops = (): HTMLElement[] => [...box.querySelectorAll<HTMLElement>("a, button, summary, [tabindex]")];
  const before = stops().map((stop) => [stop === document.activeElement, stop.scrollTop] as const);
  box.replaceChildren(...children);
  for (const [index, stop] of stops().entries()) {
    const [hadFocus, top] = before[index] ?? [false, 0];
    if (hadFocus) stop.focus({ preventScroll: true });
    stop.scrollTop = top;
  }
}

/** What can be compared line by line. */
function textOf(parts: readonly unknown[] = []): string {
  return parts
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? pretty(part["text"]) : ""))
    .join("\n");
}

/** JSON in lines. */
function pretty(text: string): string {
  try {
    return jsonText(JSON.parse(text), 2);
  } catch {
    return text;
  }
}

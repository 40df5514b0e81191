/** One resource: what is in it, kept up to date where the server tells of changes, and what the last change was. */
import { type InputMode, isPendingInput } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { parsed } from "../../src/protocol/json-text.ts";
import { asText, button, h, jsonText } from "../dom.ts";
import { showLive } from "../listen/live-text.ts";
import { resourceContentsView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { diffView } from "../results/text-diff.ts";
import { ServerList } from "../server-list.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { detailHead } from "./described.ts";

const MAX_CONTENTS = 50;

export function resourceView({ client, feed, description, resources }: Server, uri: string): DetailView {
  const closing = new AbortController();
  const { signal } = closing;
  const { heading, head, describe } = detailHead(uri, {});
  const live = h("span", { class: "state", role: "status" });
  const trouble = h("div", { role: "status" }, "Reading…");
  const change = h("div", {});
  const contents = h("div", { class: "result", role: "region", "aria-label": "Contents" });
  /** The server may ask the person something for what they asked for, not for what the page reads by itself. */
  let input: InputMode = "manual";
  const reading = new ServerList(async (): Promise<unknown[]> => {
    const asked = client.readResource<InputMode>(uri, { signal, input });
    input = "manual";
    const read = await asked;
    if (isPendingInput(read)) throw new Error("Read again to be asked.");
    return [read.contents].flat();
  });
  let last: string | undefined;
  const draw = (parts: readonly unknown[]): void => {
    const text = parts.map(linesOf).join("\n");
    if (text === last) return;
    if (last !== undefined) {
      const summary = h("summary", {}, `Changed at ${new Date().toLocaleTimeString()}`);
      change.replaceChildren(h("details", { class: "card", open: true }, summary, diffView(last, text)));
    }
    last = text;
    const views: HTMLElement[] = parts
      .slice(0, MAX_CONTENTS)
      .map((part) => h("div", { class: "card" }, partView(part)));
    const more = parts.length - views.length;
    if (more > 0 || parts.length === 0) views.push(h("p", { class: "empty" }, more > 0 ? `${more} more` : "Empty."));
    // The focus stays where it was as far as the new elements are like the old.
    const stops = (): HTMLElement[] => [...contents.querySelectorAll<HTMLElement>("a, button, summary, [tabindex]")];
    const at = stops().findIndex((stop) => stop === document.activeElement);
    contents.replaceChildren(...views);
    stops()[at]?.focus({ preventScroll: true });
  };
  reading.state.watch(({ phase, items, error }) => {
    if (phase === "ready") draw(items);
    // What was there before a failure stays.
    if (phase === "ready" || phase === "failed") trouble.replaceChildren(phase === "failed" ? failureBlock(error) : "");
  }, signal);
  const unfollow = feed.subscribe(uri, () => reading.refresh());
  feed.state.watch((state) => {
    const isLess = state.phase === "live" && state.granted.resourceSubscriptions?.includes(uri) !== true;
    showLive(live, state, !description?.capabilities.resources?.subscribe ? "No updates" : isLess && "Not granted");
  }, signal);
  resources.state.watch(({ items }) => describe(items.find((item) => item.uri === uri) ?? {}), signal);
  const read = (): void => {
    input = "handlers";
    reading.refresh();
  };
  read();
  const actions = h("div", { class: "actions" }, button("Read again", read, ""), live);
  return {
    heading,
    element: h("article", { class: "tool" }, head, actions, trouble, change, contents),
    close: () => {
      unfollow();
      closing.abort();
    },
  };
}

function partView(part: unknown): HTMLElement {
  // Looked at again there, whatever it is.
  return resourceContentsView(part as Parameters<typeof resourceContentsView>[0]);
}

/** What can be compared line by line: the text, and JSON in lines. */
function linesOf(part: unknown): string {
  const text = asText(isObject(part) ? (part["text"] ?? part) : part);
  return jsonText(parsed(text), 2) || text;
}

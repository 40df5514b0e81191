/** How listening goes, in words and a colour. */
import type { FeedState } from "./feed.ts";

const WORDS = {
  idle: ["", "Not listening"],
  connecting: ["running", "Joining"],
  live: ["ok", "Live"],
  waiting: ["warn", "Joins again in "],
  ended: ["bad", "Ended"],
} as const;

/** Into an element with the class `state`; `text` takes the place of what is said of the connection. */
export function showLive(element: HTMLElement, state: FeedState, text?: string | false): void {
  const [tone, words] = WORDS[state.phase];
  element.dataset["tone"] = text ? "" : tone;
  element.textContent = text || (state.phase === "waiting" ? `${words}${Math.ceil(state.ms / 1_000)} s` : words);
}

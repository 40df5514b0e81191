/** How listening goes, in words and a colour. */
import { ProtocolError } from "../../src/client.ts";
import type { FeedState } from "./feed.ts";

const WORDS = {
  idle: ["idle", "Not listening"],
  connecting: ["running", "Joining"],
  live: ["ok", "Live"],
  waiting: ["warn", "Joins again in "],
  ended: ["bad", "Ended"],
} as const;

/** Whether the server has let know, by a refusal or by granting nothing, that it tells of no changes. */
export function isRefused(state: FeedState): boolean {
  if (state.phase !== "ended") return false;
  return state.error === undefined || (state.error instanceof ProtocolError && state.error.code === -32601);
}

/** Into an element with the class `state`; `text` takes the place of what is said of the connection. */
export function showLive(element: HTMLElement, state: FeedState, text?: string): void {
  const [tone, words] = WORDS[isRefused(state) ? "idle" : state.phase];
  element.dataset["tone"] = text === undefined ? tone : "idle";
  element.textContent = text ?? (state.phase === "waiting" ? `${words}${Math.ceil(state.ms / 1_000)} s` : words);
}

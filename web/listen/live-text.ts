/** How listening goes, in words. */
import { failureBlock } from "../results/failure.ts";
import type { FeedState } from "./feed.ts";

export function liveText(state: FeedState): string {
  switch (state.phase) {
    case "idle":
      return "Not listening";
    case "connecting":
      return "Joining";
    case "live":
      return "Live";
    case "waiting":
      return `Joins again in ${Math.ceil(state.ms / 1_000)} s`;
    case "ended":
      return "Ended";
    default:
      return state satisfies never;
  }
}

const TONES = { idle: "idle", connecting: "running", live: "ok", waiting: "warn", ended: "bad" } as const;

/** Into an element with the class `state`. */
export function showLive(element: HTMLElement, state: FeedState): void {
  element.textContent = liveText(state);
  element.dataset["tone"] = TONES[state.phase];
}

/** Why it is not live. */
export function whyNot(state: FeedState): HTMLElement[] {
  const error = state.phase === "waiting" || state.phase === "ended" ? state.error : undefined;
  return error === undefined ? [] : [failureBlock(error)];
}

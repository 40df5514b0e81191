/**
 * One call as it goes: state, time, progress, and what came of it.
 */
import { type CheckedToolResult, McpError, type Progress } from "../../src/client.ts";
import { h } from "../dom.ts";
import { resultView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";

const TICK_MS = 100;
/** Of a message about progress. */
const MAX_STEP = 500;

export interface RunView {
  readonly element: HTMLElement;
  /** @returns how it ended, in a word or two, and after how long */
  follow(call: () => Promise<CheckedToolResult>): Promise<string>;
  readonly progress: (progress: Progress) => void;
}

export function runView(): RunView {
  // Changes of state are announced; the clock beside it, which never stands still, is not.
  const state = h("span", { class: "state", role: "status" }, "Not called yet");
  const clock = h("span", { class: "hint", "aria-hidden": "true" });
  const bar = h("progress", { "aria-label": "Progress", hidden: true });
  const step = h("p", { class: "hint" });
  const result = h("div");
  const line = h("div", { class: "line" }, h("h3", {}, "Result"), state, clock);
  const element = h("section", { class: "card run", "aria-label": "Result" }, line, bar, step, result);
  const say = (tone: string, verdict: string, shown?: HTMLElement): void => {
    state.dataset["tone"] = tone;
    state.textContent = verdict;
    result.replaceChildren(shown ?? "");
  };
  return {
    element,
    async follow(call) {
      const startedAt = performance.now();
      const tick = (): void => {
        clock.textContent = `${((performance.now() - startedAt) / 1_000).toFixed(2)} s`;
      };
      const timer = setInterval(tick, TICK_MS);
      say("running", "Running");
      bar.removeAttribute("value");
      bar.hidden = false;
      try {
        const got = await call();
        if (got.isError === true) say("bad", "Tool error", resultView(got));
        else say("ok", "Done", resultView(got));
      } catch (error) {
        const block = failureBlock(error);
        if (error instanceof McpError && error.code === "aborted") say("warn", "Cancelled", block);
        else say("bad", "Failed", block);
      }
      clearInterval(timer);
      tick();
      bar.hidden = true;
      step.textContent = "";
      return `${state.textContent}, ${clock.textContent}`;
    },
    progress({ progress, total = 0, message = "" }) {
      if (total > 0) {
        bar.max = total;
        bar.value = progress;
      }
      const text = `${progress}${total > 0 ? ` of ${total}` : ""}${message && `: ${message}`}`;
      step.textContent = text.slice(0, MAX_STEP);
    },
  };
}

/**
 * One call as it goes: state, time, progress, what the server logs meanwhile, and what came of it.
 */
import { type CheckedToolResult, type LogMessage, McpError, type Progress, ProtocolError } from "../../src/client.ts";
import { asText, h } from "../dom.ts";
import { resultView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";

const TICK_MS = 100;
/** Of a message about progress. */
const MAX_STEP = 500;
const MAX_LOG_LINES = 200;
const MAX_LOG_LINE = 10_000;

export interface RunView {
  readonly element: HTMLElement;
  /** @returns how it ended, in a word or two, and after how long */
  follow(call: () => Promise<CheckedToolResult>): Promise<string>;
  readonly progress: (progress: Progress) => void;
  readonly log: (message: LogMessage) => void;
}

export function runView(): RunView {
  // Changes of state are announced; the clock beside it, which never stands still, is not.
  const state = h("span", { class: "state", role: "status" }, "Not called yet");
  const clock = h("span", { class: "clock", "aria-hidden": "true" });
  const bar = h("progress", { "aria-label": "Progress", hidden: true });
  const step = h("p", { class: "step" });
  const lines = h("div", { class: "block log-lines", role: "log", "aria-label": "Log", tabindex: 0, hidden: true });
  const result = h("div");
  const line = h("div", { class: "line" }, h("h3", {}, "Result"), state, clock);
  const element = h("section", { class: "card run", "aria-label": "Result" }, line, bar, step, lines, result);
  const say = (tone: string, verdict: string): string => {
    element.dataset["tone"] = tone;
    return (state.textContent = verdict);
  };
  element.dataset["tone"] = "idle";
  return {
    element,
    async follow(call) {
      const startedAt = performance.now();
      const tick = (): void => {
        const elapsed = performance.now() - startedAt;
        clock.textContent = elapsed < 1_000 ? `${Math.round(elapsed)} ms` : `${(elapsed / 1_000).toFixed(1)} s`;
      };
      const timer = setInterval(tick, TICK_MS);
      let verdict;
      say("running", "Running");
      bar.removeAttribute("value");
      bar.hidden = false;
      lines.hidden = true;
      lines.replaceChildren();
      result.replaceChildren();
      try {
        const got = await call();
        result.replaceChildren(resultView(got));
        verdict = got.isError === true ? say("bad", "Tool error") : say("ok", "Done");
      } catch (error) {
        result.replaceChildren(failureBlock(error));
        if (error instanceof McpError && error.code === "aborted") verdict = say("warn", "Cancelled");
        else verdict = say("bad", error instanceof ProtocolError ? `Error ${error.code}` : "No result");
      }
      clearInterval(timer);
      tick();
      bar.hidden = true;
      step.textContent = "";
      return `${verdict}, ${clock.textContent}`;
    },
    progress({ progress, total = 0, message = "" }) {
      if (total > 0) {
        bar.max = total;
        bar.value = progress;
      }
      const text = `${progress}${total > 0 ? ` of ${total}` : ""}${message && `: ${message}`}`;
      step.textContent = text.slice(0, MAX_STEP);
    },
    log({ level, logger, data }) {
      lines.hidden = false;
      const text = [level, logger, asText(data)].filter(Boolean).join(" ");
      lines.append(h("div", {}, text.slice(0, MAX_LOG_LINE)));
      if (lines.childElementCount > MAX_LOG_LINES) lines.firstChild?.remove();
      lines.scrollTop = lines.scrollHeight;
    },
  };
}

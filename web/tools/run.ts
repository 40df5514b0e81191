/**
 * One call as it goes: state, time, progress, what the server logs meanwhile, and what came of it.
 */
import { type CheckedToolResult, type LogMessage, McpError, type Progress, ProtocolError } from "../../src/client.ts";
import { asText, h } from "../dom.ts";
import { resultView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";

const TICK_MS = 100;
const MAX_LOG_LINES = 200;

export class Run {
  readonly element: HTMLElement;
  /** Changes of state are announced; the clock beside it, which never stands still, is not. */
  readonly #state = h("span", { class: "state", role: "status" }, "Not called yet");
  readonly #clock = h("span", { class: "clock", "aria-hidden": "true" });
  readonly #bar = h("progress", { "aria-label": "Progress", hidden: true });
  readonly #step = h("p", { class: "step" });
  readonly #log = h("div", { class: "block log-lines", role: "log", "aria-label": "Log", tabindex: 0, hidden: true });
  readonly #result = h("div", {});
  #startedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    const line = h("div", { class: "line" }, h("h3", {}, "Result"), this.#state, this.#clock);
    this.element = h(
      "section",
      { class: "card run", "aria-label": "Result" },
      line,
      this.#bar,
      this.#step,
      this.#log,
      this.#result,
    );
    this.element.dataset["tone"] = "idle";
  }

  /** @returns the verdict in a word or two */
  async follow(call: () => Promise<CheckedToolResult>): Promise<string> {
    this.#start();
    try {
      const result = await call();
      this.#result.replaceChildren(resultView(result));
      return result.isError === true ? this.#end("bad", "Tool error") : this.#end("ok", "Done");
    } catch (error) {
      this.#result.replaceChildren(failureBlock(error));
      if (error instanceof McpError && error.code === "aborted") return this.#end("warn", "Cancelled");
      return this.#end("bad", error instanceof ProtocolError ? `Error ${error.code}` : "No result");
    }
  }

  progress({ progress, total, message }: Progress): void {
    const known = typeof total === "number" && total > 0;
    if (known) {
      this.#bar.max = total;
      this.#bar.value = Math.min(progress, total);
    }
    this.#step.textContent = [known ? `${progress} of ${total}` : progress, message]
      .filter((part) => part !== undefined)
      .join(": ");
  }

  log({ level, logger, data }: LogMessage): void {
    this.#log.hidden = false;
    this.#log.append(h("div", {}, `${level} ${logger ?? ""} ${asText(data)}`.slice(0, 10_000)));
    if (this.#log.childElementCount > MAX_LOG_LINES) this.#log.firstChild?.remove();
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.element.dataset["tone"] = "running";
    this.#state.textContent = "Running";
    this.#bar.removeAttribute("value");
    this.#bar.hidden = false;
    this.#log.hidden = true;
    this.#log.replaceChildren();
    this.#result.replaceChildren();
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #end(tone: string, verdict: string): string {
    clearInterval(this.#timer);
    this.#tick();
    this.element.dataset["tone"] = tone;
    this.#state.textContent = verdict;
    this.#bar.hidden = true;
    this.#step.textContent = "";
    return verdict;
  }

  #tick(): void {
    const elapsed = performance.now() - this.#startedAt;
    this.#clock.textContent = elapsed < 1_000 ? `${Math.round(elapsed)} ms` : `${(elapsed / 1_000).toFixed(1)} s`;
  }
}

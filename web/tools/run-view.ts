/**
 * How a call is going: state, time, and progress, said aloud where it matters.
 */
import type { JsonObject } from "../src/protocol/types.ts";
import { h } from "./dom.ts";
import type { Verdict } from "./result-view.ts";

const TICK_MS = 100;

export class RunView {
  readonly element: HTMLElement;
  /** Changes of state are announced; the clock beside it, which never stands still, is not. */
  readonly #state = h("span", { class: "state", role: "status" }, "Not called yet");
  readonly #clock = h("span", { class: "clock", "aria-hidden": "true" });
  readonly #bar = h("progress", { "aria-label": "Progress", hidden: true });
  readonly #step = h("span", { class: "step" });
  #startedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    const line = h("div", { class: "line" }, h("h3", {}, "Result"), this.#state, this.#clock);
    this.element = h("div", { class: "run", "data-tone": "idle" }, line, this.#bar, this.#step);
  }

  start(): void {
    this.#startedAt = performance.now();
    this.element.dataset["tone"] = "running";
    this.#state.textContent = "Running";
    this.#step.textContent = "";
    this.#bar.removeAttribute("value");
    this.#bar.hidden = false;
    this.#tick();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  say(state: string): void {
    this.#state.textContent = state;
  }

  progress({ progress, total, message }: JsonObject): void {
    if (typeof progress !== "number") return;
    const known = typeof total === "number" && total > 0;
    if (known) {
      this.#bar.max = total;
      this.#bar.value = Math.min(progress, total);
    }
    const count = known ? `${progress} of ${total}` : String(progress);
    this.#step.textContent = typeof message === "string" ? `${count}: ${message}` : count;
  }

  end({ tone, label }: Verdict): void {
    clearInterval(this.#timer);
    this.#tick();
    this.element.dataset["tone"] = tone;
    this.#state.textContent = label;
    this.#bar.hidden = true;
    this.#step.textContent = "";
  }

  #tick(): void {
    const elapsed = performance.now() - this.#startedAt;
    this.#clock.textContent = elapsed < 1_000 ? `${Math.round(elapsed)} ms` : `${(elapsed / 1_000).toFixed(1)} s`;
  }
}

/**
 * Whether what is shown is kept up to date, said aloud when that changes.
 */
import { h } from "./dom.ts";
import type { LiveState } from "./live-feed.ts";

const TICK_MS = 1_000;
/** A stream that is replaced by another is back before anybody needs to hear of it. */
const PATIENCE_MS = 600;

export class LiveStatus {
  readonly element: HTMLElement;
  readonly #state = h("span", { "aria-live": "polite" });
  /** Counts down, which is not worth announcing each second. */
  readonly #clock = h("span", { "aria-hidden": "true" });
  #kind: LiveState["kind"] = "idle";
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    this.element = h("p", { class: "live" }, h("span", { class: "state" }, this.#state), " ", this.#clock);
  }

  /** For the one of two that would say the same. */
  set silent(silent: boolean) {
    this.#state.setAttribute("aria-live", silent ? "off" : "polite");
  }

  /** @param unwatched what is left out although it was asked for, as the server granted less */
  show(state: LiveState, unwatched = ""): void {
    const before = this.#kind;
    this.#kind = state.kind;
    clearInterval(this.#timer);
    this.#clock.textContent = "";
    this.element.hidden = state.kind === "idle";
    switch (state.kind) {
      case "idle":
        break;
      case "connecting":
        // Between two waits it goes on reconnecting.
        if (before === "waiting") break;
        if (before !== "live") this.#say("running", "Connecting");
        else this.#timer = setTimeout(() => this.#say("running", "Connecting"), PATIENCE_MS);
        break;
      case "live":
        this.#say(unwatched === "" ? "ok" : "warn", unwatched === "" ? "Live" : `Live, but not ${unwatched}`);
        break;
      case "waiting":
        this.#say("warn", "Reconnecting");
        this.#countDown(performance.now() + state.ms);
        break;
      case "off":
        this.#say("idle", `Not live: ${state.reason}`);
        break;
    }
  }

  #say(tone: string, text: string): void {
    this.element.dataset["tone"] = tone;
    if (this.#state.textContent !== text) this.#state.textContent = text;
  }

  #countDown(until: number): void {
    const tick = (): void => {
      const left = Math.max(1, Math.round((until - performance.now()) / 1_000));
      this.#clock.textContent = left < 120 ? `in ${left} s` : `in ${Math.round(left / 60)} min`;
    };
    tick();
    this.#timer = setInterval(tick, TICK_MS);
  }
}

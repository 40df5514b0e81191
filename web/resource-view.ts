/**
 * One resource: what it holds, read again whenever it may have changed, and which lines of it are new.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import { asText, type Child, h } from "./dom.ts";
import type { Outcome } from "./exchange.ts";
import { flash } from "./flash.ts";
import { Refresher } from "./refresher.ts";
import { outcomeView, resourceView } from "./result-view.ts";
import type { WireClient } from "./wire.ts";

/** Lines beyond which marking the new ones is not worth the elements. */
const MAX_MARKED_LINES = 5_000;

export class ResourceView {
  readonly element: HTMLElement;
  readonly heading = h("h2", { tabindex: -1 });
  readonly uri: string;
  readonly #client: WireClient;
  readonly #closed = new AbortController();
  readonly #contents = h("div", { class: "result" }, h("p", { class: "empty" }, "Reading…"));
  readonly #freshness = h("span", { class: "hint", "aria-live": "polite" });
  readonly #refresher = new Refresher(() => this.#read());
  /** When it was seen to change last. */
  #changed = "";
  /** The last answer as text. */
  #shown: string | undefined;
  /** The lines of the last answer that had some. */
  #lines: ReadonlySet<string> | undefined;

  /** @param status an element for below the title */
  constructor(client: WireClient, uri: string, status: HTMLElement) {
    this.#client = client;
    this.uri = uri;
    this.retitle(uri);
    const line = h("div", { class: "line" }, h("h3", {}, "Contents"), this.#freshness);
    this.element = h(
      "article",
      { class: "tool" },
      h("header", { class: "tool-head" }, h("div", {}, this.heading, h("code", { class: "name" }, uri)), status),
      h("section", { class: "card", "aria-label": "Contents" }, line, this.#contents),
    );
    this.refresh();
  }

  refresh(): void {
    this.#refresher.request();
  }

  retitle(title: string): void {
    if (this.heading.textContent !== title) this.heading.textContent = title;
  }

  close(): void {
    this.#closed.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#closed;
    const outcome = await this.#client.request("resources/read", { uri: this.uri }, { signal });
    if (signal.aborted) return;
    const time = new Date().toLocaleTimeString();
    if (outcome.kind !== "result" && outcome.kind !== "error") {
      // The server said nothing of the resource, and what is shown is better than nothing.
      if (this.#shown === undefined) this.#contents.replaceChildren(...outcomeView(outcome));
      else this.#freshness.textContent = `Could not be read again at ${time}`;
      return;
    }
    // Not the rest of a result, such as how long it may be cached.
    const answer = JSON.stringify(outcome.kind === "result" ? (outcome.result["contents"] ?? []) : outcome);
    const before = this.#shown;
    this.#shown = answer;
    if (before !== undefined && answer !== before) {
      this.#changed = `Changed at ${time}`;
      flash(this.#contents);
    }
    if (this.#freshness.textContent !== this.#changed) this.#freshness.textContent = this.#changed;
    if (answer === before) return;
    this.#contents.replaceChildren(...this.#view(outcome));
  }

  #view(outcome: Outcome): HTMLElement[] {
    if (outcome.kind !== "result") return outcomeView(outcome);
    const { contents } = outcome.result;
    const entries = (Array.isArray(contents) ? (contents as unknown[]) : []).filter(isObject);
    const before = this.#lines;
    const lines = entries.flatMap(({ text }) => linesOf(asText(text)));
    this.#lines = new Set(lines.map((line) => line.trimEnd()));
    const known = lines.length > MAX_MARKED_LINES ? undefined : before;
    if (entries.length === 0) return [h("p", { class: "empty" }, "It is empty.")];
    return entries.map(({ uri, ...rest }) =>
      // The title has the address already, unless it is that of a part.
      resourceView(uri === this.uri ? rest : { uri, ...rest }, known && ((text) => marked(text, known))),
    );
  }
}

/** The text, with the lines that were not there before marked. */
function marked(text: string, known: ReadonlySet<string>): Child[] {
  return linesOf(text).map((line) => (known.has(line.trimEnd()) ? line : h("mark", {}, line)));
}

/** With their ends, so that joined they are the text. They are compared without, since the last has none until another follows. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * The pane of one tool: what it is, a form for its arguments, the call while it runs, and what came of it.
 */
import type { JsonObject } from "../src/protocol/types.ts";
import { h } from "./dom.ts";
import type { WireExchange } from "./exchange.ts";
import { askAll } from "./question-dialog.ts";
import { type HrefOf, outcomeView, verdictOf } from "./result-view.ts";
import { RunView } from "./run-view.ts";
import { schemaForm } from "./schema-form.ts";
import { callTool, type Tool } from "./tool.ts";
import type { WireClient } from "./wire.ts";
import { wireView } from "./wire-view.ts";

/** What the page around the view contributes. */
export interface Surroundings {
  /** Who asks, when the tool does. */
  readonly asker: string;
  readonly hrefOf: HrefOf;
}

export class ToolView {
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  readonly #client: WireClient;
  readonly #tool: Tool;
  readonly #surroundings: Surroundings;
  readonly #run = new RunView();
  readonly #result = h("div", { class: "result" }, h("p", { class: "empty" }, "The result shows up here."));
  readonly #wire = h("div", { class: "wire-body" }, ...wireView([]));
  #running: AbortController | undefined;
  #calls = 0;

  constructor(client: WireClient, tool: Tool, surroundings: Surroundings) {
    this.#client = client;
    this.#tool = tool;
    this.#surroundings = surroundings;
    this.heading = h("h2", { tabindex: -1 }, tool.title);
    this.element = h(
      "article",
      { class: "tool" },
      this.#head(),
      tool.unusable === undefined ? this.#form() : h("p", { class: "block failure" }, tool.unusable),
      h("section", { class: "card", "aria-label": "Result" }, this.#run.element, this.#result),
      h("details", { class: "card wire" }, h("summary", {}, "Wire"), this.#wire),
    );
  }

  /** Ends what is running; its reply is dropped. */
  close(): void {
    this.#running?.abort();
  }

  #head(): HTMLElement {
    const { name, description, icon, chips } = this.#tool;
    return h(
      "header",
      { class: "tool-head" },
      icon === undefined ? undefined : h("img", { src: icon, alt: "", width: 32, height: 32 }),
      h("div", {}, this.heading, h("code", { class: "name" }, name)),
      h("p", { class: "lead" }, description || "The server says nothing more about this tool."),
      chips.length === 0
        ? undefined
        : h(
            "p",
            { class: "chips" },
            ...chips.map(({ label, tone, meaning }) => h("span", { class: `chip ${tone}`, title: meaning }, label)),
          ),
    );
  }

  #form(): HTMLElement {
    const fields = schemaForm(this.#tool.inputSchema);
    const call = h("button", { class: "primary" }, "Call");
    const cancel = h("button", { type: "button", disabled: true }, "Cancel");
    const none = fields.elements.length === 0 ? h("p", { class: "empty" }, "This tool takes no arguments.") : undefined;
    const actions = h("div", { class: "actions" }, call, cancel, h("span", { class: "hint keys" }, "Ctrl + Enter"));
    const form = h("form", { class: "card" }, none, ...fields.elements, actions);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#running !== undefined) return;
      void this.#call(fields.read(), { call, cancel }); // Never rejects: every failure is an outcome to show.
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    cancel.addEventListener("click", () => this.#running?.abort());
    return form;
  }

  async #call(args: JsonObject, { call, cancel }: Record<"call" | "cancel", HTMLButtonElement>): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    call.disabled = true;
    cancel.disabled = false;
    const exchanges: WireExchange[] = [];
    this.#result.replaceChildren();
    this.#run.start();
    this.#run.element.scrollIntoView({ block: "nearest" });
    const progressToken = `call-${++this.#calls}`;
    const outcome = await callTool(this.#client, this.#tool, args, {
      signal: running.signal,
      progressToken,
      onExchange: (exchange) => {
        exchanges.push(exchange);
        this.#wire.replaceChildren(...wireView(exchanges));
      },
      onNotification: (method, params) => {
        if (method === "notifications/progress" && params["progressToken"] === progressToken)
          this.#run.progress(params);
      },
      ask: async (requests) => {
        this.#run.say("Waiting for your answer");
        const answers = await askAll(requests, this.#surroundings.asker, running.signal);
        this.#run.say("Running");
        return answers;
      },
    });
    this.#running = undefined;
    const hadFocus = document.activeElement === cancel;
    call.disabled = false;
    cancel.disabled = true;
    if (hadFocus) call.focus(); // A disabled button would lose it to the top of the page.
    this.#run.end(verdictOf(outcome));
    this.#result.replaceChildren(...outcomeView(outcome, this.#surroundings.hrefOf));
    this.#wire.replaceChildren(...wireView(exchanges));
  }
}

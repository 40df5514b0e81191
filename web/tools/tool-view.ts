/**
 * One tool: what it is, a form for its arguments, and what came of calling it.
 */
import type { CallOptions, JsonObject, LogLevel, Tool } from "../../src/client.ts";
import { asText, button, copyButton, h, iconUri } from "../dom.ts";
import { schemaForm, type SchemaForm } from "../form/schema-form.ts";
import { jsonView } from "../results/json-view.ts";
import { hrefTo } from "../route.ts";
import type { Server } from "../server.ts";
import { approve } from "./approval.ts";
import { codeOf, type Language } from "./code.ts";
import type { PastCall } from "./history.ts";
import { Run } from "./run.ts";
import { chipsOf, paramHeadersOf, titleOf } from "./tool-facts.ts";

const LEVELS = ["info", "debug", "notice", "warning", "error"] as const satisfies readonly LogLevel[];

export class ToolView {
  readonly heading: HTMLElement;
  readonly element: HTMLElement;
  readonly #server: Server;
  readonly #tool: Tool;
  readonly #remember: (call: PastCall) => void;
  readonly #form: SchemaForm;
  readonly #run = new Run();
  readonly #call = h("button", { class: "primary" }, "Call");
  readonly #anyway = button("Call anyway", () => void this.#start(true), "");
  readonly #cancel = button("Cancel", () => this.#running?.abort(), "");
  readonly #reason = h("p", { class: "hint", role: "status" });
  readonly #level = h(
    "select",
    { "aria-label": "Log messages" },
    h("option", { value: "" }, "no log"),
    ...LEVELS.map((level) => h("option", {}, level)),
  );
  readonly #onWire = h("a", { hidden: true }, "Show on the wire");
  readonly #mirrored = h("p", { class: "hint mirrored" });
  #running: AbortController | undefined;

  constructor(server: Server, tool: Tool, remember: (call: PastCall) => void) {
    this.#server = server;
    this.#tool = tool;
    this.#remember = remember;
    this.heading = h("h2", { tabindex: -1 }, titleOf(tool));
    const schema: JsonObject = { ...tool.inputSchema };
    this.#form = schemaForm(schema, { json: true });
    this.#form.onChange(() => this.#changed());
    this.#anyway.hidden = true;
    this.#cancel.disabled = true;
    this.element = h(
      "article",
      { class: "tool" },
      ...this.#head(),
      this.#card(),
      this.#run.element,
      this.#onWire,
      this.#details(),
    );
    this.#changed();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  fill(args: JsonObject): void {
    this.#form.write(args);
  }

  /** Calls it with what is filled in. */
  run(): void {
    void this.#start(false); // Never rejects: every failure is shown.
  }

  close(): void {
    this.#running?.abort();
  }

  #head(): HTMLElement[] {
    const { name, description, icons } = this.#tool;
    const icon = iconUri(icons);
    const said = asText(description);
    return [
      h(
        "header",
        { class: "tool-head" },
        icon === undefined ? h("span", {}) : h("img", { src: icon, alt: "", width: 32, height: 32 }),
        h("div", {}, this.heading, h("code", { class: "name" }, name)),
        h("p", { class: "lead" }, said || "The server says nothing more about this tool."),
        h("p", { class: "chips" }, ...chipsOf(this.#tool)),
      ),
    ];
  }

  #card(): HTMLElement {
    const actions = h(
      "div",
      { class: "actions" },
      this.#call,
      this.#cancel,
      this.#anyway,
      this.#level,
      h("span", { class: "hint keys" }, "Ctrl + Enter"),
    );
    const form = h(
      "form",
      { class: "card", novalidate: true },
      this.#form.element,
      this.#mirrored,
      actions,
      this.#reason,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    return form;
  }

  #details(): HTMLElement {
    const { outputSchema, inputSchema, _meta } = this.#tool;
    const code = (label: string, language: Language): HTMLElement => copyButton(label, () => this.#code(language));
    return h(
      "details",
      { class: "card" },
      h("summary", {}, "Code and schemas"),
      h(
        "div",
        { class: "actions" },
        code("Copy as curl", "curl"),
        code("Copy as fetch", "fetch"),
        code("Copy as client code", "client"),
      ),
      h("h3", {}, "Input schema"),
      jsonView(inputSchema),
      ...(outputSchema === undefined ? [] : [h("h3", {}, "Output schema"), jsonView(outputSchema)]),
      ...(_meta === undefined ? [] : [h("h3", {}, "_meta"), jsonView(_meta)]),
    );
  }

  #changed(): void {
    this.#anyway.hidden = true;
    this.#reason.textContent = "";
    const headers = paramHeadersOf(this.#tool, this.#form.read());
    this.#mirrored.replaceChildren(...headers.flatMap(([name, value]) => [h("code", {}, `${name}: ${value}`), " "]));
    this.#mirrored.hidden = headers.length === 0;
    this.#mirrored.prepend("Also sent as a header: ");
  }

  #code(language: Language): string {
    const { url, headers = {} } = this.#server.settings;
    const args = this.#form.read();
    const paramHeaders = paramHeadersOf(this.#tool, args);
    return codeOf(language, { url, name: this.#tool.name, args, paramHeaders, ownHeaders: Object.keys(headers) });
  }

  async #start(anyway: boolean): Promise<void> {
    if (this.#running !== undefined) return;
    const problems = this.#form.problems();
    if (problems.length > 0 && !anyway) {
      this.#reason.textContent = `The server would refuse this: ${problems.length === 1 ? "one thing is" : `${problems.length} things are`} wrong above.`;
      this.#anyway.hidden = false;
      return;
    }
    const { name } = this.#tool;
    const args = this.#form.read();
    const running = new AbortController();
    this.#running = running;
    this.#busy(true);
    if (await approve({ server: this.#server, tool: this.#tool, args, signal: running.signal })) {
      const from = this.#server.wire.exchanges.value.at(-1)?.number ?? 0;
      const verdict = await this.#run.follow(() =>
        this.#server.client.callTool(name, args, this.#options(running.signal)),
      );
      this.#remember({ at: Date.now(), name, args, verdict });
      const sent = this.#server.wire.exchanges.value.find(
        (exchange) => exchange.number > from && exchange.name === name,
      );
      this.#onWire.href = hrefTo("wire", String(sent?.number ?? ""));
      this.#onWire.hidden = sent === undefined;
    }
    this.#running = undefined;
    this.#busy(false);
  }

  #options(signal: AbortSignal): CallOptions<"handlers"> {
    const level = LEVELS.find((known) => known === this.#level.value);
    return {
      signal,
      onProgress: (progress) => this.#run.progress(progress),
      ...(level !== undefined && { logLevel: level, onLog: (message) => this.#run.log(message) }),
    };
  }

  #busy(busy: boolean): void {
    const hadFocus = document.activeElement === this.#cancel;
    this.#call.disabled = busy;
    this.#cancel.disabled = !busy;
    this.#anyway.hidden = true;
    if (hadFocus) this.#call.focus(); // A disabled button would lose it to the top of the page.
  }
}

/** Which model the person brings, and whether this browser may keep its key. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { h } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";
import { APIS, type ModelSettings } from "./model.ts";

const STORED = "chat-model";
const DEFAULT_MAX_TOKENS = 4_096;

type Stored = Partial<Record<keyof ModelSettings, unknown>>;

export class ModelForm {
  readonly #api = h(
    "select",
    { name: "api" },
    h("option", { value: "anthropic" }, "Anthropic Messages"),
    h("option", { value: "openai" }, "OpenAI-compatible"),
  );
  readonly #url = h("input", { name: "url", type: "url", required: true });
  readonly #model = h("input", { name: "model", required: true, autocomplete: "off", spellcheck: "false" });
  readonly #key = h("input", { name: "key", type: "password", autocomplete: "off" });
  readonly #maxTokens = h("input", { name: "maxTokens", type: "number", min: 1, step: 1, required: true });
  readonly #system = h("textarea", { name: "system", rows: 2 });
  readonly #keep = h("input", { name: "keep", type: "checkbox" });
  readonly #summary = h("span", { class: "hint" });
  readonly #form: HTMLFormElement;
  readonly element: HTMLDetailsElement;
  #settings: ModelSettings | undefined;

  constructor() {
    this.#form = h(
      "form",
      { class: "model" },
      labelled("Interface", this.#api),
      labelled("Endpoint", this.#url),
      labelled("Model", this.#model),
      labelled("Key", this.#key),
      labelled("Longest reply, in tokens", this.#maxTokens),
      labelled("System prompt", this.#system),
      h("label", { class: "check" }, this.#keep, "Remember all this in this browser"),
      h(
        "p",
        { class: "hint" },
        "The key goes to the endpoint alone. Remembered, whoever uses this browser can read it.",
      ),
      h("div", { class: "actions" }, h("button", { class: "primary" }, "Use this model")),
    );
    this.element = h("details", { class: "card" }, h("summary", {}, "Model ", this.#summary), this.#form);
    this.#api.addEventListener("change", () => (this.#url.value = this.#chosen.url));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take();
    });
    this.#fill(readStored(STORED, isObject) ?? {});
    if (this.#keep.checked && this.#form.checkValidity()) this.#take();
    else this.element.open = true;
  }

  get settings(): ModelSettings | undefined {
    return this.#settings;
  }

  /** Brings the form into view, at what is missing. */
  ask(): void {
    this.element.open = true;
    this.#form.reportValidity();
  }

  get #chosen(): (typeof APIS)[ModelSettings["api"]] {
    return APIS[this.#api.value === "openai" ? "openai" : "anthropic"];
  }

  #fill({ api, url, model, key, system, maxTokens }: Stored): void {
    this.#api.value = api === "openai" ? api : "anthropic";
    this.#url.value = typeof url === "string" ? url : this.#chosen.url;
    if (typeof model === "string") this.#model.value = model;
    if (typeof key === "string") this.#key.value = key;
    if (typeof system === "string") this.#system.value = system;
    this.#maxTokens.value = String(typeof maxTokens === "number" ? maxTokens : DEFAULT_MAX_TOKENS);
    this.#keep.checked = typeof model === "string";
  }

  #take(): void {
    this.#settings = {
      api: this.#api.value === "openai" ? "openai" : "anthropic",
      url: this.#url.value,
      model: this.#model.value.trim(),
      key: this.#key.value.trim(),
      system: this.#system.value,
      maxTokens: this.#maxTokens.valueAsNumber,
    };
    writeStored(STORED, this.#keep.checked ? this.#settings : undefined);
    this.#summary.textContent = this.#settings.model;
    this.element.open = false;
  }
}

function labelled(title: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "title" }, title), control);
}

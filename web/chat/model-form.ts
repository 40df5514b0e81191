/** Which model the person brings, and whether this browser may keep its key. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, h } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";
import { APIS, type ModelSettings } from "./model.ts";

const STORED = "chat-model";

export class ModelForm {
  readonly element: HTMLDetailsElement;
  #settings: ModelSettings | undefined;
  readonly #form: HTMLFormElement;

  /** @param onChange called with each model that is chosen, the remembered one at once */
  constructor(onChange: (settings: ModelSettings) => void) {
    const api = h(
      "select",
      { name: "api" },
      h("option", { value: "anthropic" }, "Anthropic Messages"),
      h("option", { value: "openai" }, "OpenAI-compatible"),
    );
    const url = h("input", { name: "url", type: "url", required: true });
    const keep = h("input", { name: "keep", type: "checkbox" });
    const summary = h("span", { class: "hint" });
    const form = h(
      "form",
      { class: "model" },
      labelled("Interface", api),
      labelled("Endpoint", url),
      labelled("Model", h("input", { name: "model", required: true, autocomplete: "off", spellcheck: "false" })),
      labelled("Key", h("input", { name: "key", type: "password", autocomplete: "off" })),
      labelled(
        "Longest reply, in tokens",
        h("input", { name: "maxTokens", type: "number", min: 1, required: true, value: 4096 }),
      ),
      labelled("System prompt", h("textarea", { name: "system", rows: 2 })),
      h("label", { class: "check" }, keep, "Remember all this in this browser, for whoever uses it to read"),
      h("div", { class: "actions" }, h("button", { class: "primary" }, "Use this model")),
    );
    this.#form = form;
    this.element = h("details", { class: "card" }, h("summary", {}, "Model ", summary), form);
    const suggest = (): void => void (url.value = APIS[api.value === "openai" ? "openai" : "anthropic"].url);
    const take = (): void => {
      const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, asText(value).trim()]));
      const { model = "", key = "", system = "" } = given;
      const chosen = api.value === "openai" ? "openai" : "anthropic";
      this.#settings = { api: chosen, url: url.value, model, key, system, maxTokens: Number(given["maxTokens"]) };
      writeStored(STORED, keep.checked ? this.#settings : undefined);
      summary.textContent = model;
      this.element.open = false;
      onChange(this.#settings);
    };
    api.addEventListener("change", suggest);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      take();
    });
    suggest();
    const stored = readStored(STORED, isObject);
    for (const [name, value] of Object.entries(stored ?? {})) {
      const control = form.elements.namedItem(name);
      if (control !== null && "value" in control) control.value = asText(value);
    }
    keep.checked = stored !== undefined;
    if (keep.checked && form.checkValidity()) take();
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
}

function labelled(title: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "title" }, title), control);
}

/**
 * Fields for the arguments of prompts and the variables of templates, with what the server proposes while one types.
 *
 * @see spec 2026-07-28 server/utilities/completion
 */
import type { CompletionQuestion } from "../../src/client.ts";
import { freshId, h } from "../dom.ts";
import type { Server } from "../server.ts";

export interface WantedField {
  readonly name: string;
  readonly hint?: string | undefined;
  readonly required: boolean;
}

export interface CompletingFields {
  readonly elements: readonly HTMLElement[];
  /** Without those that nobody filled in and nobody has to. */
  read(): Record<string, string>;
}

const ASK_AFTER_MS = 200;
const MAX_PROPOSED = 100;

export function completingFields(
  server: Server,
  ref: CompletionQuestion["ref"],
  wanted: readonly WantedField[],
): CompletingFields {
  const inputs = new Map<string, HTMLInputElement>();
  const read = (): Record<string, string> =>
    Object.fromEntries(
      wanted.flatMap(({ name, required }) => {
        const value = inputs.get(name)?.value ?? "";
        return value === "" && !required ? [] : [[name, value]];
      }),
    );
  const elements = wanted.map(({ name, hint, required }) => {
    const [id, hintId] = [freshId(), freshId()];
    const proposed = h("datalist", { id });
    const input = h("input", {
      required,
      list: id,
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": hint && hintId,
    });
    inputs.set(name, input);
    propose(input, async (signal) => {
      const { [name]: value = "", ...others } = read();
      const context = Object.keys(others).length > 0 && { context: { arguments: others } };
      const { values } = await server.client.complete({ ref, argument: { name, value }, ...context }, { signal });
      proposed.replaceChildren(...values.slice(0, MAX_PROPOSED).map((text) => h("option", { value: text })));
    });
    const title = [
      h("span", { class: "title" }, name),
      h("span", { class: required ? "mark required" : "mark" }, required ? "required" : "optional"),
    ];
    return h(
      "div",
      { class: "field" },
      h("label", {}, ...title, input),
      proposed,
      hint && h("p", { class: "hint", id: hintId }, hint),
    );
  });
  const offered = server.description?.capabilities["completions"] !== undefined;

  function propose(input: HTMLInputElement, ask: (signal: AbortSignal) => Promise<void>): void {
    let asking = new AbortController();
    const soon = (): void => {
      if (!offered) return;
      asking.abort();
      asking = new AbortController();
      const { signal } = asking;
      setTimeout(() => {
        // Proposals that do not come are missed by nobody.
        if (!signal.aborted) ask(signal).catch(() => undefined);
      }, ASK_AFTER_MS);
    };
    input.addEventListener("input", soon);
    input.addEventListener("focus", soon);
  }
  return { elements, read };
}

/**
 * A form for the arguments of a prompt or the variables of a template, with what the server proposes while one types.
 *
 * @see spec 2026-07-28 server/utilities/completion
 */
import type { CompletionQuestion } from "../../src/client.ts";
import { asText, freshId, h } from "../dom.ts";
import type { Server } from "../server.ts";

export interface CompletingFormOptions {
  readonly ref: CompletionQuestion["ref"];
  /** Each as `PromptArgument` is, if its server is right. */
  readonly wanted: readonly Readonly<Record<string, unknown>>[];
  /** What the button says. */
  readonly action: string;
  /** Gets what was filled in. */
  readonly onSubmit: (values: Record<string, string>) => void;
}

const ASK_AFTER_MS = 200;
const MAX_PROPOSED = 100;

export function completingForm(server: Server, options: CompletingFormOptions): HTMLElement {
  const { ref, wanted, action, onSubmit } = options;
  const isOffered = server.description?.capabilities["completions"] !== undefined;
  const inputs = new Map<string, HTMLInputElement>();
  const read = (): Record<string, string> =>
    Object.fromEntries([...inputs].map(([name, { value }]) => [name, value] as const).filter(([, value]) => value));
  const fieldOf = ({ name, title = name, description, required }: (typeof wanted)[number]): HTMLElement => {
    const id = freshId();
    const proposed = h("datalist", { id });
    const input = h("input", { list: id, required: required === true, autocomplete: "off", spellcheck: "false" });
    inputs.set(asText(name), input);
    let timer = 0;
    const ask = async (): Promise<void> => {
      const { value } = input;
      const question = { ref, argument: { name: asText(name), value }, context: { arguments: read() } };
      const { values } = await server.client.complete(question);
      if (input.value === value)
        proposed.replaceChildren(...values.slice(0, MAX_PROPOSED).map((text) => h("option", { value: text })));
    };
    const soon = (): void => {
      clearTimeout(timer);
      // Proposals that do not come are missed by nobody.
      timer = setTimeout(() => void ask().catch(() => undefined), ASK_AFTER_MS);
    };
    if (isOffered) for (const event of ["focus", "input"]) input.addEventListener(event, soon);
    const mark = required === true && h("span", { class: "hint" }, "required");
    const label = h("label", {}, h("span", { class: "title" }, asText(title)), mark, input);
    return h("div", { class: "field" }, label, proposed, h("p", { class: "hint" }, asText(description)));
  };
  const form = h("form", { class: "card" }, ...wanted.map(fieldOf), h("button", { class: "primary" }, action));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit(read());
  });
  return form;
}

/**
 * A form for the arguments of a prompt or the variables of a template, with what the server proposes while one types.
 *
 * @see spec 2026-07-28 server/utilities/completion
 */
import type { CompletionQuestion } from "../../src/client.ts";
import { freshId, h } from "../dom.ts";
import type { Server } from "../server.ts";

export interface WantedField {
  readonly name: string;
  readonly title?: string;
  readonly hint?: string;
  /** Undefined where that says nothing. */
  readonly required?: boolean;
}

export interface CompletingFormOptions {
  readonly ref: CompletionQuestion["ref"];
  readonly wanted: readonly WantedField[];
  /** What the button says. */
  readonly action: string;
  readonly onSubmit: (values: Record<string, string>) => void;
}

export interface CompletingForm {
  readonly form: HTMLElement;
  /** Without those that nobody filled in and nobody has to. */
  readonly read: () => Record<string, string>;
}

const ASK_AFTER_MS = 200;
const MAX_PROPOSED = 100;

export function completingForm(server: Server, options: CompletingFormOptions): CompletingForm {
  const { ref, wanted, action, onSubmit } = options;
  const isOffered = server.description?.capabilities["completions"] !== undefined;
  const inputs = new Map<string, HTMLInputElement>();
  const read = (): Record<string, string> =>
    Object.fromEntries(
      [...inputs].flatMap(([name, { value, required }]) => (value === "" && !required ? [] : [[name, value]])),
    );
  const fieldOf = ({ name, title = name, hint = "", required }: WantedField): HTMLElement => {
    const [list, hintId] = [freshId(), freshId()];
    const proposed = h("datalist", { id: list });
    const about = { "aria-describedby": hintId, autocomplete: "off", spellcheck: "false" };
    const input = h("input", { list, required, ...about });
    inputs.set(name, input);
    let asking = new AbortController();
    const ask = async (signal: AbortSignal): Promise<void> => {
      const { [name]: value = "", ...others } = read();
      const question = { ref, argument: { name, value }, context: { arguments: others } };
      const { values } = await server.client.complete(question, { signal });
      proposed.replaceChildren(...values.slice(0, MAX_PROPOSED).map((text) => h("option", { value: text })));
    };
    const soon = (): void => {
      asking.abort();
      const { signal } = (asking = new AbortController());
      // Proposals that do not come are missed by nobody.
      setTimeout(() => void (signal.aborted || ask(signal).catch(() => undefined)), ASK_AFTER_MS);
    };
    if (isOffered) for (const event of ["focus", "input"]) input.addEventListener(event, soon);
    const mark =
      required === undefined
        ? undefined
        : h("span", { class: required ? "mark required" : "mark" }, required ? "required" : "optional");
    const label = h("label", {}, h("span", { class: "title" }, title), mark, input);
    return h("div", { class: "field" }, label, proposed, h("p", { class: "hint", id: hintId }, hint));
  };
  const form = h(
    "form",
    { class: "card" },
    ...wanted.map(fieldOf),
    h("div", { class: "actions" }, h("button", { class: "primary" }, action)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit(read());
  });
  return { form, read };
}

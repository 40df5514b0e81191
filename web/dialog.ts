/**
 * Modal dialogs: a title, a body, and buttons that end it. The browser keeps the focus inside and gives it back.
 *
 * Contract: what is typed or held down when a dialog opens, which may be at any time, agrees to nothing. So the focus is at
 * the title first, where no key does anything.
 */
import { type Child, h } from "./dom.ts";

export interface DialogAction {
  /** What the dialog ends with. */
  readonly value: string;
  readonly label: string;
  readonly tone?: "primary" | "quiet";
}

export interface DialogOptions {
  /** Above the title, small: who asks, for instance. */
  readonly eyebrow?: string;
  readonly title: string;
  readonly body: readonly Child[];
  readonly actions: readonly DialogAction[];
  /** Ends it with `""`. */
  readonly signal?: AbortSignal | undefined;
  /** Asked before `value` ends it, in place of the browser's own check of what is filled in: false keeps it open. */
  readonly mayEnd?: (value: string) => boolean;
}

/** Servers take part in titles. */
const MAX_TITLE = 120;

/** @returns the value of the action that ended it; `""` for Escape, and when the signal aborted */
export function openDialog({ eyebrow, title, body, actions, signal, mayEnd }: DialogOptions): Promise<string> {
  if (signal?.aborted === true) return Promise.resolve("");
  const name = title.slice(0, MAX_TITLE);
  const heading = h("h2", { tabindex: -1 }, name);
  const form = h(
    "form",
    { method: "dialog", novalidate: mayEnd !== undefined },
    h("header", {}, eyebrow !== undefined && h("p", { class: "hint" }, eyebrow), heading),
    ...body,
    h("div", { class: "actions" }, ...actions.map(button)),
  );
  const dialog = h("dialog", { "aria-label": name }, form);
  form.addEventListener("submit", (event) => {
    const value = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "";
    if (mayEnd?.(value) === false) event.preventDefault();
  });
  // The second click of a double-click may be on a dialog that came after the first.
  form.addEventListener("click", (event) => event.detail > 1 && event.preventDefault());
  document.body.append(dialog);
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => dialog.close(""));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    dialog.showModal();
    heading.focus();
  });
}

/** Only what says yes needs a form that is complete. */
function button({ value, label, tone }: DialogAction): HTMLElement {
  return h("button", { value, class: tone, formnovalidate: tone !== "primary" }, label);
}

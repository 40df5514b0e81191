/**
 * Modal dialogs: a title, a body, and buttons that end it. The browser keeps the focus inside and gives it back.
 */
import { type Child, freshId, h } from "./dom.ts";

export interface DialogAction {
  /** What the dialog ends with. */
  readonly value: string;
  readonly label: string;
  readonly tone?: "primary" | "danger" | "quiet";
}

export interface DialogOptions {
  /** Above the title, small: who asks, for instance. */
  readonly eyebrow?: string;
  readonly title: string;
  readonly body: readonly Child[];
  readonly actions: readonly DialogAction[];
  readonly wide?: boolean;
  /** Ends it with `""`. */
  readonly signal?: AbortSignal;
  /** Asked before `value` ends it, in place of the browser's own check of what is filled in: false keeps it open. */
  readonly mayEnd?: (value: string) => boolean;
}

/** @returns the value of the action that ended it; `""` for Escape, and when the signal aborted */
export function openDialog({ eyebrow, title, body, actions, wide, signal, mayEnd }: DialogOptions): Promise<string> {
  if (signal?.aborted === true) return Promise.resolve("");
  const titleId = freshId();
  const form = h(
    "form",
    { method: "dialog", novalidate: mayEnd !== undefined },
    h(
      "header",
      {},
      eyebrow === undefined ? undefined : h("p", { class: "eyebrow" }, eyebrow),
      h("h2", { id: titleId }, title),
    ),
    ...body,
    h("div", { class: "actions" }, ...actions.map(button)),
  );
  const dialog = h("dialog", { "aria-labelledby": titleId, class: wide === true ? "wide" : undefined }, form);
  form.addEventListener("submit", (event) => {
    const value = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "";
    if (mayEnd?.(value) === false) event.preventDefault();
  });
  document.body.append(dialog);
  return new Promise((resolve) => {
    const abort = (): void => dialog.close("");
    signal?.addEventListener("abort", abort, { once: true });
    dialog.addEventListener("close", () => {
      signal?.removeEventListener("abort", abort);
      dialog.remove();
      resolve(dialog.returnValue);
    });
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[autofocus], input, select, textarea")?.focus();
  });
}

/** Only what says yes needs a form that is complete. */
function button({ value, label, tone }: DialogAction): HTMLElement {
  return h("button", { value, class: tone, formnovalidate: tone !== "primary" && tone !== "danger" }, label);
}

/** What all dialogs for servers have in common: who asks and for what, a form, and three ways to answer. */
import type { JsonObject } from "../../src/client.ts";
import { openDialog } from "../dialog.ts";
import type { SchemaForm } from "../form/schema-form.ts";

export interface Question {
  readonly eyebrow: string;
  readonly title: string;
  readonly signal: AbortSignal;
}

export interface Answer {
  /** `accept`, `decline` or `cancel`. Escape closes a dialog without a value, which is what the protocol calls cancelling */
  readonly action: string;
  /** Of the form. */
  readonly content: JsonObject;
}

/** @param label of the button that accepts, which takes a form without problems */
export async function ask(
  question: Question,
  label: string,
  form: SchemaForm,
  ...body: readonly HTMLElement[]
): Promise<Answer> {
  const action = await openDialog({
    ...question,
    body: [...body, form.element],
    actions: [
      { value: "accept", label, tone: "primary" },
      { value: "decline", label: "Decline" },
      { value: "cancel", label: "Cancel", tone: "quiet" },
    ],
    mayEnd: (value) => value !== "accept" || form.problems().length === 0,
  });
  return { action: action || "cancel", content: form.read() };
}

/** @throws unless the answer is yes, where the protocol has no word for no */
export function accepted({ action, content }: Answer): JsonObject {
  if (action !== "accept") throw new Error("You declined.");
  return content;
}

/** What all dialogs for servers have in common: who asks and for what, and three ways to answer. */
import { openDialog } from "../dialog.ts";

export interface Question {
  readonly eyebrow: string;
  readonly title: string;
  readonly wide?: boolean;
  readonly signal: AbortSignal;
}

interface Answering {
  readonly body: readonly HTMLElement[];
  /** Of the button that accepts. */
  readonly label: string;
  /** What it has to be without before it is accepted. */
  readonly form: { problems(): readonly unknown[] };
}

/** @returns `accept`, `decline` or `cancel`. Escape closes a dialog without a value, which is what the protocol calls cancelling */
export async function ask(question: Question, { body, label, form }: Answering): Promise<string> {
  const actions = [
    { value: "accept", label, tone: "primary" },
    { value: "decline", label: "Decline" },
    { value: "cancel", label: "Cancel", tone: "quiet" },
  ] as const;
  const mayEnd = (value: string): boolean => value !== "accept" || form.problems().length === 0;
  return (await openDialog({ ...question, body, actions, mayEnd })) || "cancel";
}

/** @throws unless the answer is yes, where the protocol has no word for no */
export async function askForYes(question: Question, answering: Answering): Promise<void> {
  if ((await ask(question, answering)) !== "accept") throw new Error("You declined.");
}

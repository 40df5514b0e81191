/**
 * What servers ask the person for while they work on a request, as dialogs: one after the other, whoever asks.
 *
 * Contract: nothing is answered but by the person. Who says no to sampling or roots ends the call, since the protocol has no
 * answer for that; no to an elicitation is an answer.
 */
import type { InputContext, InputHandlers } from "../../src/client.ts";
import { asText } from "../dom.ts";
import { answerForm, answerUrl } from "./elicitation.ts";
import type { Question } from "./question.ts";
import { shareRoots } from "./roots.ts";
import { reviewSampling } from "./sampling.ts";

/** Who asks, for the dialogs to name. */
export interface Asker {
  /** What it calls itself, or the person calls it. */
  readonly name: string;
  readonly settings: { readonly url: string };
}

/** So many in so short a time are no questions, and keep the person from everything else. */
const MAX_QUESTIONS = 20;
const WINDOW_MS = 30_000;

let last: Promise<unknown> = Promise.resolve();

export function inputHandlers(asker: Asker): InputHandlers {
  const { url } = asker.settings;
  let times: readonly number[] = [];
  const inTurn = <T>(
    { signal, request }: InputContext,
    what: string,
    answer: (question: Question) => Promise<T>,
  ): Promise<T> => {
    times = [...times, Date.now()].slice(-MAX_QUESTIONS);
    const [first = 0] = times;
    if (times.length === MAX_QUESTIONS && Date.now() - first < WINDOW_MS)
      return Promise.reject(new Error("The server asks too much, so it is not answered."));
    const { name, uri } = request?.params ?? {};
    const call = request && `for ${request.method} ${asText(name ?? uri)}`.slice(0, 200);
    // The host is the part that a server cannot choose.
    const eyebrow = [new URL(url).host, call].filter(Boolean).join(" · ");
    // One that was given up in the meantime is not shown.
    const next = last.then(() => answer({ eyebrow, title: `${asker.name} ${what}`, signal }));
    last = next.catch(() => undefined); // Whoever waits for it hears of it.
    return next;
  };
  // All are looked at as what came.
  return {
    elicit: (params, ctx) =>
      params.mode === "url"
        ? inTurn(ctx, "asks you to open a page", (question) => answerUrl({ ...params }, question))
        : inTurn(ctx, "asks you", (question) => answerForm({ ...params }, question)),
    sample: (params, ctx) =>
      inTurn(ctx, "asks for a model's answer", (question) => reviewSampling({ ...params }, question)),
    roots: (ctx) => inTurn(ctx, "asks for directories", (question) => shareRoots(url, question)),
  };
}

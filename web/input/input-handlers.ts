/**
 * What servers ask the person for while they work on a request, as dialogs: one after the other, whoever asks.
 *
 * Contract: nothing is answered but by the person. Who says no to sampling or roots ends the call, since the protocol has no
 * answer for that; no to an elicitation is an answer.
 */
import type { InputContext, InputHandlers, JsonObject } from "../../src/client.ts";
import { answerForm, answerUrl } from "./elicitation.ts";
import { shareRoots } from "./roots.ts";
import { reviewSampling } from "./sampling.ts";

/** Who asks, for the dialogs to name. */
export interface Asker {
  /** What it calls itself, or the person calls it. */
  readonly name: string;
  readonly settings: { readonly url: string };
}

/** What all dialogs say of where they come from. */
export interface Question {
  readonly eyebrow: string;
  readonly title: string;
  readonly signal: AbortSignal;
}

let last: Promise<unknown> = Promise.resolve();

function inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const next = last.then(() => {
    signal.throwIfAborted();
    return ask();
  });
  last = next.catch(() => undefined); // Whoever waits for it hears of it.
  return next;
}

export function inputHandlers(asker: Asker): InputHandlers {
  const question = ({ signal, request }: InputContext, what: string): Question => {
    const { name, uri } = request?.params ?? {};
    const target = [name, uri].find((value) => typeof value === "string") ?? "";
    const call = request === undefined ? [] : [`for ${request.method} ${target}`.slice(0, 200)];
    // The host is the part that a server cannot choose.
    return {
      eyebrow: [new URL(asker.settings.url).host, ...call].join(" · "),
      title: `${asker.name} ${what}`,
      signal,
    };
  };
  return {
    elicit: (params, ctx) =>
      inTurn(ctx.signal, () =>
        params.mode === "url"
          ? answerUrl(params.message, params.url, question(ctx, "asks you to open a page"))
          : answerForm(params.message, params.requestedSchema, question(ctx, "asks you")),
      ),
    sample: (params, ctx) =>
      inTurn(ctx.signal, () =>
        reviewSampling(params as unknown as JsonObject, question(ctx, "asks for a model's answer")),
      ), // Looked at as what came.
    roots: (ctx) =>
      inTurn(ctx.signal, () => shareRoots(asker.settings.url, question(ctx, "asks which directories it may know of"))),
  };
}

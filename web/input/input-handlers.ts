/**
 * What servers ask the person for while they work on a request, as dialogs: one after the other, whoever asks.
 *
 * Contract: nothing is answered but by the person. Who says no to sampling or roots ends the call, since the protocol has no
 * answer for that; no to an elicitation is an answer.
 *
 * @see spec 2026-07-28 client/elicitation, client/sampling, client/roots
 */
import { objectOf } from "../text.ts";
import type { InputContext, InputHandlers, JsonObject } from "../../src/client.ts";
import { asText, h, linkOrText } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { accepted, ask, type Question } from "./question.ts";
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
  const times: number[] = [];
  let roots: JsonObject | undefined;
  const inTurn = async <T>(
    { signal, request }: InputContext,
    what: string,
    answer: (question: Question) => Promise<T>,
  ): Promise<T> => {
    times.unshift(Date.now());
    if (Date.now() - (times[MAX_QUESTIONS] ?? 0) < WINDOW_MS) throw new Error("The server asks too much.");
    const { name, uri } = request?.params ?? {};
    const call = request && `for ${request.method} ${asText(name ?? uri)}`.slice(0, 200);
    // The host is the part that a server cannot choose.
    const eyebrow = [new URL(asker.settings.url).host, call].filter(Boolean).join(" · ");
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
    // Asked once, before the first is shared.
    roots: (ctx) => inTurn(ctx, "asks for directories", async (question) => (roots ??= await shareRoots(question))),
  };
}

function said(message: unknown): HTMLElement {
  return h("p", { class: "said" }, asText(message));
}

async function answerForm({ message, requestedSchema }: JsonObject, question: Question): Promise<JsonObject> {
  const form = schemaForm(objectOf(requestedSchema));
  const hint = h("p", { class: "hint" }, "Never give passwords or keys in a form.");
  const { action, content } = await ask(question, "Send", form, said(message), hint);
  return action === "accept" ? { action, content } : { action };
}

/**
 * MUST — client/elicitation#safe-url-handling: show the whole address, and open nothing without consent.
 *
 * @throws when the address is none of http or https
 */
async function answerUrl({ message, url }: JsonObject, question: Question): Promise<JsonObject> {
  const { host, href } = new URL(asText(url));
  if (!/^https?:/.test(href)) throw new Error(`${href} is not safe to open.`);
  const doubt = "Look twice: no encryption, another host than it seems (@), or letters of other scripts (xn--).";
  const isDoubtful = /^http:|^\w+:\/\/[^/]*(?:@|xn--)/.test(href);
  const { action } = await ask(
    question,
    "I have done it",
    schemaForm({}),
    said(message),
    h("code", { tabindex: 0 }, href),
    h("p", isDoubtful ? { class: "block failure" } : { hidden: true }, doubt),
    linkOrText(href, `Open ${host} in a new tab`),
  );
  return { action };
}

/** @throws when the person says no */
async function shareRoots(question: Question): Promise<JsonObject> {
  const items = { type: "string", format: "uri", pattern: "^file://", examples: ["file:///home/me/project"] };
  const Directories = { type: "array", items, description: "It gets the names, not the files." };
  const form = schemaForm({ properties: { Directories } });
  const given = accepted(await ask(question, "Share", form))["Directories"];
  // As parsed, so that no `..` is left in them.
  return { roots: [given ?? []].flat().map((uri) => ({ uri: new URL(asText(uri)).href })) };
}

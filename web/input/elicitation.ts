/**
 * Questions of a server to the person: a form to fill in, or a page to visit.
 *
 * @see spec 2026-07-28 client/elicitation
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { asText, h } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import type { Question } from "./input-handlers.ts";

/** Escape closes a dialog without a value, which is what the protocol calls cancelling. */
async function ask(question: Question, body: HTMLElement[], label: string, mayAccept: () => boolean): Promise<string> {
  const actions = [
    { value: "accept", label, tone: "primary", unchecked: true },
    { value: "decline", label: "Decline" },
    { value: "cancel", label: "Cancel", tone: "quiet" },
  ] as const;
  const mayEnd = (value: string): boolean => value !== "accept" || mayAccept();
  return (await openDialog({ ...question, body, actions, mayEnd })) || "cancel";
}

function said(message: unknown): HTMLElement {
  return h("p", { class: "message" }, asText(message));
}

export async function answerForm(message: unknown, schema: unknown, question: Question): Promise<JsonObject> {
  const form = schemaForm(isObject(schema) ? schema : {});
  const warning = "Never give passwords or keys in a form: for those, a server has to send you to a page of its own.";
  const body = [said(message), form.element, h("p", { class: "hint" }, warning)];
  const action = await ask(question, body, "Send", () => form.problems().length === 0);
  return action === "accept" ? { action, content: form.read() } : { action };
}

/**
 * MUST — client/elicitation#safe-url-handling: show the whole address, and open nothing without consent.
 *
 * @throws when the address is none of http or https
 */
export async function answerUrl(message: unknown, url: unknown, question: Question): Promise<JsonObject> {
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new Error("The page to visit has no address that is safe to open.");
  const { host, hostname, href, protocol, username } = address;
  const doubts = [
    /(?:^|\.)xn--/.test(hostname) &&
      "The name of the host has letters of other scripts (punycode): it may only look like one you know.",
    username !== "" && "What stands before the @ is not the host.",
    protocol === "http:" && !/^(?:localhost|127\.|\[::1])/.test(hostname) && "The connection to it is not encrypted.",
  ].filter((doubt) => doubt !== false);
  const link = h(
    "a",
    { class: "open", href, target: "_blank", rel: "noopener noreferrer" },
    `Open ${host} in a new tab`,
  );
  const note = h("p", { class: "hint", role: "status" }, "Come back when you are done there.");
  let opened = false;
  link.addEventListener("click", () => {
    opened = true;
  });
  const body = [
    said(message),
    h("p", { class: "host" }, host),
    h("code", { class: "address", tabindex: 0 }, href),
    ...doubts.map((doubt) => h("p", { class: "block failure" }, doubt)),
    link,
    note,
  ];
  const mayAccept = (): boolean => {
    if (!opened) note.textContent = "Open the page first, or decline.";
    return opened;
  };
  return { action: await ask(question, body, "I have done it", mayAccept) };
}

/**
 * Questions of a server to the person: a form to fill in, or a page to visit.
 *
 * @see spec 2026-07-28 client/elicitation
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, h, linkOrText } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { ask, type Question } from "./question.ts";

function said(message: unknown): HTMLElement {
  return h("p", { class: "message" }, asText(message));
}

export async function answerForm({ message, requestedSchema }: JsonObject, question: Question): Promise<JsonObject> {
  const form = schemaForm(isObject(requestedSchema) ? requestedSchema : {});
  const body = [said(message), form.element, h("p", { class: "hint" }, "Never give passwords or keys in a form.")];
  const action = await ask(question, { body, label: "Send", form });
  return action === "accept" ? { action, content: form.read() } : { action };
}

/**
 * MUST — client/elicitation#safe-url-handling: show the whole address, and open nothing without consent.
 *
 * @throws when the address is none of http or https
 */
export async function answerUrl({ message, url }: JsonObject, question: Question): Promise<JsonObject> {
  const { host, hostname, href, protocol, username, password } = new URL(asText(url));
  if (!/^https?:$/.test(protocol)) throw new Error(`${href} is not safe to open.`);
  const doubts = [
    /(?:^|\.)xn--/.test(hostname) && "The host has letters of other scripts (punycode).",
    username + password !== "" && "What stands before the @ is not the host.",
    protocol === "http:" &&
      !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) &&
      "The connection is not encrypted.",
  ].filter((doubt) => doubt !== false);
  const link = linkOrText(href, `Open ${host} in a new tab`);
  const note = h("p", { class: "hint", role: "status" });
  let opened = false;
  link.addEventListener("click", () => (opened = true));
  const body = [
    said(message),
    h("code", { class: "address", tabindex: 0 }, href),
    ...doubts.map((doubt) => h("p", { class: "block failure" }, doubt)),
    link,
    note,
  ];
  const problems = (): unknown[] => {
    note.textContent = "Open the page first.";
    return opened ? [] : [note];
  };
  return { action: await ask(question, { body, label: "I have done it", form: { problems } }) };
}

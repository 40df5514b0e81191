/**
 * Questions of a server as dialogs: a form to fill in, or a page to visit.
 *
 * @see spec 2026-07-28 client/elicitation
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { asText, freshId, h } from "./dom.ts";
import { schemaForm, type SchemaForm } from "./schema-form.ts";

/**
 * Asks one after the other.
 *
 * @returns the members of `inputResponses`, or undefined when one of the questions is of a kind this page cannot ask, or
 * the call was cancelled
 */
export async function askAll(
  requests: JsonObject,
  asker: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const responses: [string, JsonObject][] = [];
  for (const [key, request] of Object.entries(requests)) {
    const params = isObject(request) && request["method"] === "elicitation/create" ? request["params"] : undefined;
    if (!isObject(params) || signal.aborted) return undefined;
    const answer = await ask(params, asker, signal);
    if (answer === undefined) return undefined;
    responses.push([key, answer]);
  }
  return Object.fromEntries(responses);
}

function ask(params: JsonObject, asker: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const form =
    params["mode"] === "url"
      ? undefined
      : schemaForm(isObject(params["requestedSchema"]) ? params["requestedSchema"] : {});
  const address = form === undefined ? pageOf(params["url"]) : undefined;
  const titleId = freshId();
  const accept = h("button", { class: "primary", value: "accept" }, form === undefined ? "I have done it" : "Send");
  const decline = h("button", { value: "decline", formnovalidate: true }, "Decline");
  const cancel = h("button", { class: "quiet", value: "cancel", formnovalidate: true }, "Cancel");
  const body = h(
    "form",
    { method: "dialog" },
    h("p", { class: "eyebrow" }, `${asker} asks`),
    h("h2", { id: titleId }, asText(params["message"])),
    ...(form?.elements ?? []),
    address,
    h("div", { class: "actions" }, accept, decline, cancel),
  );
  const dialog = h("dialog", { "aria-labelledby": titleId }, body);
  document.body.append(dialog);
  return new Promise((resolve) => {
    const abort = (): void => dialog.close("abort");
    signal.addEventListener("abort", abort, { once: true });
    dialog.addEventListener("close", () => {
      signal.removeEventListener("abort", abort);
      const answer = answerFor(dialog.returnValue, form);
      dialog.remove();
      resolve(answer);
    });
    dialog.showModal();
    dialog.querySelector<HTMLElement>("input, select, textarea")?.focus();
  });
}

/** Escape closes a dialog without a value, which is what the protocol calls cancelling. */
function answerFor(action: string, form: SchemaForm | undefined): JsonObject | undefined {
  if (action === "abort") return undefined;
  if (action === "accept") return form === undefined ? { action } : { action, content: form.read() };
  return { action: action === "decline" ? "decline" : "cancel" };
}

/** MUST — client/elicitation#safe-url-handling: show the whole address, and open nothing without consent. */
function pageOf(url: unknown): HTMLElement {
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    return h("p", { class: "block failure" }, "The page to visit has no address that is safe to open.");
  }
  return h(
    "p",
    { class: "link" },
    h("span", { class: "title" }, `Open ${address.host} in a new tab:`),
    h("a", { href: address.href, target: "_blank", rel: "noopener noreferrer" }, address.href),
  );
}

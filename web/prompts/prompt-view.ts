/** One prompt: its arguments, and the messages that it makes of them. */
import type { Prompt } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, copyButton, h } from "../dom.ts";
import { contentView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { completingFields } from "./completing-fields.ts";

const MAX_MESSAGES = 200;

export function promptView(server: Server, prompt: Prompt): DetailView {
  const { name, title, description, arguments: listed } = prompt;
  const args: unknown[] = Array.isArray(listed) ? listed : [];
  const wanted = args.filter(isObject).map((arg) => ({
    name: asText(arg["name"]),
    hint: asText(arg["description"]) || undefined,
    required: arg["required"] === true,
  }));
  const fields = completingFields(server, { type: "ref/prompt", name }, wanted);
  const result = h("div", { class: "result", role: "status" });
  const get = h("button", { class: "primary" }, "Get");
  const none = wanted.length === 0 ? h("p", { class: "empty" }, "This prompt takes no arguments.") : undefined;
  const form = h("form", { class: "card" }, none, ...fields.elements, h("div", { class: "actions" }, get));
  let asking = new AbortController();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asking.abort();
    asking = new AbortController();
    void show(asking.signal); // Never rejects.
  });

  async function show(signal: AbortSignal): Promise<void> {
    result.replaceChildren(h("p", { class: "empty" }, "Asking…"));
    try {
      const got = await server.client.getPrompt(name, fields.read(), { signal });
      const messages: unknown[] = got.messages;
      result.replaceChildren(
        asText(got.description) === "" ? "" : h("p", { class: "lead" }, asText(got.description)),
        ...messages.slice(0, MAX_MESSAGES).map(messageView),
        h(
          "div",
          { class: "actions" },
          copyButton("Copy as JSON", () => JSON.stringify(got, null, 2)),
        ),
      );
    } catch (error) {
      if (!signal.aborted) result.replaceChildren(failureBlock(error));
    }
  }
  const heading = h("h2", { tabindex: -1 }, asText(title) || name);
  const head = h(
    "header",
    {},
    heading,
    h("code", { class: "name" }, name),
    h("p", { class: "lead" }, asText(description)),
  );
  return { heading, element: h("article", { class: "tool" }, head, form, result), close: () => asking.abort() };
}

function messageView(message: unknown): HTMLElement {
  if (!isObject(message)) return jsonView(message);
  const { role, content } = message;
  const blocks: unknown[] = [content].flat();
  // Whatever they are, they are shown.
  const views = blocks.map((block) => contentView(block as Parameters<typeof contentView>[0]));
  return h("div", { class: "card message" }, h("h3", {}, asText(role)), ...views);
}

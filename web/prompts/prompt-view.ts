/** One prompt: its arguments, and the messages that it makes of them. */
import type { Prompt } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, copyButton, h, jsonText } from "../dom.ts";
import { detailHead } from "../resources/described.ts";
import { contentView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { completingForm } from "./completing-form.ts";

const MAX_MESSAGES = 200;

export function promptView(server: Server, prompt: Prompt): DetailView {
  const { name } = prompt;
  const { heading, head } = detailHead(name, prompt);
  const args: unknown[] = [prompt.arguments ?? []].flat();
  const state = h("p", { class: "hint", role: "status" });
  const copy = copyButton("Copy as JSON", () => jsonText(last, 2));
  const result = h("div", { class: "result" });
  let last: unknown;
  copy.hidden = true;
  let asking = new AbortController();
  const { form } = completingForm(server, {
    ref: { type: "ref/prompt", name },
    wanted: args.filter(isObject).map((arg) => ({
      name: asText(arg["name"]),
      title: asText(arg["title"] ?? arg["name"]),
      hint: asText(arg["description"] ?? ""),
      required: arg["required"] === true,
    })),
    action: "Get",
    onSubmit: (values) => {
      asking.abort();
      asking = new AbortController();
      void show(values, asking.signal); // Never rejects.
    },
  });

  async function show(values: Record<string, string>, signal: AbortSignal): Promise<void> {
    copy.hidden = true;
    state.textContent = "Asking…";
    try {
      const got = await server.client.getPrompt(name, values, { signal });
      const messages: unknown[] = [got.messages].flat();
      state.textContent = `${messages.length} ${messages.length === 1 ? "message" : "messages"}`;
      last = got;
      copy.hidden = false;
      result.replaceChildren(
        got.description === prompt.description ? "" : h("p", { class: "lead" }, asText(got.description ?? "")),
        ...messages.slice(0, MAX_MESSAGES).map(messageView),
      );
    } catch (error) {
      if (signal.aborted) return;
      state.textContent = "Failed";
      result.replaceChildren(failureBlock(error));
    }
  }
  return {
    heading,
    element: h("article", { class: "tool" }, head, form, h("div", { class: "actions" }, state, copy), result),
    close: () => asking.abort(),
  };
}

export function messageView(message: unknown): HTMLElement {
  if (!isObject(message)) return jsonView(message);
  const blocks: unknown[] = [message["content"]].flat();
  const views = blocks.slice(0, MAX_MESSAGES).map((block) => contentView(block));
  return h("div", { class: "card message" }, h("h3", {}, asText(message["role"])), ...views);
}

/** One prompt: its arguments, and the messages that it makes of them. */
import type { Prompt } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, h } from "../dom.ts";
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
  const result = h("div", { class: "result" });
  let asking = new AbortController();
  const form = completingForm(server, {
    ref: { type: "ref/prompt", name },
    wanted: args.filter(isObject),
    action: "Get",
    onSubmit: (values) => void show(values), // Never rejects.
  });

  async function show(values: Record<string, string>): Promise<void> {
    asking.abort();
    const { signal } = (asking = new AbortController());
    state.textContent = "Asking…";
    try {
      const got = await server.client.getPrompt(name, values, { signal });
      const messages: unknown[] = [got.messages].flat();
      state.textContent = `Messages: ${messages.length}`;
      result.replaceChildren(...messages.slice(0, MAX_MESSAGES).map(messageView));
    } catch (error) {
      if (signal.aborted) return;
      state.textContent = "Failed";
      result.replaceChildren(failureBlock(error));
    }
  }
  return {
    heading,
    element: h("article", { class: "tool" }, head, form, state, result),
    close: () => asking.abort(),
  };
}

export function messageView(message: unknown): HTMLElement {
  if (!isObject(message)) return jsonView(message);
  const blocks: unknown[] = [message["content"]].flat();
  return h(
    "div",
    { class: "card" },
    h("h3", {}, asText(message["role"])),
    ...blocks.slice(0, MAX_MESSAGES).map(contentView),
  );
}

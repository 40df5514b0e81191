/**
 * What a server wants a model to answer, for review; answered by hand, or by the person's own model and then reviewed.
 *
 * @see spec 2026-07-28 client/sampling
 */
import type { ContentBlock, JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { asText, button, type Child, freshId, h } from "../dom.ts";
import { contentView } from "../results/content-view.ts";
import { jsonView } from "../results/json-view.ts";
import type { Question } from "./input-handlers.ts";
import { currentSampler } from "./sampler.ts";

const MAX_MESSAGES = 100;

/** @throws when the person says no */
export async function reviewSampling(params: JsonObject, question: Question): Promise<JsonObject> {
  const asking = new AbortController();
  const id = freshId();
  const box = h("textarea", { id, rows: 3, required: true });
  const status = h("p", { class: "hint", role: "status" });
  const preview = h("div", {});
  let draft: JsonObject | undefined;
  const sampler = currentSampler();
  const ask = async (self: HTMLButtonElement): Promise<void> => {
    self.disabled = true;
    status.textContent = "Asking your model…";
    try {
      draft = await sampler?.(params, asking.signal);
      const content = draft?.["content"];
      const text = isObject(content) && content["type"] === "text" ? content["text"] : undefined;
      // Anything but text is shown, and sent, as it is.
      box.disabled = typeof text !== "string";
      box.value = typeof text === "string" ? text : "";
      preview.replaceChildren(...(box.disabled ? blocksOf(content) : []));
      status.textContent = "This is what your model says. Nothing is sent before you do.";
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    }
    self.disabled = false;
  };
  const body = [
    ...requestView(params),
    h("div", { class: "field" }, h("label", { for: id }, "Your answer"), box, preview, status),
    ...(sampler === undefined ? [] : [button("Ask my model", (self) => void ask(self), "quiet add")]),
  ];
  const actions = [
    { value: "send", label: "Send", tone: "primary" },
    { value: "decline", label: "Decline" },
  ] as const;
  const action = await openDialog({ ...question, wide: true, body, actions });
  asking.abort();
  if (action !== "send") throw new Error("You gave no answer for a model.");
  if (draft !== undefined && box.disabled) return draft;
  const content = { type: "text", text: box.value };
  return { role: "assistant", model: "human", stopReason: "endTurn", ...draft, content };
}

function requestView({ messages, systemPrompt, ...others }: JsonObject): HTMLElement[] {
  const listed: unknown[] = Array.isArray(messages) ? messages : [messages];
  const shown = listed.slice(0, MAX_MESSAGES).map((message) => {
    const { role, content }: JsonObject = isObject(message) ? message : { content: message };
    return part(asText(role), ...blocksOf(content));
  });
  if (listed.length > MAX_MESSAGES) shown.push(part("", `${listed.length - MAX_MESSAGES} more messages`));
  if (systemPrompt !== undefined)
    shown.unshift(part("System prompt", h("p", { class: "message" }, asText(systemPrompt))));
  const rest = Object.entries(others).flatMap(([name, value]) => [
    h("dt", {}, name),
    h("dd", {}, typeof value === "object" ? jsonView(value) : asText(value)),
  ]);
  return [
    h("div", { class: "messages", tabindex: 0, role: "group", "aria-label": "Messages" }, ...shown),
    h("dl", { class: "facts" }, ...rest),
  ];
}

function part(label: string, ...children: readonly Child[]): HTMLElement {
  return h("div", {}, h("h3", {}, label), ...children);
}

/** Content is a block or several. What they are, their view judges. */
function blocksOf(content: unknown): HTMLElement[] {
  return [content]
    .flat()
    .slice(0, MAX_MESSAGES)
    .map((block) => contentView(block as ContentBlock));
}

/**
 * What a server wants a model to answer, for review; answered by hand, or by the person's own model and then reviewed.
 *
 * @see spec 2026-07-28 client/sampling
 */
import type { ContentBlock, JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, button, h } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { contentView } from "../results/content-view.ts";
import { jsonView } from "../results/json-view.ts";
import { askForYes, type Question } from "./question.ts";
import { currentSampler } from "./sampler.ts";

const MAX_SHOWN = 100;
const ANSWER = "Your answer";

/** @throws when the person says no */
export async function reviewSampling(params: JsonObject, question: Question): Promise<JsonObject> {
  const form = schemaForm({ required: [ANSWER], properties: { [ANSWER]: { type: "string" } } });
  const status = h("p", { class: "hint", role: "status" });
  let draft: JsonObject = { role: "assistant", model: "human", stopReason: "endTurn" };
  const sampler = currentSampler();
  const drafted = async (self: HTMLButtonElement): Promise<void> => {
    self.disabled = true;
    status.textContent = "Asking…";
    try {
      draft = (await sampler?.(params, question.signal)) ?? draft;
      const { content } = draft;
      form.write({ [ANSWER]: isObject(content) ? content["text"] : "" });
      status.textContent = "Nothing is sent yet.";
    } catch (error) {
      status.textContent = String(error);
    }
    self.disabled = false;
  };
  const asking = sampler === undefined ? [] : [button("Ask my model", (self) => void drafted(self), "quiet add")];
  const body = [...requestView(params), form.element, status, ...asking];
  await askForYes({ ...question, wide: true }, { body, label: "Send", form });
  return { ...draft, content: { type: "text", text: form.read()[ANSWER] } };
}

/** The system prompt and the messages as what they are, everything else as JSON. */
function requestView({ messages, systemPrompt, ...others }: JsonObject): HTMLElement[] {
  const system = { role: "System prompt", content: { type: "text", text: systemPrompt } };
  const listed: unknown[] = [systemPrompt === undefined ? [] : system, messages].flat();
  const shown = listed.slice(0, MAX_SHOWN).map((message) => {
    const { role, content }: JsonObject = isObject(message) ? message : { content: message };
    const blocks: unknown[] = [content].flat().slice(0, MAX_SHOWN);
    // What they are, their view judges.
    return h("div", {}, h("h3", {}, asText(role)), ...blocks.map((block) => contentView(block as ContentBlock)));
  });
  const more = h("p", { class: "hint" }, listed.length > MAX_SHOWN ? `${listed.length - MAX_SHOWN} more messages` : "");
  const list = h("div", { class: "messages", tabindex: 0, role: "group", "aria-label": "Messages" }, ...shown, more);
  return [list, jsonView(others)];
}

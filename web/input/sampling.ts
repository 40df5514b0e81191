/** What a server wants a model to answer, for review; answered by hand, or by the person's own model and then reviewed. */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { textOf } from "../chat/conversation.ts";
import { currentModel } from "../chat/model-choice.ts";
import { askModel } from "../chat/model-request.ts";
import { asText, button, h } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { messageView } from "../prompts/prompt-view.ts";
import { jsonView } from "../results/json-view.ts";
import { accepted, ask, type Question } from "./question.ts";

/** What is more is not sent to a model either. */
const MAX_MESSAGES = 100;
const ANSWER = "Your answer";

/** @throws when the person says no */
export async function reviewSampling(params: JsonObject, question: Question): Promise<JsonObject> {
  const { messages: asked, systemPrompt, ...others } = params;
  const system = { role: "System prompt", content: { type: "text", text: systemPrompt } };
  const listed: unknown[] = [systemPrompt === undefined ? [] : system, asked].flat().slice(0, MAX_MESSAGES);
  const form = schemaForm({ required: [ANSWER], properties: { [ANSWER]: { type: "string" } } });
  const status = h("p", { class: "hint", role: "status" });
  let author = "human";
  const draft = async (): Promise<void> => {
    const { signal } = question;
    const model = await currentModel(signal);
    if (model === undefined) return;
    status.textContent = "Asking…";
    try {
      const messages = listed.filter(isObject).map(({ role, content }) => ({
        // A system prompt of a server's is no more than a wish.
        role: role === "assistant" ? role : "user",
        content: textOf(content),
      }));
      const { text } = await askModel(model, { messages, maxTokens: others["maxTokens"] }, signal);
      form.write({ [ANSWER]: text });
      author = asText(model["Model"]);
      status.textContent = "";
    } catch (error) {
      status.textContent = String(error);
    }
  };
  const drafting = button("Ask my model", () => void draft(), ""); // Never rejects.
  const shown = [...listed.map(messageView), jsonView(others), drafting, status];
  const content = accepted(await ask(question, "Send", form, ...shown));
  return { role: "assistant", model: author, content: { type: "text", text: content[ANSWER] } };
}

/** Which model the person brings, for the chat and for what servers ask of one. Kept in memory unless they say otherwise. */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { schemaForm } from "../form/schema-form.ts";
import { readStored, writeStored } from "../storage.ts";

const STORED = "chat-model";
const SCHEMA = {
  required: ["Endpoint", "Model"],
  properties: {
    Endpoint: {
      type: "string",
      format: "uri",
      examples: ["https://api.anthropic.com/v1/messages"],
      description: "Anthropic Messages if it ends in /messages, else OpenAI-compatible (/v1/chat/completions).",
    },
    Model: { type: "string" },
    Key: { type: "string", format: "password" },
    Remember: { type: "boolean", default: false, description: "In this browser, for whoever uses it to read" },
  },
};

let chosen: JsonObject | undefined = readStored(STORED, isObject);

/** @returns whether one was chosen */
export async function chooseModel(signal?: AbortSignal): Promise<boolean> {
  const form = schemaForm(SCHEMA);
  if (chosen !== undefined) form.write(chosen);
  const answer = await openDialog({
    title: "Your model",
    body: [form.element],
    actions: [
      { value: "use", label: "Use this model", tone: "primary" },
      { value: "", label: "Cancel" },
    ],
    mayEnd: (value) => value === "" || form.problems().length === 0,
    signal,
  });
  if (answer === "") return false;
  chosen = form.read();
  writeStored(STORED, chosen["Remember"] === true ? chosen : undefined);
  return true;
}

/** The one that was chosen; asks for one if none was. */
export async function currentModel(signal?: AbortSignal): Promise<JsonObject | undefined> {
  if (chosen === undefined) await chooseModel(signal);
  return chosen;
}

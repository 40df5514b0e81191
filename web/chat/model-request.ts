/**
 * Asks a model over HTTP.
 *
 * Contract: what is read is bounded. The key is in a header alone, and in no error.
 */
import type { JsonObject } from "../../src/client.ts";
import { asText } from "../text.ts";
import { apiOf, type ModelTool, type Reply } from "./model.ts";

/** No reply is that long; what an endpoint sends beyond it is not read. */
const MAX_REPLY = 8 * 1_048_576;
const MAX_QUOTED = 500;

export interface Asked {
  readonly messages: readonly JsonObject[];
  readonly tools?: readonly ModelTool[];
  readonly maxTokens?: unknown;
}

/** @throws why there is no reply, and what `signal` was aborted with */
export async function askModel(settings: JsonObject, asked: Asked, signal: AbortSignal): Promise<Reply> {
  const { messages, tools = [], maxTokens } = asked;
  const [endpoint = "", model, key = ""] = ["Endpoint", "Model", "Key"].map((name) => asText(settings[name]).trim());
  const api = apiOf(settings);
  const [limit, tokens] = api.limit;
  const body = {
    model,
    messages,
    [limit]: maxTokens ?? tokens,
    tools: tools.length > 0 ? tools.map(api.tool) : undefined,
  };
  let response;
  let text = "";
  try {
    response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", ...api.headers(key) },
      body: JSON.stringify(body),
      credentials: "omit",
      redirect: "error", // The key is for this address alone.
      signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (
      let part = await reader?.read();
      part?.value !== undefined && text.length < MAX_REPLY;
      part = await reader?.read()
    )
      text += part.value;
    await reader?.cancel();
  } catch {
    signal.throwIfAborted();
    throw new Error("The endpoint cannot be reached, or does not allow this page (CORS).");
  }
  let reply;
  try {
    reply = api.reply(JSON.parse(text));
  } catch {
    // Said below.
  }
  if (reply !== undefined && (reply.text !== "" || reply.calls.length > 0)) return reply;
  // Some endpoints quote the key that they refuse.
  const said = key === "" ? text : text.replaceAll(key, "••••");
  throw new Error(`No reply, but status ${response.status}: ${said.slice(0, MAX_QUOTED)}`);
}

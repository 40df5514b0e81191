/**
 * Asks a model over HTTP.
 *
 * Contract: what is read is bounded in size and time. The key is in a header alone, and in no error.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { APIS, type ModelSettings, type ModelTool, type Reply, type Turn } from "./model.ts";

/** Why there is no reply, in words for the person. Never holds the key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
}

/** No reply of a model is that long; an endpoint that sends more is broken. */
const MAX_REPLY_BYTES = 8 * 1_048_576;
/** Models think long; whole replies come at the end. */
const PATIENCE_MS = 300_000;

/** @throws {ModelError} and what `signal` was aborted with */
export async function askModel(
  settings: ModelSettings,
  { turns, tools, signal }: { turns: readonly Turn[]; tools: readonly ModelTool[]; signal: AbortSignal },
): Promise<Reply> {
  const api = APIS[settings.api];
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let response, text;
  try {
    response = await fetch(settings.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...api.headers(settings.key) },
      body: JSON.stringify(api.body(settings, turns, tools)),
      credentials: "omit",
      redirect: "error", // The key is for this address alone.
      signal: limited,
    });
    text = await readText(response);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ModelError) throw error;
    throw new ModelError(
      limited.aborted
        ? "The model did not answer within five minutes."
        : "The endpoint cannot be reached from this page. Either nothing answers there, or it does not allow browsers (CORS).",
    );
  }
  const body = parseJson(text);
  if (!response.ok) throw new ModelError(hidden(refusal(response, body), settings.key));
  const reply = isObject(body) ? api.reply(body) : undefined;
  if (reply === undefined) throw new ModelError("What the endpoint answered is no reply of this API.");
  return reply;
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MAX_REPLY_BYTES) {
      await reader.cancel();
      throw new ModelError("The endpoint sent more than any reply has, and was stopped.");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const STATUSES: Readonly<Record<number, string>> = {
  401: "The endpoint does not accept the key.",
  403: "The endpoint does not allow this key to do that.",
  404: "The endpoint does not know this address or this model.",
  429: "The endpoint wants fewer requests.",
};

function refusal({ status, headers }: Response, body: unknown): string {
  const error = isObject(body) ? body["error"] : undefined;
  const said = isObject(error) ? error["message"] : error;
  const wait = headers.get("retry-after");
  return [
    STATUSES[status] ?? `The endpoint answered with status ${status}.`,
    wait === null ? "" : `It asks to wait ${wait.slice(0, 40)} s.`,
    typeof said === "string" ? `It says: ${said.slice(0, 500)}` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Some endpoints quote the key that they refuse. */
function hidden(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "••••");
}

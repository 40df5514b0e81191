/**
 * What the reply to a request means: its result, or the error that is in it, or what is wrong with it.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#sending-messages, basic/index#responses
 */
import { clip, McpError, ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";
import { discard } from "./http-request.ts";
import { HttpFailure } from "./http-failure.ts";
import type { Connection } from "./session.ts";
import { isResponseTo, mediaTypeOf, parseJson, readStream, readText, type ReplyReading } from "./message-stream.ts";

/** Of the message of an error, in UTF-16 code units: it ends up in logs. */
const MAX_REASON_LENGTH = 2_000;
/** Of the body of an error status, which is read for the error in it and for what it tells of the server's era. */
const MAX_ERROR_BYTES = 1_048_576;

export async function readReply(
  response: Response,
  reading: ReplyReading,
  connection: Pick<Connection, "legacy" | "now">,
): Promise<JsonObject> {
  const type = mediaTypeOf(response);
  if (type === "stream") {
    let isAtWork = false;
    const onNotification: ReplyReading["onNotification"] = (method, params) => {
      isAtWork = true;
      reading.onNotification(method, params);
    };
    const message = await readStream(response, { ...reading, onNotification });
    // Who was at work on the request has understood it, whatever came of it.
    return resultOf(message, response, isAtWork ? { now: connection.now } : connection);
  }
  if (response.ok) {
    if (type === "json" && response.body !== null) {
      const text = await readText(response, reading.limits.maxMessageBytes, reading.signal);
      return resultOf(responseIn(text, reading.id), response, connection);
    }
    discard(response);
    // Not the body nor the type, which may be anything.
    throw new McpError("invalid_response", `The server answered ${response.status} without a response`);
  }
  const maxBytes = Math.min(MAX_ERROR_BYTES, reading.limits.maxMessageBytes);
  const text = await readText(response, maxBytes, reading.signal).catch((error: unknown) => {
    reading.signal.throwIfAborted();
    if (error instanceof McpError) return ""; // The status says enough.
    throw error;
  });
  const message = errorIn(text);
  if (message !== undefined && isResponseTo(message, reading.id)) return resultOf(message, response, connection);
  const code = response.status === 403 ? "forbidden" : "http_error";
  throw new McpError(code, `The server answered ${response.status}`, { cause: failureOf(response, text, connection) });
}

function responseIn(text: string, id: number): JsonObject {
  if (text.trim() === "") throw new McpError("stream_ended", "The stream ended before the response");
  const message = parseJson(text);
  if (isObject(message) && isResponseTo(message, id)) return message;
  throw new McpError("invalid_response", "The response is not one to this request");
}

/** The JSON-RPC error that a body holds, whatever the media type: some proxies change that. */
function errorIn(text: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && isObject(message["error"]) ? message : undefined;
  } catch {
    return undefined; // A page of some web server's.
  }
}

function textOf(message: JsonObject): string {
  try {
    return JSON.stringify(message);
  } catch {
    return ""; // Nested so deeply that the stack overflows. No legacy server does that.
  }
}

function failureOf(response: Response, text: string, { legacy, now }: Pick<Connection, "legacy" | "now">): HttpFailure {
  return new HttpFailure(response, legacy?.isLegacyAnswer(response.status, "application/json", text) === true, now());
}

/** @throws {ProtocolError} for an error response, with what HTTP said as its cause */
function resultOf(message: JsonObject, response: Response, connection: Pick<Connection, "legacy" | "now">): JsonObject {
  const { jsonrpc, result, error } = message;
  if (jsonrpc === "2.0" && error === undefined && isObject(result)) return result;
  if (jsonrpc !== "2.0" || !isObject(error) || !Number.isInteger(error["code"])) {
    throw new McpError("invalid_response", "The response is malformed");
  }
  const { code, message: reason, data } = error;
  const text = typeof reason === "string" ? reason : "No reason given";
  const thrown = new ProtocolError(Number(code), clip(text, MAX_REASON_LENGTH), data);
  thrown.cause = failureOf(response, textOf(message), connection);
  throw thrown;
}

/**
 * What the reply to a request means: its result, or the error that is in it, or what is wrong with it.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#sending-messages, basic/index#responses
 */
import { clip, McpError, ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import { parsed } from "../protocol/json-text.ts";
import type { JsonObject } from "../protocol/types.ts";
import { discard } from "./http-request.ts";
import { HttpFailure } from "./http-failure.ts";
import { isResponseTo, mediaTypeOf, readStream, readText, type ReplyReading } from "./message-stream.ts";
import type { Connection, LegacyConnector } from "./session.ts";

/** Of the message of an error, in UTF-16 code units: it ends up in logs. */
const MAX_REASON_LENGTH = 2_000;
/** Of the body of an error status, which is read for the error in it and for what it tells of the server's era. */
const MAX_ERROR_BYTES = 1_048_576;

type Eras = Pick<Connection, "now"> & { readonly legacy?: Pick<LegacyConnector, "isLegacyAnswer"> | undefined };

export async function readReply(response: Response, reading: ReplyReading, connection: Eras): Promise<JsonObject> {
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
      const text = await readText(response, reading.limits.maxMessageBytes, reading);
      return resultOf(responseIn(text, reading.id), response, connection);
    }
    discard(response);
    // Not the body nor the type, which may be anything.
    throw new McpError("invalid_response", `The server answered ${response.status} without a response`);
  }
  const maxBytes = Math.min(MAX_ERROR_BYTES, reading.limits.maxMessageBytes);
  const text = await readText(response, maxBytes, reading).catch((error: unknown) => {
    reading.signal.throwIfAborted();
    if (error instanceof McpError) return ""; // The status says enough.
    throw error;
  });
  throw refusalOf(response, parsed(text), connection, (message) => isResponseTo(message, reading.id));
}

/**
 * What a status that is an error stands for: the JSON-RPC error of the body, whatever its media type, since some proxies
 * change that; or the status itself, as for a page of some web server's.
 *
 * @param body as JSON, undefined where it is none
 * @param isOurs whether an error in the body is about what was asked
 */
export function refusalOf(
  response: Response,
  body: unknown,
  connection: Eras,
  isOurs: (message: JsonObject) => boolean = () => true,
): McpError | ProtocolError {
  const cause = failureOf(response, body, connection);
  const error = isObject(body) && isOurs(body) ? errorIn(body) : undefined;
  if (error !== undefined) return protocolErrorOf(error, cause);
  const { status } = response;
  return new McpError(status === 403 ? "forbidden" : "http_error", `The server answered ${status}`, { cause });
}

/** The error of an error response, its code an integer. */
export function errorIn({ jsonrpc, error }: JsonObject): JsonObject | undefined {
  return jsonrpc === "2.0" && isObject(error) && Number.isInteger(error["code"]) ? error : undefined;
}

function responseIn(text: string, id: number): JsonObject {
  if (text.trim() === "") throw new McpError("stream_ended", "The stream ended before the response");
  const message = parsed(text);
  if (message === undefined) throw new McpError("invalid_response", "The response is not JSON");
  if (isObject(message) && isResponseTo(message, id)) return message;
  throw new McpError("invalid_response", "The response is not one to this request");
}

function failureOf(response: Response, body: unknown, { legacy, now }: Eras): HttpFailure {
  return new HttpFailure(response, legacy?.isLegacyAnswer(response.status, body) === true, now());
}

/** @throws {ProtocolError} for an error response, with what HTTP said as its cause */
function resultOf(message: JsonObject, response: Response, connection: Eras): JsonObject {
  const { jsonrpc, result } = message;
  if (jsonrpc === "2.0" && message["error"] === undefined && isObject(result)) return result;
  const error = errorIn(message);
  if (error === undefined) throw new McpError("invalid_response", "The response is malformed");
  throw protocolErrorOf(error, failureOf(response, message, connection));
}

/** @param error as `errorIn` finds it */
export function protocolErrorOf({ code, message, data }: JsonObject, cause?: unknown): ProtocolError {
  const text = typeof message === "string" ? message : "No reason given";
  const error = new ProtocolError(Number(code), clip(text, MAX_REASON_LENGTH), data);
  if (cause !== undefined) error.cause = cause;
  return error;
}

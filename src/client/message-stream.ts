/**
 * The reply to one request, read under bounds until its response is there: a JSON body or an event stream.
 *
 * Contract: text is decoded once and each message parsed once. A message of another id is somebody else's; so is a request
 * of the server's, which this revision does not have. Once the response is there nothing more is read.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#receiving-messages
 */
import { McpError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import { parsed } from "../protocol/json-text.ts";
import type { JsonObject } from "../protocol/types.ts";
import { createSseDecoder, type SseDecoder, SseError } from "../sse/decode.ts";
import { discard } from "./http-request.ts";
import type { ReadLimits } from "./session.ts";

export interface ReplyReading {
  readonly id: number;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
  readonly onNotification: (method: string, params: JsonObject) => void;
  readonly onWarning: (message: string) => void;
}

export type MediaType = "json" | "stream" | "other";

/** By the essence of the type, without regard to case. Parameters say nothing here. */
export function mediaTypeOf({ headers }: Response): MediaType {
  const essence = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (essence === "text/event-stream") return "stream";
  return essence === "application/json" || essence?.endsWith("+json") ? "json" : "other";
}

/** Adds what a piece holds; true means that it has seen enough. */
type Consumer = (piece: Uint8Array) => boolean;

/** @throws {McpError} `stream_ended` when the body broke off, with what it failed with as its cause */
export async function consume(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
  consumer: Consumer,
): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  // Not every body of a given `fetch` ends with the signal.
  const cancel = (): void => void reader.cancel().catch(() => {});
  const broken = (cause: unknown): never => {
    signal.throwIfAborted();
    throw new McpError("stream_ended", "The stream broke before the response", { cause });
  };
  signal.addEventListener("abort", cancel);
  let whole = false;
  try {
    signal.throwIfAborted();
    for (;;) {
      const { done, value } = await reader.read().catch(broken);
      signal.throwIfAborted(); // A body that was cancelled ends like any other.
      whole = done;
      if (done || consumer(value)) return;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    if (!whole) cancel();
  }
}

// Without `stream: true` a decoder keeps nothing between calls, so requests may share it.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * A whole body as text.
 *
 * @param options `decoder` for peers that one takes as they are; JSON of MCP is UTF-8, or refused
 */
export async function readText(
  response: Response,
  maxBytes: number,
  { signal, decoder = UTF8 }: { readonly signal: AbortSignal; readonly decoder?: TextDecoder },
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (Number(response.headers.get("content-length")) > maxBytes) {
    discard(response);
    throw tooLarge(maxBytes);
  }
  await consume(response.body, signal, (piece) => {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
    return false;
  });
  try {
    return decoder.decode(joined(pieces, bytes));
  } catch (cause) {
    throw new McpError("invalid_response", "The response is not UTF-8", { cause });
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

/** The response with the id that is waited for, from an event stream. */
export async function readStream(response: Response, reading: ReplyReading): Promise<JsonObject> {
  const { maxMessageBytes, maxStreamBytes } = reading.limits;
  let found: JsonObject | undefined;
  let bytes = 0;
  const decoder = createSseDecoder({
    maxEventLength: maxMessageBytes,
    onEvent({ data, event }) {
      // Events of other types are no messages, and neither are keep-alives in the form of empty ones.
      if (found !== undefined || (event !== undefined && event !== "message") || data.trim() === "") return;
      found = judgeMessage(parsed(data), reading);
    },
  });
  await consume(response.body, reading.signal, (piece) => {
    bytes += piece.byteLength;
    if (bytes > maxStreamBytes) throw tooLarge(maxStreamBytes);
    feed(decoder, piece);
    return found !== undefined;
  });
  if (found === undefined) throw new McpError("stream_ended", "The stream ended before the response");
  return found;
}

/** The message if it is the response; what else it may be is seen to. */
function judgeMessage(message: unknown, reading: ReplyReading): JsonObject | undefined {
  // The cause would quote it.
  if (message === undefined) throw new McpError("invalid_response", "The response is not JSON");
  if (!isObject(message)) return undefined;
  const method = message["method"];
  if (typeof method !== "string") return isResponseTo(message, reading.id) ? message : undefined;
  if (message["id"] !== undefined) {
    // MUST NOT — #receiving-messages. There is nobody to send an answer to, either.
    reading.onWarning("A request on a response stream was ignored");
  } else if (isObject(message["params"])) reading.onNotification(method, message["params"]);
  return undefined;
}

/** An error that could not be given an id is about the one request that was sent. */
export function isResponseTo(message: JsonObject, id: number): boolean {
  if ("result" in message) return message["id"] === id;
  return "error" in message && (message["id"] ?? id) === id;
}

function tooLarge(maxBytes: number): McpError {
  return new McpError("too_large", `The response is larger than ${maxBytes} bytes`);
}

/** @throws {McpError} for what the decoder does not take */
export function feed(decoder: SseDecoder, piece: Uint8Array): void {
  try {
    decoder.feed(piece);
  } catch (error) {
    if (!(error instanceof SseError)) throw error;
    const code = error.reason === "too-large" ? "too_large" : "invalid_response";
    throw new McpError(code, error.message, { cause: error });
  }
}

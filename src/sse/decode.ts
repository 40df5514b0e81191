/**
 * Server-sent events, the reading half: bytes or text in any pieces in, whole events out. Knows nothing of MCP.
 *
 * Contract: linear in what it reads, and it never holds more than one event. Comments are dropped; an event without data
 * is handed on with `data: ""` only when the server wrote a `data` line, since its id may matter to a reader that resumes.
 * What stands unfinished when the stream ends is no event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
import { createParser } from "eventsource-parser";

export interface SseEvent {
  readonly data: string;
  /** Undefined for the default type, `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
}

export interface SseDecoderOptions {
  /** Of one event, in UTF-16 code units, of which there are never more than bytes. */
  readonly maxEventLength: number;
  readonly onEvent: (event: SseEvent) => void;
  /** The server's wish for how long to wait before joining again, in milliseconds. */
  readonly onRetry?: (milliseconds: number) => void;
}

export interface SseDecoder {
  /**
   * Calls `onEvent` for what became whole.
   *
   * @throws {SseError} when an event is larger than allowed, the bytes are not UTF-8, or there is too much that is no event; there is no going on after that
   */
  feed(piece: Uint8Array | string): void;
}

/** The stream cannot be read. What `onEvent` throws is passed on as it is. */
export class SseError extends Error {
  override readonly name = "SseError";
  readonly reason: "too-large" | "not-utf8" | "malformed";
  constructor(reason: SseError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The parser makes an error of each field that it does not know, which takes far longer than to send one. */
const MAX_UNKNOWN_FIELDS = 1_000;

export function createSseDecoder({ maxEventLength, onEvent, onRetry }: SseDecoderOptions): SseDecoder {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const tooLarge = (): SseError => new SseError("too-large", `An event is larger than ${maxEventLength} characters`);
  let overflow = false;
  let unknown = 0;
  // The parser holds back a CR at the end of a piece until it sees what follows, which may be never.
  let afterCr = false;
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent(event) {
      // An event that comes in one piece is never in the parser's buffer.
      if (event.data.length > maxEventLength) throw tooLarge();
      onEvent(event);
    },
    ...(onRetry && { onRetry }),
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") overflow = true;
      else if (++unknown > MAX_UNKNOWN_FIELDS) throw new SseError("malformed", "The stream is full of unknown fields");
    },
  });
  return {
    feed(piece) {
      let text = typeof piece === "string" ? piece : decode(utf8, piece);
      if (text === "") return;
      if (afterCr && text.startsWith("\n")) text = text.slice(1);
      afterCr = text.endsWith("\r");
      parser.feed(afterCr ? `${text}\n` : text);
      if (overflow) throw tooLarge();
    },
  };
}

function decode(utf8: TextDecoder, piece: Uint8Array): string {
  try {
    return utf8.decode(piece, { stream: true });
  } catch (cause) {
    throw new SseError("not-utf8", "The stream is not UTF-8", { cause });
  }
}

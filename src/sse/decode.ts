/**
 * Server-sent events, the reading half: bytes or text in any pieces in, whole events out. Knows nothing of MCP.
 *
 * Contract: linear in what it reads, and it never holds more than one event. Comments and fields that nobody knows are
 * dropped; an event without data is handed on with `data: ""` only when the server wrote a `data` line, since its id may
 * matter to a reader that resumes. Types and ids are those of their event: none is kept for the next. What stands unfinished
 * when the stream ends is no event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

export interface SseEvent {
  readonly data: string;
  /** Undefined for the default type, `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
}

export interface SseDecoderOptions {
  /** Of the `data` lines of one event, or of a line that has no end yet, in UTF-16 code units, of which there are never more than bytes. */
  readonly maxEventLength: number;
  readonly onEvent: (event: SseEvent) => void;
  /** The server's wish for how long to wait before joining again, in milliseconds. */
  readonly onRetry?: (milliseconds: number) => void;
}

export interface SseDecoder {
  /**
   * Calls `onEvent` for what became whole.
   *
   * @throws {SseError} when an event is larger than allowed, or the bytes are not UTF-8; there is no going on after that
   */
  feed(piece: Uint8Array | string): void;
}

/** The stream cannot be read. What `onEvent` throws is passed on as it is. */
export class SseError extends Error {
  override readonly name = "SseError";
  readonly reason: "too-large" | "not-utf8";
  constructor(reason: SseError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function createSseDecoder({ maxEventLength, onEvent, onRetry }: SseDecoderOptions): SseDecoder {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  /** The line that has no end yet. */
  let line = "";
  /** Of the `data` lines so far. */
  let size = 0;
  let data: string | undefined;
  let event: string | undefined;
  let id: string | undefined;
  let afterCr = false;

  const check = (length: number): void => {
    if (length > maxEventLength)
      throw new SseError("too-large", `An event is larger than ${maxEventLength} characters`);
  };
  const takeLine = (): void => {
    if (line === "") {
      const whole = data === undefined ? undefined : { data, event, id };
      size = 0;
      data = event = id = undefined;
      if (whole) onEvent(whole);
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "data") {
      data = data === undefined ? value : `${data}\n${value}`;
      check((size += line.length));
    } else if (name === "event") event = value || undefined;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value)) onRetry?.(Number(value));
  };
  return {
    feed(piece) {
      const text = typeof piece === "string" ? piece : decode(utf8, piece);
      if (text === "") return;
      // A CR ends its line at once, whether or not a LF follows it.
      let at = afterCr && text[0] === "\n" ? 1 : 0;
      let cr = text.indexOf("\r", at);
      for (let lf = text.indexOf("\n", at); lf >= 0 || cr >= 0;) {
        const byCr = cr >= 0 && (lf < 0 || cr < lf);
        const end = byCr ? cr : lf;
        line += text.slice(at, end);
        takeLine();
        line = "";
        at = end + (byCr && lf === cr + 1 ? 2 : 1);
        if (byCr) cr = text.indexOf("\r", at);
        if (lf >= 0 && lf < at) lf = text.indexOf("\n", at);
      }
      afterCr = text.endsWith("\r");
      line += text.slice(at);
      check(size + line.length);
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

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
  /**
   * Of the `data`, `event` and `id` lines of one event, and of a line that has no end yet, together. In UTF-16 code units, of
   * which there are never more than bytes. Other lines count no more once they have ended.
   */
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
  /** The line that has no end yet, and its length. */
  const open: string[] = [];
  let openLength = 0;
  /** Of the lines that made the event so far; 0 is none. */
  let size = 0;
  const data: string[] = [];
  let event: string | undefined;
  let id: string | undefined;
  let afterCr = false;

  const check = (length: number): void => {
    if (length > maxEventLength)
      throw new SseError("too-large", `An event is larger than ${maxEventLength} characters`);
  };
  const takeLine = (line: string): void => {
    if (line === "") {
      const whole = data.length > 0 ? { data: data.splice(0).join("\n"), event, id } : undefined;
      size = 0;
      event = id = undefined;
      if (whole) onEvent(whole);
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "retry" && /^\d+$/.test(value)) onRetry?.(Number(value));
    if (name === "data") pile(data, value, "\n");
    else if (name === "event") event = value || undefined;
    else if (name === "id") id = value.includes("\0") ? id : value;
    else return;
    check((size += line.length));
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
        // Most events are one line, and cheaper read at once.
        if (text[end + 1] === "\n" && !byCr && size + openLength === 0 && text.startsWith("data:", at)) {
          check(end - at);
          const value = text.slice(at + (text[at + 5] === " " ? 6 : 5), end);
          at = end + 2;
          onEvent({ data: value, event, id });
        } else {
          takeLine(open.splice(0).join("") + text.slice(at, end));
          openLength = 0;
          at = end + (byCr && lf === cr + 1 ? 2 : 1);
        }
        if (byCr) cr = text.indexOf("\r", at);
        if (lf >= 0 && lf < at) lf = text.indexOf("\n", at);
      }
      afterCr = text.endsWith("\r");
      pile(open, text.slice(at), "");
      openLength += text.length - at;
      check(size + openLength);
    },
  };
}

/**
 * Adds a part to what is joined in the end. Engines keep an object for each `+=`, and with a slice all that it was cut from:
 * pieces of a byte, or short lines amid long comments, would hold many times their length. A join copies; so parts are joined
 * a few at a time, and what was joined, which is the first part, is not copied again until the end.
 */
function pile(parts: string[], part: string, between: string): void {
  if (parts.push(part) > 64) parts.push(`${parts.shift()}${between}${parts.splice(0).join(between)}`);
}

function decode(utf8: TextDecoder, piece: Uint8Array): string {
  try {
    return utf8.decode(piece, { stream: true });
  } catch (cause) {
    throw new SseError("not-utf8", "The stream is not UTF-8", { cause });
  }
}

/**
 * Server-sent events, the reading half: text in pieces of any size, the data of whole events out.
 *
 * Only `data` matters here: MCP sends no other event type, and this revision has no resumption, hence no `id` or `retry`.
 * What an unfinished event holds when the stream ends is dropped, as the standard says.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** Characters of one event, or of one line that does not end. A server that sends more is not one to go on reading. */
const MAX_EVENT_LENGTH = 16_777_216;

export class EventStreamParser {
  readonly #onEvent: (data: string) => void;
  readonly #maxLength: number;
  /** The start of a line whose end has not come yet. */
  #line = "";
  #data: string[] = [];
  #dataLength = 0;
  /** The last piece ended in CR, so a LF at the start of the next belongs to it. */
  #afterCr = false;
  #first = true;

  constructor(onEvent: (data: string) => void, maxLength = MAX_EVENT_LENGTH) {
    this.#onEvent = onEvent;
    this.#maxLength = maxLength;
  }

  /** @throws {RangeError} when an event is longer than the limit */
  push(text: string): void {
    let rest = text;
    if (this.#first && rest !== "") {
      this.#first = false;
      if (rest.startsWith("\ufeff")) rest = rest.slice(1);
    }
    if (this.#afterCr && rest !== "") {
      this.#afterCr = false;
      if (rest.startsWith("\n")) rest = rest.slice(1);
    }
    let start = 0;
    for (const { 0: end, index } of rest.matchAll(/\r\n|\r|\n/g)) {
      this.#takeLine(this.#line + rest.slice(start, index));
      this.#line = "";
      start = index + end.length;
      if (end === "\r" && start === rest.length) this.#afterCr = true;
    }
    this.#line += rest.slice(start);
    this.#assertLength(this.#line.length);
  }

  #takeLine(line: string): void {
    if (line === "") {
      const data = this.#data;
      this.#data = [];
      this.#dataLength = 0;
      if (data.length > 0) this.#onEvent(data.join("\n"));
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data") return; // Comments, which start with the colon, and fields without use here.
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    this.#dataLength += value.length + 1;
    this.#assertLength(this.#dataLength);
    this.#data.push(value);
  }

  #assertLength(length: number): void {
    if (length > this.#maxLength) throw new RangeError("an event of the stream is too long");
  }
}

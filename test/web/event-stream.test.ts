/**
 * The page's reader of event streams: every way to split, what encode.ts writes, and the limit.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeEvent, KEEP_ALIVE } from "../../src/sse/encode.ts";
import { EventStreamParser } from "../../web/event-stream.ts";

function parse(pieces: readonly string[], maxLength?: number): string[] {
  const events: string[] = [];
  const parser = new EventStreamParser((data) => events.push(data), maxLength);
  for (const piece of pieces) parser.push(piece);
  return events;
}

const ROWS: readonly { name: string; stream: string; events: readonly string[] }[] = [
  { name: "one event", stream: "data: a\n\n", events: ["a"] },
  {
    name: "lines that end in CR, LF and CRLF",
    stream: "data: a\r\rdata: b\n\ndata: c\r\n\r\n",
    events: ["a", "b", "c"],
  },
  { name: "data on several lines", stream: "data: a\ndata:\ndata: b\n\n", events: ["a\n\nb"] },
  { name: "only the first space after the colon", stream: "data:  a\ndata:b\n\n", events: [" a\nb"] },
  { name: "a field without a colon", stream: "data\n\n", events: [""] },
  { name: "comments and other fields between", stream: ": hi\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", events: ["a"] },
  { name: "blank lines without data", stream: "\n\n:\n\nevent: x\n\ndata: a\n\n", events: ["a"] },
  { name: "a byte order mark", stream: "\ufeffdata: a\n\n", events: ["a"] },
  { name: "an event that the stream ends in", stream: "data: a\n\ndata: b\n", events: ["a"] },
  { name: "a field name that only starts like data", stream: "database: a\ndata: b\n\n", events: ["b"] },
];

describe("EventStreamParser", () => {
  test.each(ROWS)("reads $name, wherever the text is split", ({ stream, events }) => {
    expect(parse([stream])).toEqual(events);
    expect(parse(Array.from(stream))).toEqual(events);
    for (let at = 0; at <= stream.length; at++)
      expect(parse([stream.slice(0, at), "", stream.slice(at)])).toEqual(events);
  });

  test("reads back whatever was encoded, in pieces of any size", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(text), fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (messages, sizes) => {
        const stream = messages.map((message) => encodeEvent(message) + KEEP_ALIVE).join("");
        const pieces: string[] = [];
        for (let at = 0; at < stream.length; at += pieces.at(-1)?.length ?? 1) {
          pieces.push(stream.slice(at, at + Number(sizes.next().value)));
        }
        expect(parse(pieces)).toEqual(messages.map((message) => message.replaceAll(/\r\n?/g, "\n")));
      }),
    );
  });

  test("gives up on a line and on an event that are too long, but not on many short events", () => {
    expect(() => parse(["data: 12345", "67890"], 12)).toThrow(RangeError);
    expect(() => parse(["data: 12345\n", "data: 12345\n", "data: 12345\n"], 12)).toThrow(RangeError);
    expect(parse(["data: 1\n\n".repeat(50)], 12)).toHaveLength(50);
  });
});

import { isDeepStrictEqual } from "node:util";
import { createParser } from "eventsource-parser";
import { array, assert, constantFrom, nat, oneof, property, stringMatching, tuple } from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createSseDecoder, SseError, type SseEvent } from "../../src/sse/decode.ts";
import { encodeEvent } from "../../src/sse/encode.ts";

const UTF8 = new TextEncoder();

function decode(pieces: readonly (string | Uint8Array)[], maxEventLength = 1_000_000): SseEvent[] {
  const events: SseEvent[] = [];
  const decoder = createSseDecoder({ maxEventLength, onEvent: (event) => void events.push(event) });
  for (const piece of pieces) decoder.feed(piece);
  return events;
}

const dataOf = (events: readonly SseEvent[]): string[] => events.map(({ data }) => data);

interface Row {
  name: string;
  stream: string;
  expect: string[];
}

const ROWS: Row[] = [
  { name: "one event", stream: "data: a\n\n", expect: ["a"] },
  { name: "no space after the colon", stream: "data:a\n\n", expect: ["a"] },
  { name: "one space taken, the second kept", stream: "data:  a\n\n", expect: [" a"] },
  { name: "several data lines", stream: "data: a\ndata: b\n\n", expect: ["a\nb"] },
  { name: "CR LF", stream: "data: a\r\n\r\ndata: b\r\n\r\n", expect: ["a", "b"] },
  { name: "CR LF within an event", stream: "data: a\r\ndata: b\r\n\r\n", expect: ["a\nb"] },
  { name: "CR alone", stream: "data: a\r\rdata: b\r\r", expect: ["a", "b"] },
  { name: "mixed line ends", stream: "data: a\r\n\ndata: b\n\r\n", expect: ["a", "b"] },
  { name: "comments", stream: ": ping\n\n:\n\ndata: a\n:inside\n\n", expect: ["a"] },
  { name: "fields nobody knows", stream: "colour: red\ndata: a\n\n", expect: ["a"] },
  { name: "an id alone", stream: "id: 1\n\ndata: a\n\n", expect: ["a"] },
  { name: "a data line without data", stream: "id: 1\ndata:\n\ndata: a\n\n", expect: ["", "a"] },
  { name: "an event that is not ended", stream: "data: a\n\ndata: b\n", expect: ["a"] },
  { name: "a byte order mark", stream: "\ufeffdata: a\n\n", expect: ["a"] },
  { name: "characters of two, three and four bytes", stream: "data: é語🔔\n\n", expect: ["é語🔔"] },
];

test.each(ROWS)("$name: read whole", ({ stream, expect: expected }) => {
  expect(dataOf(decode([UTF8.encode(stream)]))).toEqual(expected);
});

test.each(ROWS)("$name: the same wherever the bytes are split, and byte by byte", ({ stream, expect: expected }) => {
  const bytes = UTF8.encode(stream);
  for (let at = 0; at <= bytes.length; at++) {
    expect(dataOf(decode([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(expected);
  }
  expect(dataOf(decode(Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(expected);
});

test("what the writing half writes is read back, whatever it holds", () => {
  const texts = ["", "a\nb", "\n", ":x", "data: y", "é語🔔", " padded "];
  expect(dataOf(decode([texts.map(encodeEvent).join("")]))).toEqual(texts);
});

test("type and id come with an event, and are not kept for the next", () => {
  expect(decode(["event: ping\nid: 7\ndata: {}\n\ndata: a\n\n"])).toEqual([
    { event: "ping", id: "7", data: "{}" },
    { event: undefined, id: undefined, data: "a" },
  ]);
});

test("an event ended by a CR is handed on at once, without what may follow", () => {
  expect(dataOf(decode(["data: a\r\r"]))).toEqual(["a"]);
  expect(dataOf(decode(["data: a\r", "\n\r", "\n", "data: b\n\n"]))).toEqual(["a", "b"]);
  expect(dataOf(decode(["data: a\r", "", "\ndata: b\n\n"]))).toEqual(["a\nb"]);
});

/** Each has what the fast way through one-line events must not take for one. */
const TANGLES = [
  "data: é\n\ndata: 語🔔\r\n\r\ndata:x\n\n",
  "event: a\ndata: 1\n\ndata: 2\n\nid: 3\ndata: 4\n\ndata: 5\n\n",
  "data: 1\ndata: 2\n\ndata\n\ndata:\n\n:data: 3\n\ndatas: 4\n\ndata : 5\n\n",
  "\ufeffdata: 1\r\rdata: 2\r\n\ndata: 3\n\rdata: 4\r\n\rid: 🔔\n\ndata:: 5\n\n",
  "retry: 5\nretry: -5\nretry\nretry: 0x5\nretry: ٣\nid: a\0\ndata: 1\n\nid\ndata: 2\n\nevent\ndata: 3\n\n",
];

test.each(TANGLES)("%j: the same in any two or three pieces of bytes, and of text", (stream) => {
  const expected = ours([UTF8.encode(stream)]);
  const unmarked = stream.replace("\ufeff", "");
  for (const whole of [UTF8.encode(stream), unmarked]) {
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const heard = ours([whole.slice(0, first), whole.slice(first, second), whole.slice(second)]);
        if (!isDeepStrictEqual(heard, expected)) expect(heard).toEqual(expected);
      }
    }
  }
  expect(expected).toEqual(theirs(unmarked));
});

test("one byte order mark is dropped, and only at the beginning", () => {
  expect(decode([UTF8.encode("\ufeff\ufeffdata: a\n\n")])).toEqual([]);
  expect(dataOf(decode([UTF8.encode("data: \ufeffa\n\n")]))).toEqual(["\ufeffa"]);
});

test("an event is handed on with its last byte, whatever ends its lines", () => {
  for (const end of ["\n", "\r"]) {
    const heard: string[] = [];
    const decoder = createSseDecoder({ maxEventLength: 10, onEvent: ({ data }) => void heard.push(data) });
    decoder.feed(`data: a${end}`);
    expect(heard).toEqual([]);
    decoder.feed(end);
    expect(heard).toEqual(["a"]);
  }
});

test("a server's wish for a pause is handed on", () => {
  const waits: number[] = [];
  const decoder = createSseDecoder({ maxEventLength: 10, onEvent: () => {}, onRetry: (ms) => void waits.push(ms) });
  decoder.feed("retry: 1500\n\nretry: soon\n\n");
  expect(waits).toEqual([1500]);
});

describe("bounds", () => {
  test.each([
    ["in one piece", ["data: 0123456789\n\n"]],
    ["in many pieces", Array.from("data: 0123456789\n\n")],
    ["over many lines", Array.from({ length: 20 }, () => "data: 0123456\n")],
    ["without a line end", ["data: ", ...Array.from("0123456789")]],
    ["as a comment", [":", ...Array.from("0123456789")]],
  ])("an event %s that is too large ends the reading", (_name, pieces) => {
    expect(() => decode(pieces, 9)).toThrow(expect.objectContaining({ name: "SseError", reason: "too-large" }));
  });

  test.each([
    ["whole", (stream: string) => [stream]],
    ["in pieces", (stream: string) => Array.from(stream)],
  ])("%s, the lines of an event may be as long as allowed, and not one more", (_name, pieces) => {
    expect(decode(pieces("data: 0123\ndata: 4\n\n"), 17)).toHaveLength(1);
    expect(() => decode(pieces("data: 0123\ndata: 45\n\n"), 17)).toThrow(SseError);
  });

  test.each([
    ["event: 0123\ndata: 4\n\n", 18],
    ["id: 0123\nid: 4\ndata: 5\n\n", 20],
    ["data\ndata\r\ndata:\r\r", 13],
    ["data: 0\n: 123456\n\n", 15],
    ["data: 🔔\n\n", 8],
  ])("%j is as long as %i, in pieces of a character", (stream, length) => {
    const units = stream.split("");
    expect(decode(units, length)).toHaveLength(1);
    expect(() => decode(units, length - 1)).toThrow(SseError);
  });

  test.each(["event: 0123456789\n", "id: 0123456789\n", "data: 0123456789\n", ": 0123456789", "q: 0123456789"])(
    "%j is refused in one piece, since some of it would be kept",
    (stream) => {
      expect(decode([stream], stream.length)).toEqual([]);
      expect(() => decode([stream], 9)).toThrow(SseError);
    },
  );

  test("comments, pauses and fields that nobody knows take nothing from an event once they have ended", () => {
    const between = ": ping\nretry: 1\nq: 1\n";
    expect(dataOf(decode([`data: 0\n${between}data: 1\n${between}\n`], 14))).toEqual(["0\n1"]);
  });

  test("many events of the allowed size are no large one", () => {
    expect(decode([encodeEvent("012345678").repeat(100)], 20)).toHaveLength(100);
  });

  test("fields that nobody knows are passed over, however many, and count against no event", () => {
    expect(dataOf(decode(["q: 0123456789\n".repeat(100_000), "data: a\n\n"], 20))).toEqual(["a"]);
  });

  test("bytes that are not UTF-8 end the reading", () => {
    expect(() => decode([Uint8Array.of(0x64, 0x61, 0xff)])).toThrow(SseError);
  });

  test("what the owner throws comes out as it is", () => {
    const own = new RangeError("mine");
    const decoder = createSseDecoder({
      maxEventLength: 10,
      onEvent: () => {
        throw own;
      },
    });
    expect(() => decoder.feed("data: a\n\n")).toThrow(own);
  });

  // SSE-05.
  test("a message of 2 MiB in chunks of 1 KiB is read once, not once a chunk", () => {
    const large = "語".repeat(700_000);
    const bytes = UTF8.encode(encodeEvent(large));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 1_024) }, (_, index) =>
      bytes.subarray(index * 1_024, (index + 1) * 1_024),
    );
    expect(dataOf(decode(chunks, 3_000_000))).toEqual([large]);
  });
});

/** Many times what it takes: only what is not linear comes near. */
const DEADLINE_MS = 60_000;

describe("work and memory", { timeout: DEADLINE_MS }, () => {
  test.each([
    [1_000_000, 1],
    [1_000_000, 2],
    [5_000_000, 15],
    [5_000_000, 64],
    [5_000_000, 4_096],
  ])("an event of %i bytes comes whole out of pieces of %i", (length, step) => {
    const bytes = UTF8.encode(`data: ${"x".repeat(length)}\n\n`);
    let heard = "";
    const decoder = createSseDecoder({ maxEventLength: length + 6, onEvent: ({ data }) => (heard = data) });
    for (let at = 0; at < bytes.length; at += step) decoder.feed(bytes.subarray(at, at + step));
    expect(heard === "x".repeat(length)).toBe(true);
  });

  test("an event of a million lines, and a million events in one piece, come whole", () => {
    expect(dataOf(decode([`${"data:\n".repeat(1_000_000)}\n`], 5_000_000))).toEqual(["\n".repeat(999_999)]);
    expect(decode(["data:\n\n".repeat(1_000_000)])).toHaveLength(1_000_000);
    expect(decode(["data:\r\r".repeat(1_000_000)])).toHaveLength(1_000_000);
  });

  test("text is looked through once for each kind of line end, and joined twice at most", () => {
    const scanned = vi.spyOn(String.prototype, "indexOf");
    const joined = vi.spyOn(Array.prototype, "join");
    let characters = 0;
    try {
      decode(["data: ", ...Array.from({ length: 10_000 }, () => "x".repeat(100)), "\n\n"], 1_000_006);
      const looks = scanned.mock.contexts.map((text, index) => {
        const from = scanned.mock.calls[index]?.[1] ?? 0;
        const found = scanned.mock.results[index]?.value;
        return (typeof found === "number" && found >= 0 ? found + 1 : String(text).length) - from;
      });
      characters = looks.reduce((sum, look) => sum + look, 0);
      for (const { value } of joined.mock.results) characters += String(value).length;
    } finally {
      scanned.mockRestore();
      joined.mockRestore();
    }
    // Two looks, a join a few at a time, one at the end of the line, one at the end of the event.
    expect(characters).toBeGreaterThan(2_000_000);
    expect(characters).toBeLessThan(6_000_000);
  });
});

function ours(pieces: readonly (string | Uint8Array)[]): unknown[] {
  const heard: unknown[] = [];
  const decoder = createSseDecoder({
    maxEventLength: 1_000,
    onEvent: (event) => void heard.push(event),
    onRetry: (ms) => void heard.push(ms),
  });
  for (const piece of pieces) decoder.feed(piece);
  return heard;
}

/** What the library makes of a stream that it gets whole, with a last LF, since it waits for what follows a CR. */
function theirs(text: string): unknown[] {
  const heard: unknown[] = [];
  const parser = createParser({
    onEvent: ({ data, event, id }) => void heard.push({ data, event, id }),
    onRetry: (ms) => void heard.push(ms),
  });
  parser.feed(text.endsWith("\r") ? `${text}\n` : text);
  return heard;
}

describe("beside eventsource-parser", () => {
  const value = stringMatching(/^[ :a\0é語]{0,4}$/);
  const line = oneof(
    tuple(constantFrom("data", "event", "id", "retry", "colour", ""), constantFrom(":", ": "), value).map((parts) =>
      parts.join(""),
    ),
    constantFrom("data", "id", "event", "retry: 7", "retry:7x", ":", ": ping", ""),
  );
  const stream = array(tuple(line, constantFrom("\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n")), {
    maxLength: 12,
  }).map((lines) => lines.flat().join(""));

  test("the same events and waits, wherever the stream is cut", () => {
    assert(
      property(stream, array(nat({ max: 60 }), { maxLength: 5 }), (text, cuts) => {
        const bytes = UTF8.encode(text);
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
        expect(ours(ends.map((to, index) => bytes.subarray(ends[index - 1] ?? 0, to)))).toEqual(theirs(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

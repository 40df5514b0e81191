import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEvent, KEEP_ALIVE } from "../../src/sse/encode.ts";

interface Event {
  readonly type: string;
  readonly data: string;
}

/** Events and fields as section 9.2.6 of the HTML standard reads them, written the slow and obvious way. */
function interpret(stream: string): { events: Event[]; fields: string[] } {
  const events: Event[] = [];
  const fields: string[] = [];
  let data: string[] = [];
  const lines = stream.split(/\r\n|\r|\n/);
  lines.pop(); // Text after the last line end is no line yet.
  for (const line of lines) {
    if (line === "") {
      if (data.length > 0) events.push({ type: "message", data: data.join("\n") });
      data = [];
      continue;
    }
    if (line.startsWith(":")) continue;
    const [field = "", ...rest] = line.split(":");
    fields.push(field);
    if (field === "data") data.push(rest.join(":").replace(/^ /, ""));
  }
  return { events, fields };
}

test("JSON stays on one line", () => {
  const json = JSON.stringify({ text: "a\r\nb\n\ndata: x\n\n" });
  expect(encodeEvent(json)).toBe(`data: ${json}\n\n`);
});

test.each<[data: string, frame: string]>([
  ["", "data: \n\n"],
  ["a\nb", "data: a\ndata: b\n\n"],
  ["a\r\nb", "data: a\ndata: b\n\n"],
  ["a\rb", "data: a\ndata: b\n\n"],
  ["a\n\nevent: evil\ndata: x", "data: a\ndata: \ndata: event: evil\ndata: data: x\n\n"],
  ["\n", "data: \ndata: \n\n"],
])("%j cannot end its event early", (data, frame) => {
  expect(encodeEvent(data)).toBe(frame);
});

test("separators that are line breaks in JavaScript only are left alone", () => {
  expect(encodeEvent("\u2028\u2029\u0085\v\f")).toBe("data: \u2028\u2029\u0085\v\f\n\n");
});

test("whatever the text, it is one event of the default type, with the same text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\r", "\n", "data:", "event: x", "id: 1", "retry: 1", ":", " ", "\u2028", "a") }),
  );
  fc.assert(
    fc.property(text, text, (first, second) => {
      const { events, fields } = interpret(encodeEvent(first) + KEEP_ALIVE + encodeEvent(second));
      expect(events).toEqual(
        [first, second].map((data) => ({ type: "message", data: data.replaceAll(/\r\n|\r/g, "\n") })),
      );
      expect(new Set(fields)).toEqual(new Set(["data"]));
    }),
    { numRuns: 500 },
  );
});

test("a keep-alive is no event", () => {
  expect(interpret(KEEP_ALIVE.repeat(3))).toEqual({ events: [], fields: [] });
});

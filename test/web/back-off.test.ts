import { expect, test } from "vitest";
import { backOffMs, retryAfterMs } from "../../web/back-off.ts";

test("waits 1 to 2 seconds at first, twice as long each time, and half a minute at most", () => {
  const waits = [1, 2, 3, 4, 5, 50].map((failures) => [backOffMs(failures, 0), backOffMs(failures, 1)]);
  expect(waits).toEqual([
    [1_000, 2_000],
    [2_000, 4_000],
    [4_000, 8_000],
    [8_000, 16_000],
    [15_000, 30_000],
    [15_000, 30_000],
  ]);
});

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);

test.each([
  ["seconds", "7", 7_000],
  ["seconds with space around them", " 7 ", 7_000],
  ["a date to come", "Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
  ["a date that has passed", "Mon, 30 Nov 2026 11:59:30 GMT", 0],
  ["more than an hour", "86400", 3_600_000],
  ["a number beyond all bounds", "9".repeat(400), 3_600_000],
  ["something else", "soon", 0],
  ["nothing", "", 0],
  ["no header", undefined, 0],
])("takes from Retry-After with %s how long to wait", (_name, header, wait) => {
  expect(retryAfterMs(header, NOW)).toBe(wait);
});

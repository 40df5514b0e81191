/** What an unfinished event holds: its own length, whatever it came among and in. Needs Node's garbage collector. */
import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createSseDecoder } from "../../src/sse/decode.ts";

const UTF8 = new TextEncoder();

test.each([
  [
    "short lines amid long comments",
    UTF8.encode(`data: 0123456789abcdef\n${": 0123456789abcdef\n".repeat(3_000)}`),
    1_500,
  ],
  ["pieces of a byte", Uint8Array.of(0x64), 1_000_000],
])("an event in %s does not hold what it was cut from", (_name, piece, count) => {
  const decoder = createSseDecoder({ maxEventLength: 5_000_000, onEvent: () => {} });
  collectGarbage();
  const before = memoryUsage().heapUsed;
  for (let fed = 0; fed < count; fed++) decoder.feed(piece);
  collectGarbage();
  expect(memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  decoder.feed("\n\n");
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}

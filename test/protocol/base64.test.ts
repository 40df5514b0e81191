import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "../../src/protocol/base64.ts";

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

function patterned(length: number): Uint8Array {
  const filled = new Uint8Array(length);
  for (let index = 0; index < length; index++) filled[index] = (index * 31 + (index >> 8)) & 0xff;
  return filled;
}

/** The same bytes, on an object without the runtime's own `toBase64`. */
function withoutNative(array: Uint8Array): Uint8Array {
  return Object.defineProperty(array, "toBase64", { value: undefined });
}

test.each<[Uint8Array, string]>([
  // RFC 4648 section 10.
  [bytes(), ""],
  [bytes(0x66), "Zg=="],
  [bytes(0x66, 0x6f), "Zm8="],
  [bytes(0x66, 0x6f, 0x6f), "Zm9v"],
  [bytes(0xfb, 0xff, 0xbf), "+/+/"],
])("%o is %j, with padding and the standard alphabet", (array, text) => {
  expect(encodeBase64(array)).toBe(text);
  expect(encodeBase64(withoutNative(array))).toBe(text);
  expect(decodeBase64(text)).toEqual(array);
});

describe.each([
  ["the runtime's encoder", (array: Uint8Array) => array],
  ["the encoder of older runtimes", withoutNative],
])("%s", (_, prepare) => {
  test.each([0, 1, 2, 3, 0x6000 - 1, 0x6000, 0x6000 + 1, 131_072, 4_194_304])(
    "takes %i bytes there and back",
    (length) => {
      const original = patterned(length);
      const decoded = decodeBase64(encodeBase64(prepare(original.slice())));
      expect(decoded?.length).toBe(length);
      // Comparing millions of elements one by one takes the matcher minutes.
      expect(decoded?.every((byte, index) => byte === original[index])).toBe(true);
    },
  );

  test("agrees with the decoder on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
        expect(decodeBase64(encodeBase64(prepare(array.slice())))).toEqual(array);
      }),
    );
  });
});

test("a view into a larger buffer is encoded without its surroundings", () => {
  expect(encodeBase64(patterned(10).subarray(3, 5))).toBe(encodeBase64(patterned(10).slice(3, 5)));
});

test.each<[text: string, because: string]>([
  ["Zg", "padding is missing"],
  ["Zg=", "padding is short"],
  ["Zg===", "padding is long"],
  ["Z===", "one digit is no byte"],
  ["=", "it is padding alone"],
  ["Zg==Zg==", "padding is inside"],
  ["Zh==", "the digit before the padding has bits to spare"],
  ["Zm9=", "the digit before the padding has bits to spare"],
  ["Zm 9v", "it has white space"],
  ["Zm9v\n", "it has a line break"],
  ["-_-_", "it is of the URL-safe alphabet"],
  ["Zm9é", "é is not of the alphabet"],
])("%j is refused: %s", (text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

test("what is accepted is exactly what the encoder writes", () => {
  const texts = fc.string({ unit: fc.constantFrom("A", "g", "w", "Z", "9", "+", "/", "=", "-", " "), maxLength: 9 });
  fc.assert(
    fc.property(texts, (text) => {
      const decoded = decodeBase64(text);
      if (decoded !== undefined) expect(encodeBase64(decoded)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

describe("the URL-safe form", () => {
  test("has its own alphabet and no padding, and comes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (array) => {
        const text = encodeBase64Url(array);
        expect(text).toMatch(/^[A-Za-z0-9_-]*$/);
        expect(decodeBase64Url(text)).toEqual(array);
      }),
    );
  });

  test.each(["+/+/", "Zg==", "Zg=", "Z", "Zh", "Z g", "Zg\n"])("%j is not of it", (text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });
});

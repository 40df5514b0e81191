import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "../../src/protocol/header-value.ts";

describe("encoding", () => {
  test.each<[original: string, encoded: string, because: string]>([
    // The examples of the specification.
    ["us-west1", "us-west1", "plain ASCII"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=", "not ASCII"],
    [" padded ", "=?base64?IHBhZGRlZCA=?=", "spaces at the ends"],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?=", "a control character"],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "it looks encoded"],
    // And what else clients meet.
    ["grüße", "=?base64?Z3LDvMOfZQ==?=", "Latin-1 is not ASCII, though a Headers object would take it"],
    ["", "", "an empty value is a value"],
    ["two words\tand a tab", "two words\tand a tab", "white space inside is allowed"],
    ["\t", "=?base64?CQ==?=", "white space alone would be trimmed"],
    ["a\r\nx-evil: 1", "=?base64?YQ0KeC1ldmlsOiAx?=", "a header of its own"],
    ["\u007f", "=?base64?fw==?=", "DEL is a control character"],
    ["=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?=", "it looks encoded"],
    ["=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?=", "it looks encoded"],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?=", "it starts and ends like the sentinel"],
    ["=?BASE64?x?=", "=?BASE64?x?=", "the markers are case-sensitive"],
    ["x =?base64?x?=", "x =?base64?x?=", "the prefix is not at the start"],
    ["\ud800", "=?base64?77+9?=", "a lone surrogate has no UTF-8"],
  ])("%j becomes %j: %s", (original, encoded) => {
    expect(encodeHeaderValue(original)).toBe(encoded);
  });

  test("whatever the string, the header is safe to send and decodes to the string", () => {
    const strings = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary-ascii" }),
      fc.string({ unit: fc.constantFrom("=", "?", "base64", "A", " ", "\t", "é", "\n") }),
    );
    fc.assert(
      fc.property(strings, (value) => {
        const encoded = encodeHeaderValue(value);
        expect(encoded).toMatch(/^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/);
        expect(new Headers({ "mcp-name": encoded }).get("mcp-name")).toBe(encoded);
        expect(decodeHeaderValue(encoded)).toBe(value.toWellFormed());
      }),
      { numRuns: 500 },
    );
  });
});

describe("decoding", () => {
  test.each<[header: string, expected: string | undefined, because: string]>([
    ["plain", "plain", "it is plain"],
    ["=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界", "it is encoded"],
    ["=?base64??=", "", "the empty string encodes to nothing"],
    ["=?base64?aGVsbG8=?=", "hello", "encoding what could be plain is allowed"],
    ["=?base64?77u/YQ==?=", "\ufeffa", "a byte order mark is part of the string"],
    ["=?base64?literal", "=?base64?literal", "without the suffix it is plain"],
    ["=?BASE64?aGVsbG8=?=", "=?BASE64?aGVsbG8=?=", "the markers are case-sensitive"],
    ["=?base64?aGVsbG8?=", undefined, "padding is missing"],
    ["=?base64?aGVsbG8==?=", undefined, "there is too much padding"],
    ["=?base64?aGVs bG8=?=", undefined, "there is a space in it"],
    ["=?base64?aGVsbG9-?=", undefined, "the alphabet is the URL-safe one"],
    ["=?base64?aGVsbG_v?=", undefined, "the alphabet is the URL-safe one"],
    ["=?base64?aGVsbG9=?=", undefined, "the last digit has bits that no encoder writes"],
    ["=?base64?%%%%?=", undefined, "it is no Base64 at all"],
    ["=?base64?literal?=", undefined, "seven characters are no Base64"],
    ["=?base64?/w==?=", undefined, "the bytes are not UTF-8"],
    ["=?base64?7aCA?=", undefined, "surrogates are not UTF-8"],
    ["grüße", undefined, "clients must encode what is not ASCII"],
    ["a\u0000b", undefined, "control characters are not allowed"],
    ["a\u007fb", undefined, "control characters are not allowed"],
  ])("%j is %j: %s", (header, expected) => {
    expect(decodeHeaderValue(header)).toBe(expected);
  });

  test("a value as long as all headers together may be is decoded", () => {
    const value = "é".repeat(48_000);
    expect(decodeHeaderValue(encodeHeaderValue(value))).toBe(value);
  });

  test("no header value makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (value) => void decodeHeaderValue(value)));
    fc.assert(
      fc.property(fc.string(), (inner) => {
        const decoded = decodeHeaderValue(`=?base64?${inner}?=`);
        expect(decoded === undefined || encodeHeaderValue(decoded).length > 0 || decoded === "").toBe(true);
      }),
    );
  });
});

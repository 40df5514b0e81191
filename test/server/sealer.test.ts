/** The sealer behind `requestState`, and the forms of its keys. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFetchHandler } from "../../src/core.ts";
import { createSealer, parseStateKey, type StateBinding } from "../../src/server/sealed-state.ts";
import { emptyServer, STATE_KEY } from "../kit/serve.ts";

describe("the sealer", () => {
  const BINDING: StateBinding = { server: "s", principal: "ada", method: "tools/call", target: "t", args: { a: 1 } };
  const sealer = createSealer({ keys: [parseStateKey(STATE_KEY, 0)], ttlMs: 1_000, now: () => 0 });
  const json = fc.dictionary(fc.string({ unit: "binary-ascii" }), fc.jsonValue({ noUnicodeString: false }));
  const binding = fc.record({
    server: fc.string(),
    principal: fc.string(),
    method: fc.string(),
    target: fc.string(),
    args: json,
  });

  test("opens whatever it sealed", async () => {
    await fc.assert(
      fc.asyncProperty(json, binding, async (payload, binding) => {
        const opened = await sealer.open(await sealer.seal(payload, binding), binding);
        expect(opened).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
      { numRuns: 60 },
    );
  });

  test("opens nothing for a binding that differs in any way", async () => {
    await fc.assert(
      fc.asyncProperty(binding, binding, async (made, used) => {
        fc.pre(JSON.stringify(made) !== JSON.stringify(used));
        const same = sorted(made) === sorted(used);
        const opened = await sealer.open(await sealer.seal({ x: 1 }, made), used);
        expect(opened !== undefined).toBe(same);
      }),
      { numRuns: 60 },
    );
    // Fields that run into each other must not count as the same.
    const state = await sealer.seal({}, { ...BINDING, method: "a", target: "bc" });
    expect(await sealer.open(state, { ...BINDING, method: "ab", target: "c" })).toBeUndefined();
  });

  test("opens nothing of another context", async () => {
    const options = { keys: [parseStateKey(STATE_KEY, 0)], ttlMs: 1_000, now: () => 0 };
    const [here, there] = [createSealer({ ...options, context: "/a" }), createSealer({ ...options, context: "/b" })];
    const state = await here.seal({ x: 1 }, BINDING);
    expect(await here.open(state, BINDING)).toEqual({ x: 1 });
    expect(await there.open(state, BINDING)).toBeUndefined();
    expect(await sealer.open(state, BINDING)).toBeUndefined();
  });

  test("opens nothing in which a single bit was changed", async () => {
    const state = await sealer.seal({ answers: { q: "accept" } }, BINDING);
    const bytes = Uint8Array.from(atob(state.slice(3).replaceAll("-", "+").replaceAll("_", "/")), (char) =>
      char.charCodeAt(0),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
        const changed = bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
        const text = btoa(String.fromCharCode(...changed))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/=+$/, "");
        expect(await sealer.open(`s1.${text}`, BINDING)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    for (let length = 0; length < state.length; length++) {
      expect(await sealer.open(state.slice(0, length), BINDING)).toBeUndefined();
    }
    expect(await sealer.open(`${state}AAAA`, BINDING)).toBeUndefined();
  });

  test("takes any text for a state without failing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        expect(await sealer.open(text, BINDING)).toBeUndefined();
        expect(await sealer.open(`s1.${text}`, BINDING)).toBeUndefined();
      }),
    );
  });
});

describe("keys", () => {
  test("are read as bytes, hexadecimal, and Base64 of either alphabet", () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 3);
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const base64 = btoa(String.fromCharCode(...bytes));
    const url = base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    for (const form of [
      bytes,
      hex,
      hex.toUpperCase(),
      base64,
      url,
      base64.replace("=", ""),
      ` ${base64}\n`,
      `${hex}\n`,
    ]) {
      expect(parseStateKey(form, 0)).toEqual(bytes);
    }
  });

  test.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["31 bytes", new Uint8Array(31)],
    ["33 bytes", new Uint8Array(33)],
    ["63 digits", "a".repeat(63)],
    ["a pass phrase", "correct horse battery staple"],
    ["letters that are no Base64", "ü".repeat(43)],
  ])("of %s are refused with their place, and not repeated", (_name, key) => {
    expect(() => parseStateKey(key, 3)).toThrow(
      new TypeError("stateKeys[3]: must be 32 bytes, as a Uint8Array, 64 hex digits or Base64"),
    );
    expect(() => createFetchHandler(emptyServer(), { stateKeys: [STATE_KEY, key] })).toThrow(/^stateKeys\[1\]/);
  });
});

/** JSON with the keys of every object in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

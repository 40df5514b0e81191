import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines } from "../../web/results/line-diff.ts";

const written = (before: string, after: string): string | undefined =>
  diffLines(before.replaceAll(" ", "\n"), after.replaceAll(" ", "\n"))
    ?.flatMap(([sign, lines]) => lines.map((line) => `${sign}${line}`.trim()))
    .join(" ");

describe("what changed between two texts", () => {
  test.each([
    ["a b c", "a b c", "a b c"],
    ["a b c", "a x c", "a -b +x c"],
    ["a b c", "a c", "a -b c"],
    ["a c", "a b c", "a +b c"],
    ["a b", "b a", "-a b +a"],
    ["a a b", "a b", "a -a b"],
    ["", "a", "- +a"],
    ["a b c d e", "x b c y e z", "-a +x b c -d +y e +z"],
  ])("from %j to %j", (before, after, expected) => {
    expect(written(before, after)).toBe(expected);
  });

  test("both texts are in it, whole and in order", () => {
    const texts = fc
      .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before, after) ?? [];
        const side = (gone: string): string => lines.flatMap(([sign, run]) => (sign === gone ? [] : run)).join("\n");
        expect(side("+")).toBe(before);
        expect(side("-")).toBe(after);
      }),
    );
  });

  test("changes in a long text are found, and too long a change is not looked into", () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
    const changed = lines
      .with(0, "x")
      .with(25_000, "other")
      .with(lines.length - 1, "y")
      .join("\n");
    const runs = diffLines(lines.join("\n"), changed) ?? [];
    expect(runs.flatMap(([sign, run]) => (sign === "+" ? run : []))).toEqual(["x", "other", "y"]);
    expect(diffLines(lines.join("\n"), lines.map((line) => `${line}!`).join("\n"))).toBeUndefined();
  });
});

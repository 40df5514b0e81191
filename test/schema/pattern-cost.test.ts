import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SchemaError } from "../../src/schema/engine.ts";
import { Expense, Refusal } from "../../src/schema/expense.ts";
import { PatternSet } from "../../src/schema/guarded-pattern.ts";
import { patternCost } from "../../src/schema/pattern-cost.ts";

const SHEET: readonly (readonly [cost: string, patterns: readonly string[]])[] = [
  [
    "linear",
    [
      "^[a-z0-9]+(-[a-z0-9]+)*$",
      String.raw`^\d{4}-\d{2}-\d{2}$`,
      "^(?:[a-z]+\\.)+[a-z]+$",
      String.raw`^(?:\d{3}-?){2}\d{4}$`,
      String.raw`^(\d{1,3}\.){3}\d{1,3}$`,
      "[a-z]+",
      String.raw`\S`,
      "^.{1,2048}$",
      "^.*x",
      String.raw`^\p{L}+(-\p{L}+)*$`,
      String.raw`^(?=.*\d)(?=.*[a-z]).{8,}$`,
      "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
      "^(a|aa){1,5}b",
      "^(?<name>[\\u{1F600}-\\u{1F64F}]+)$",
      "",
    ],
  ],
  ["polynomial 1", [".*x", String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, "^a*a*b", "(?=a*)b"]],
  ["polynomial 2", [String.raw`\s*\s*$`, "^a*a*a*b"]],
  [
    "exponential",
    [
      "^(a+)+$",
      "(a|aa)*",
      "(a|a)*b",
      "([a-z]+)*",
      "^((a*|b*)c)*$",
      "^(a?b?)*$",
      "^(a|aa){1,20}b",
      "(a?){30}a{30}",
      `^${"a?".repeat(30)}$`,
      "^(?!(a+)+$)",
    ],
  ],
  [
    "unknown",
    [String.raw`^(a)\1$`, String.raw`(?<x>a)\k<x>`, "(?i:a)", `^(?:${"[a-z]|".repeat(200)}b)*$`, "x".repeat(5_000)],
  ],
];

/** What is let through takes milliseconds here; what should not have been takes minutes. This only tells the two apart. */
const HANG_MS = 5_000;

describe.each(SHEET)("%s", (cost, patterns) => {
  test.each(patterns.map((pattern) => [pattern]))("%s", (pattern) => {
    const found = patternCost(pattern);
    expect(found.kind === "polynomial" ? `polynomial ${found.degree}` : found.kind).toBe(cost);
  });
});

test.each([
  ["^[a-z0-9]+(-[a-z0-9]+)*$", 1, 5],
  ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", 1, 5],
  ["[a-z]{1,64}", 1, 1],
  ["a{0,150}!", 150, 200],
  ["a{0,60}a{0,15}!", 900, 1_100],
  ["(?:(?=a{0,30}a{0,30}!|a)a){0,3}b", 1_000, 10_000],
])("%s takes between %d and %d steps a character", (source, least, most) => {
  const cost = patternCost(source);
  const factor = "factor" in cost ? cost.factor : undefined;
  expect(factor).toBeGreaterThanOrEqual(least);
  expect(factor).toBeLessThanOrEqual(most);
});

test.each([
  ["[a-zA-Z0-9._%+-]{1,64}@[a-z0-9.-]{1,253}[.][a-z]{2,}", "a"],
  ["^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$", "a@"],
  ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "a"],
  ["[\\w.+-]{1,64}@[\\w-]{1,63}\\.\\w{2,}", "a"],
])("%s still judges strings of ordinary length", (source, text) => {
  const pattern = new PatternSet().get(source, "");
  const expense = new Expense();
  for (const length of [30, 300, 3_000]) {
    expense.start();
    expect(pattern.test(text.repeat(length / text.length), expense, () => "")).toBe(false);
  }
});

test("what is no regular expression in u mode is a SyntaxError", () => {
  for (const source of ["(", "a{1000}{1000}", "\\_"]) expect(() => patternCost(source)).toThrow(SyntaxError);
});

test("huge counted repeats, deep groups and very many properties are judged at once", () => {
  const started = performance.now();
  for (const source of [
    "(?:a{1000}){1000}",
    "((a{100}){100}){100}",
    `${"(".repeat(1_900)}a${")".repeat(1_900)}`,
    `${"(?:a|".repeat(600)}b${")*".repeat(600)}`,
    `[${String.raw`\p{L}`.repeat(400_000)}]`,
  ]) {
    patternCost(source);
  }
  expect(performance.now() - started).toBeLessThan(HANG_MS);
});

const pattern = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", "[ab]", ".", "a?", "b*", "a+"),
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => left + right),
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie("tree"), fc.constantFrom("*", "+", "?", "{2}", "{1,4}", "{2,}", "{0,30}"))
      .map(([body, times]) => `(?:${body})${times}`),
    tie("tree").map((body) => `(?=${body})`),
  ),
})).tree;

test("a pattern that may run is fast on repetitive strings that just fail to match", () => {
  const word = fc.stringMatching(/^[ab]{1,4}$/);
  const length = fc.constantFrom(60, 300, 3_000, 20_000, 100_000, 1_000_000);
  fc.assert(
    fc.property(pattern, fc.boolean(), length, word, word, (body, anchored, whole, first, second) => {
      const source = `${anchored ? "^" : ""}${body}c$`;
      const { kind } = patternCost(source);
      fc.pre(kind === "linear" || kind === "polynomial");
      const half = whole / 2;
      const subject = first.repeat(half).slice(0, half) + second.repeat(half).slice(0, half);
      const expense = new Expense();
      expense.start();
      const started = performance.now();
      try {
        new PatternSet().get(source, "").test(subject, expense, () => "");
      } catch (error) {
        if (!(error instanceof SchemaError)) expect(error).toBeInstanceOf(Refusal);
      }
      expect(performance.now() - started).toBeLessThan(HANG_MS);
    }),
    { numRuns: 300 },
  );
}, 60_000);

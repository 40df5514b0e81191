import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SchemaError } from "../../src/schema/engine.ts";
import { Expense, Refusal } from "../../src/schema/expense.ts";
import { linearPatterns } from "../../src/schema/linear-pattern.ts";

function matches(source: string, text: string): boolean | "refused" | "too expensive" {
  try {
    const expense = new Expense();
    expense.start();
    return linearPatterns()
      .get(source, "/at")
      .test(text, expense, () => "");
  } catch (error) {
    if (error instanceof Refusal) return "too expensive";
    expect(error).toBeInstanceOf(SchemaError);
    expect(error).toMatchObject({ path: "/at" });
    return "refused";
  }
}

/** V8 also looks for the start of a match within surrogate pairs, which ECMAScript does not allow; behind this prefix it does not. */
function native(source: string): RegExp {
  return new RegExp(`^[^]*?(?:${source})`, "u");
}

const VERDICTS: readonly (readonly [source: string, matching: readonly string[], others: readonly string[]])[] = [
  ["", ["", "a"], []],
  ["(?:)", ["", "a"], []],
  ["[]", [], ["", "a"]],
  ["^[^]$", ["a", "\n", "\u{1F600}", "\ud83d"], ["", "ab"]],
  ["^.$", ["a", "\u{1F600}", "\ude00"], ["\n", "\u2028", "\r"]],
  ["^.{2}$", ["ab", "\u{1F600}\u{1F600}", "\ude00\ud83d"], ["\u{1F600}"]],
  ["^\u{1F600}+$", ["\u{1F600}\u{1F600}"], ["\ud83d", "\u{1F600}\ude00"]],
  [String.raw`^\ud83d\ude00+$`, ["\u{1F600}\u{1F600}"], ["\u{1F600}\ude00"]],
  [String.raw`\ud83d`, ["\ud83d", "a\ud83da"], ["\u{1F600}"]],
  [String.raw`(?<=^\u{1F600})a(?=\u{1F600}$)`, ["\u{1F600}a\u{1F600}"], ["\ude00a\u{1F600}", "\u{1F600}a\ud83d"]],
  [String.raw`^[\]\-\\]+$`, ["]-\\"], ["", "a"]],
  [String.raw`^\x61\u0062\u{63}\cA\.\p{Lu}\P{L}$`, ["abc\u0001.É1"], ["abc\u0001xÉ1"]],
  [String.raw`\bcat\b`, ["cat", "a cat.", "écaté"], ["cats", "concat"]],
  [String.raw`\Bcat`, ["concat"], ["cat", "écat"]],
  ["(?<year>[0-9]{4})-(?<month>[0-9]{2})", ["on 2026-11-03"], ["26-11-03"]],
  ["^(a*)*$", ["", "aaa"], ["b"]],
  ["^(?:a?){2,3}$", ["", "a", "aaa"], ["aaaa"]],
  ["^(?:ab){2,}$", ["abab", "ababab"], ["", "ab", "aba"]],
  ["^a{0}b$", ["b"], ["ab"]],
  ["^(?:(?=x{3})x)*y", ["y"], ["xy", "xxxy"]],
  ["^(?=.*[0-9])(?!.*(?<= ) )[^]{8,}$", ["passw0rd", "pass w0rd"], ["password", "pass  w0rd"]],
  ["(?<!(?:^|,)(?=b).)c", ["ac", "abc", ",ac"], ["bc", ",bc"]],
  ["^x{0,65535}$", ["", "x".repeat(65_535)], ["x".repeat(65_536)]],
];

describe.each(VERDICTS)("%j", (source, matching, others) => {
  test("has the verdicts of ECMAScript", () => {
    for (const text of matching)
      expect([text, native(source).test(text), matches(source, text)]).toEqual([text, true, true]);
    for (const text of others)
      expect([text, native(source).test(text), matches(source, text)]).toEqual([text, false, false]);
  });
});

const MEGABYTE = "a".repeat(1_048_576);
const IDEOGRAPHS = "\u65e5".repeat(1_048_576);

const HOSTILE: readonly (readonly [name: string, source: string, text: string, outcome: ReturnType<typeof matches>])[] =
  [
    ["nested repeats", "(a+)+$", `${MEGABYTE}!`, false],
    ["alternatives that are the same", "(a|a)*b", MEGABYTE, false],
    ["a repeat of anything, repeated", "(.*)*x", MEGABYTE, false],
    ["nested repeats that match", "^(a+)+$", MEGABYTE, true],
    ["nested repeats to look ahead for", "(?=(a+)+b)", MEGABYTE, false],
    ["look-aheads within look-aheads", "(?=(?=(?=a*b)a*b)a*b)", MEGABYTE, false],
    ["a look-behind at each character", "(?<![^b]*)b", MEGABYTE, false],
    ["thirty optional atoms", `^${"a?".repeat(30)}${"a".repeat(30)}$`, "a".repeat(29), false],
    ["counts of counts", "^(?:a{1,50}){1,50}$", "a".repeat(2_500), true],
    ["counts of counts, once too many", "^(?:a{1,50}){1,50}$", "a".repeat(2_501), false],
    ["a pattern of 4,000 characters", "a".repeat(4_000), MEGABYTE, true],
    ["the same, almost matching everywhere", `${"a".repeat(3_999)}b`, MEGABYTE, "too expensive"],
    ["a long tail behind a repeat", `^a*${"a".repeat(900)}b`, MEGABYTE, "too expensive"],
    ["thousands of optional atoms", "(?:a?){2000}b", MEGABYTE, "too expensive"],
    ["thousands of classes", `(?:${"[^b]?".repeat(4_000)})b`, MEGABYTE, "too expensive"],
    ["the same beyond ASCII", `(?:${"[^b]?".repeat(4_000)})b`, IDEOGRAPHS, "too expensive"],
    ["thousands of look-arounds", `(?:${"(?=.)".repeat(3_000)})b`, MEGABYTE, "too expensive"],
    ["look-arounds, repeated", "(?:(?=[^b]*c)a){1000}", MEGABYTE, "too expensive"],
    ["a count of counts", "(?:a{1000}){1000}", "a", "refused"],
    ["a count of nothing", "(?:(?:){1000000}){1000000}", "a", "refused"],
    ["a source of a megabyte", MEGABYTE, "a", "refused"],
    ["very many properties", String.raw`[${String.raw`\p{L}`.repeat(20_000)}]`, "a", "refused"],
    [
      "very many different classes",
      Array.from({ length: 3_000 }, (_, at) => `(?:[^\\u{${at.toString(16)}}])?`).join(""),
      "a",
      "refused",
    ],
    ...["(", "(?:", "(?=", "(?<!"].map((open) => {
      return [
        "groups nested beyond the stack",
        `${open.repeat(20_000)}a${")".repeat(20_000)}`,
        "a",
        "refused",
      ] as const;
    }),
    ["repeats nested beyond the stack", `${"(?:a|".repeat(15_000)}b${")*".repeat(15_000)}`, "a", "refused"],
    ["a back-reference", String.raw`^(a)\1$`, "aa", "refused"],
    ["a named back-reference", String.raw`^(?<x>a)\k<x>$`, "aa", "refused"],
    ["modifiers", "(?i:a)", "A", "refused"],
    ["what is no regular expression", "(", "(", "refused"],
    ["what is none in u mode", String.raw`\_`, "_", "refused"],
  ];

/** Each takes well below a second here. Without the bounds it takes minutes. */
const HANG_MS = 10_000;

test.each(HOSTILE)("%s", (_name, source, text, outcome) => {
  const started = performance.now();
  expect(matches(source, text)).toBe(outcome);
  expect(performance.now() - started).toBeLessThan(HANG_MS);
});

test("the patterns of a schema are bounded together", () => {
  const patterns = linearPatterns();
  const add = (): void => {
    for (let at = 0; at < 100; at++) patterns.get(`(?:a|${at}){1000}`, "/at");
  };
  expect(add).toThrow(SchemaError);
});

test("a text that was too expensive leaves nothing behind", () => {
  const pattern = linearPatterns().get("(?:a?){2000}b", "");
  const expense = new Expense();
  for (const [text, verdict] of [
    ["ab", true],
    ["a", false],
  ] as const) {
    expense.start();
    expect(() => pattern.test(MEGABYTE, expense, () => "")).toThrow(Refusal);
    expense.start();
    expect(pattern.test(text, expense, () => "")).toBe(verdict);
  }
});

const atoms = String.raw`a b c . \w \W \s \d \n [ab] [^a] [^] [] [\]\-] \. \x61 \u0062 \u{1F600} \ud83d\ude00 \ud83d \ude00 \p{L} \P{L} ^ $ \b \B`;
const sources = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...atoms.split(" "), "\u{1F600}", "(?:)", "()", "a?", "b*?", "[^b]+"),
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => left + right),
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => `${left}|${right}`),
    fc
      .tuple(tie("tree"), fc.constantFrom("", "*", "+", "?", "{0}", "{2}", "{1,3}", "{2,}", "*?", "{0,2}?"))
      .map(([body, times]) => `(${body})${times}`),
    fc
      .tuple(fc.constantFrom("(?:", "(?=", "(?!", "(?<=", "(?<!"), tie("tree"))
      .map(([open, body]) => `${open}${body})`),
  ),
})).tree;
/** What the regular-expression engine runs itself. */
const plain = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", ".", "[ab]", "a{2}", "[^a]", String.raw`\w`), { maxLength: 3 }),
    fc.constantFrom("", "a*", "[ab]+", ".{1,2}", "b?", ".{2,}"),
    fc.constantFrom("", "$", "a$", "ab", "."),
  )
  .map(([head, repeat, tail]) => `^${head.join("")}${repeat}${tail}`);
const characters = ["a", "b", "a", "b", "c", "1", " ", ".", "\n", "\u2028", "\u00e9", "\u{1F600}", "\ud83d", "\ude00"];
const texts = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 });

test("whatever the pattern and the text, the verdict is that of ECMAScript", () => {
  fc.assert(
    fc.property(
      fc.oneof(sources, plain),
      fc.constantFrom("", "^"),
      fc.array(texts, { minLength: 4, maxLength: 4 }),
      (body, head, candidates) => {
        const source = head + body;
        for (const text of candidates) expect(matches(source, text)).toBe(native(source).test(text));
      },
    ),
    { numRuns: 3_000 },
  );
}, 60_000);

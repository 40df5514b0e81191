/** Case SCH-05: schemas and values made to hang or crash whoever meets them finish, or are refused, within a second. */
import { describe, expect, test } from "vitest";
import { ajvEngine } from "../../src/schema/ajv.ts";
import { SchemaError, type JsonSchema } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

function nested(levels: number, leaf: unknown, key: string): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level++) value = { [key]: value };
  return value;
}

function alternatives(levels: number): JsonSchema {
  return levels === 0 ? { type: "string" } : { anyOf: range(8).map(() => alternatives(levels - 1)) };
}

/** `d0` leads to `d1` in `width` ways, that to `d2`, and so on. */
function chain(length: number, width: number): JsonSchema {
  const $defs = Object.fromEntries(
    range(length + 1).map((at) => [
      `d${at}`,
      at === length ? { type: "string" } : { anyOf: range(width).map(() => ({ $ref: `#/$defs/d${at + 1}` })) },
    ]),
  );
  return { $ref: "#/$defs/d0", $defs };
}

const forked = { anyOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] };
const TEXT = "x".repeat(1_000_000);

const UNIQUE = {
  $ref: "#/$defs/set",
  $defs: { set: { type: ["array", "string"], uniqueItems: true, items: { $ref: "#/$defs/set" } } },
};

function inArrays(levels: number, leaf: unknown): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** More than a hash table lists in 50 ms. */
const MANY_NAMES = Object.fromEntries(range(280_000).map((at) => [`k${at}`, 1]));
const FACES = "\u{1F600}".repeat(1_000_000);

type Outcome = "passes" | "refused" | RegExp;

/**
 * Ajv's patterns are run by the engine of the platform, so costly ones are refused, or the string is. The interpreter matches what
 * the guard refuses as too costly in linear time, as long as the string is not too long for that.
 */
interface Outcomes {
  readonly ajv: Outcome;
  readonly interpreter: Outcome;
}

type Row = readonly [name: string, schema: JsonSchema, value: unknown, outcome: Outcome | Outcomes];
const SHEET: readonly Row[] = [
  [
    "a pattern with nested repeats",
    { pattern: "^(a+)+$" },
    `${"a".repeat(40)}!`,
    { ajv: "refused", interpreter: /must match/ },
  ],
  [
    "a pattern name with nested repeats",
    { patternProperties: { "^(a|a)*$": {} } },
    {},
    { ajv: "refused", interpreter: "passes" },
  ],
  [
    "a pattern with nested repeats below unevaluatedItems",
    { unevaluatedItems: { pattern: "^(a+)+$" } },
    {},
    { ajv: "refused", interpreter: "passes" },
  ],
  [
    "a long string for a slow pattern",
    { properties: { a: { pattern: "a*x$" } } },
    { a: TEXT },
    { ajv: /^\/a is too long/, interpreter: "passes" },
  ],
  ["the same under not", { not: { pattern: "a*y$" } }, TEXT, { ajv: /is too long/, interpreter: "passes" }],
  [
    "a long name for a slow pattern",
    { patternProperties: { ".*y": true, ".*z": { type: "null" } } },
    { [TEXT]: 1 },
    { ajv: /is too long/, interpreter: "passes" },
  ],
  [
    "thousands of slow matches",
    { items: { pattern: "a*a*b" } },
    range(5_000).map(() => "a".repeat(300)),
    /must match|expensive/,
  ],
  [
    "thousands of patterns",
    { allOf: range(1_900).map((at) => ({ pattern: `^(a|b${at})*(c|d${at})*$` })) },
    "a",
    { ajv: "refused", interpreter: "passes" },
  ],
  [
    "a linear pattern that reads 1,000 ways",
    { pattern: "[x-z]{0,60}[x-z]{0,15}!" },
    TEXT.repeat(4),
    { ajv: /is too long/, interpreter: /expensive/ },
  ],
  [
    "a linear pattern that looks far ahead",
    { pattern: "x{0,150}!" },
    TEXT.repeat(4),
    { ajv: /is too long/, interpreter: /expensive/ },
  ],
  [
    "an unanchored e-mail pattern",
    { pattern: "[\\w.+-]{1,64}@[\\w-]{1,63}\\.\\w{2,}" },
    TEXT,
    { ajv: /is too long/, interpreter: /expensive/ },
  ],
  [
    "a look-ahead in a repeat",
    { pattern: "(?:(?=x{0,30}x{0,30}!|x)x){0,3}b" },
    TEXT,
    { ajv: /is too long/, interpreter: /expensive/ },
  ],
  ["a long string for a plain pattern", { pattern: "^[a-z]+$" }, TEXT.repeat(4), "passes"],
  [
    "unique items within unique items",
    UNIQUE,
    inArrays(
      400,
      range(100_000).map((at) => `key-${at}`),
    ),
    /expensive/,
  ],
  ["unique items around a long string", UNIQUE, inArrays(400, TEXT), /expensive/],
  ["250 counts of very many properties", { allOf: range(250).map(() => ({ minProperties: 1 })) }, MANY_NAMES, "passes"],
  [
    "300 looks at very many properties",
    {
      anyOf: [false, { propertyNames: false }].flatMap((at) =>
        range(150).map(() => ({ additionalProperties: at, maxProperties: 1 })),
      ),
    },
    MANY_NAMES,
    /must match/,
  ],
  ["300 comparisons with very many properties", { enum: range(300).map((at) => ({ at })) }, MANY_NAMES, /must be/],
  [
    "250 counts of characters that take two places",
    { allOf: range(250).map((at) => ({ maxLength: 1_500_000 + at })) },
    FACES,
    /expensive/,
  ],
  [
    "names of a million characters, one below the other",
    { additionalProperties: { additionalProperties: false } },
    nested(2, 1, TEXT),
    /must not have/,
  ],
  ["six levels of anyOf of eight", alternatives(6), 5, "refused"],
  ["six levels of anyOf of eight through $defs", chain(6, 8), 5, /must match|expensive/],
  ["thirty levels of anyOf of eight through $defs", chain(30, 8), 5, /expensive/],
  ["a chain of 5,000 $defs", chain(5_000, 1), "x", "refused"],
  ["recursion that forks in place, failing", { type: "object", ...forked }, nested(40, 1, "a"), /expensive/],
  ["recursion that forks in place, passing", forked, nested(40, 1, "a"), "passes"],
  [
    "an ordinary recursive tree",
    { type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" } } },
    nested(40, {}, "left"),
    "passes",
  ],
  ["a value 10,000 levels deep", { additionalProperties: { $ref: "#" } }, nested(10_000, {}, "a"), /nested too deeply/],
  ["a schema that refers to itself", { $ref: "#" }, 1, "refused"],
  ["a chain of 500 references", chain(500, 1), "x", "refused"],
  ["a chain of 100 references", chain(100, 1), "x", "passes"],
  ["a schema 200,000 levels deep", nested(200_000, {}, "not") as JsonSchema, 1, "refused"],
  [
    "100,000 different items that must be unique",
    { uniqueItems: true },
    range(100_000).map((id) => ({ id })),
    "passes",
  ],
  [
    "a long enum for many items",
    { items: { enum: range(5_000).map(String) } },
    range(100_000).map(() => "4999"),
    "passes",
  ],
  [
    "many alternatives for many items",
    { items: { allOf: range(500).map((at) => ({ maximum: at })) } },
    range(100_000).map(() => 0),
    /expensive/,
  ],
  [
    "many names for many items",
    { items: { properties: Object.fromEntries(range(1_900).map((at) => [`p${at}`, {}])) } },
    range(100_000).map(() => ({})),
    /expensive/,
  ],
  [
    "unevaluatedItems behind many branches",
    { anyOf: range(200).map(() => ({ items: true })), unevaluatedItems: false },
    range(20_000),
    /expensive/,
  ],
  ["division of far-apart numbers", { items: { multipleOf: 1e-300 } }, range(500_000).map(() => 1e300), /expensive/],
];

/** Each row takes well below a second here, and hours or for ever without the bounds. This only tells the two apart. */
const HANG_MS = 10_000;

const ENGINES = [
  { name: "ajv", engine: ajvEngine() },
  { name: "interpreter", engine: interpreterEngine() },
] as const;

describe.each(ENGINES)("$name", ({ name, engine }) => {
  test.each(SHEET)("%s", (_name, schema, value, expected) => {
    const outcome = typeof expected === "object" && "ajv" in expected ? expected[name] : expected;
    const started = performance.now();
    let found: string;
    try {
      const issue = engine.compile(schema)(value)?.[0];
      found = issue === undefined ? "passes" : `${issue.path} ${issue.message}`;
    } catch (error) {
      expect(error).toBeInstanceOf(SchemaError);
      found = "refused";
    }
    expect(performance.now() - started).toBeLessThan(HANG_MS);
    if (typeof outcome === "string") expect(found).toBe(outcome);
    else expect(found).toMatch(outcome);
    expect(found.length).toBeLessThan(500);
  });
});

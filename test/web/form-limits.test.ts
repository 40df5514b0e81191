import { expect, test } from "vitest";
import { limitsOf } from "../../web/form/limits.ts";

test.each([
  [{ minLength: 1, maxLength: 200 }, "1–200 characters"],
  [{ minLength: 3, maxLength: 3 }, "3 characters"],
  [{ minimum: 3 }, "at least 3"],
  [{ minimum: -90, maximum: 90, multipleOf: 0.5 }, "-90–90, a multiple of 0.5"],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, "more than 0, less than 1"],
  [{ maxItems: 3, uniqueItems: true }, "at most 3 entries, no two alike"],
  [{ minProperties: 1 }, "at least 1 properties"],
  [{ pattern: "^a+$" }, "like ^a+$"],
  [{ minLength: {}, maximum: null, pattern: ["x"], uniqueItems: "yes" }, ""],
  [{ pattern: "a".repeat(60) }, ""],
  [{}, ""],
])("%j is said as %j", (schema, words) => {
  expect(limitsOf(schema)).toBe(words);
});

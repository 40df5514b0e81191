import { expect, test } from "vitest";
import { limitsOf } from "../../web/form/limits.ts";

test.each([
  [{ minLength: 1, maxLength: 200 }, "min length 1, max length 200"],
  [{ type: "number", minimum: -90, maximum: 90, multipleOf: 0.5 }, "minimum -90, maximum 90, multiple of 0.5"],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, "exclusive minimum 0, exclusive maximum 1"],
  [{ maxItems: 3, uniqueItems: true }, "max items 3, unique items true"],
  [{ minProperties: 1 }, "min properties 1"],
  [{ pattern: "^a+$", description: "min" }, "pattern ^a+$"],
  [{ minLength: { toString: 1 }, maximum: null }, 'min length {"toString":1}, maximum null'],
  [{ pattern: "a".repeat(60) }, ""],
  [{}, ""],
])("%j is said as %j", (schema, words) => {
  expect(limitsOf(schema)).toBe(words);
});

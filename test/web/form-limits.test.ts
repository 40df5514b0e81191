import { expect, test } from "vitest";
import { limitsOf } from "../../web/form/limits.ts";

test.each([
  [{ minLength: 1, maxLength: 200 }, "minLength 1, maxLength 200"],
  [{ type: "number", minimum: -90, maximum: 90, multipleOf: 0.5 }, "minimum -90, maximum 90, multipleOf 0.5"],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, "exclusiveMinimum 0, exclusiveMaximum 1"],
  [{ maxItems: 3, uniqueItems: true, default: 2 }, "maxItems 3, default 2"],
  [{ minProperties: 1 }, "minProperties 1"],
  [{ pattern: "^a+$", description: "min" }, "pattern ^a+$"],
  [{ pattern: { toString: 1 }, maximum: null }, 'pattern {"toString":1}'],
  [{}, ""],
])("%j is said as %j", (schema, words) => {
  expect(limitsOf(schema)).toBe(words);
});

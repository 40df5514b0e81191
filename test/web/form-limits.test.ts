import { expect, test } from "vitest";
import { limitsOf } from "../../web/form/limits.ts";

test.each([
  [{ minLength: 1, maxLength: 200 }, "minLength 1, maxLength 200"],
  [{ type: "number", minimum: -90, maximum: 90, multipleOf: 0.5 }, "minimum -90, maximum 90, multipleOf 0.5"],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, "exclusiveMinimum 0, exclusiveMaximum 1"],
  [{ maxItems: 3, uniqueItems: true }, "maxItems 3, uniqueItems true"],
  [{ minProperties: 1 }, "minProperties 1"],
  [{ pattern: "^a+$", description: "min", patternProperties: {} }, "pattern ^a+$"],
  [{ minLength: { toString: 1 }, maximum: null }, 'minLength {"toString":1}, maximum null'],
  [{}, ""],
])("%j is said as %j", (schema, words) => {
  expect(limitsOf(schema)).toBe(words);
});

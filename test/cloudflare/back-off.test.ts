import * as fc from "fast-check";
import { expect, test } from "vitest";
import { backOffMs, LONGEST_BACK_OFF_MS } from "../../src/cloudflare/back-off.ts";

const NEARLY_ONE = 1 - Number.EPSILON;
const fraction = fc.double({ min: 0, max: NEARLY_ONE, noNaN: true });

test.each([
  { failures: 0, least: 0, most: 100 },
  { failures: 1, least: 100, most: 200 },
  { failures: 2, least: 200, most: 400 },
  { failures: 6, least: 3_200, most: 6_400 },
  { failures: 7, least: 5_000, most: LONGEST_BACK_OFF_MS },
  { failures: 10_000, least: 5_000, most: LONGEST_BACK_OFF_MS },
])("waits $least to $most ms after $failures failures", ({ failures, least, most }) => {
  expect(backOffMs(failures, () => 0)).toBe(least);
  expect(backOffMs(failures, () => NEARLY_ONE)).toBeCloseTo(most);
});

test("is always a time that a timer takes, and never above the longest", () => {
  fc.assert(
    fc.property(fc.nat(), fraction, (failures, random) => {
      const ms = backOffMs(failures, () => random);
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(LONGEST_BACK_OFF_MS);
    }),
  );
});

test("is never shorter after two failures more, whatever the jitter", () => {
  fc.assert(
    fc.property(fc.nat(5), fraction, fraction, (failures, one, other) => {
      expect(backOffMs(failures, () => one)).toBeLessThanOrEqual(backOffMs(failures + 2, () => other));
    }),
  );
});

import { expect, test } from "vitest";
import { withFormDefaults } from "../../../src/client/legacy/form-defaults.ts";

test("fields named like what every object has get their defaults, too", () => {
  const properties = { constructor: { default: "c" }, toString: { default: "s" }, given: { default: "d" } };
  const answer = { action: "accept", content: { given: "g" } };
  expect(withFormDefaults(answer, { properties })).toEqual({
    action: "accept",
    content: { constructor: "c", toString: "s", given: "g" },
  });
});

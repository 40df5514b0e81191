import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hubName, isLeaf, leafName, parseHubName } from "../../src/cloudflare/hub-name.ts";

const tenants = fc.string({ minLength: 1, unit: "binary" });
const leaves = fc.string({ minLength: 1, maxLength: 64 }).filter((leaf) => !leaf.includes(":"));

test("a hub's name tells its tenant, and a leaf's name also which leaf it is", () => {
  fc.assert(
    fc.property(tenants, leaves, (tenant, leaf) => {
      expect(parseHubName(hubName(tenant))).toEqual({ role: "root", tenant });
      expect(parseHubName(leafName(tenant, leaf))).toEqual({ role: "leaf", tenant, leaf });
    }),
  );
});

test("tenants that look like names of hubs stay apart", () => {
  expect(parseHubName(hubName("leaf:a:b"))).toEqual({ role: "root", tenant: "leaf:a:b" });
  expect(parseHubName(leafName("hub:b", "a"))).toEqual({ role: "leaf", tenant: "hub:b", leaf: "a" });
  expect(parseHubName(leafName("a\nb:c", "x"))).toEqual({ role: "leaf", tenant: "a\nb:c", leaf: "x" });
});

test.each(["", "hub", "hub:", "HUB:a", " hub:a", "leaf:a", "leaf:a:", "leaf::a", `leaf:${"a".repeat(65)}:b`])(
  "%j is no hub's name",
  (name) => {
    expect(parseHubName(name)).toBeUndefined();
  },
);

test("nobody is served as the tenant without a name, and no leaf has a colon in its name", () => {
  expect(() => hubName("")).toThrow(TypeError);
  expect(() => leafName("", "a")).toThrow(TypeError);
  for (const leaf of ["", "a:b", "a".repeat(65)]) {
    expect(isLeaf(leaf)).toBe(false);
    expect(() => leafName("acme", leaf)).toThrow(TypeError);
  }
});

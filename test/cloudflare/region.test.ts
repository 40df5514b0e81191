import { expect, test } from "vitest";
import { byRegion } from "../../src/cloudflare/region.ts";
import type { Caller } from "../../src/server/exchange.ts";

/** A caller with what the runtime tells of the place of its request. */
function callerFrom(cf: object | undefined): Caller {
  const request = new Request("https://example.com/mcp");
  Object.defineProperty(request, "cf", { value: cf });
  return { auth: null, env: undefined, request, meta: {} as Caller["meta"] }; // Not looked at.
}

test.each([
  { place: "Seattle", cf: { continent: "NA", longitude: "-122.33" }, hint: "wnam" },
  { place: "New York", cf: { continent: "NA", longitude: "-74.00" }, hint: "enam" },
  { place: "North America, without longitude", cf: { continent: "NA" }, hint: "enam" },
  { place: "São Paulo", cf: { continent: "SA", longitude: "-46.63" }, hint: "sam" },
  { place: "Lisbon", cf: { continent: "EU", longitude: "-9.14" }, hint: "weur" },
  { place: "Warsaw", cf: { continent: "EU", longitude: "21.01" }, hint: "eeur" },
  { place: "Europe, with an empty longitude", cf: { continent: "EU", longitude: "" }, hint: "weur" },
  { place: "Dubai", cf: { continent: "AS", longitude: "55.27" }, hint: "me" },
  { place: "Tokyo", cf: { continent: "AS", longitude: "139.69" }, hint: "apac" },
  { place: "the far east of Siberia, beyond 180°", cf: { continent: "AS", longitude: "-175.2" }, hint: "apac" },
  { place: "Asia, with nonsense for a longitude", cf: { continent: "AS", longitude: "east" }, hint: "apac" },
  { place: "Nairobi", cf: { continent: "AF", longitude: "36.82" }, hint: "afr" },
  { place: "Auckland", cf: { continent: "OC", longitude: "174.76" }, hint: "oc" },
  { place: "McMurdo Station", cf: { continent: "AN", longitude: "166.67" }, hint: "oc" },
])("a caller in $place joins the leaf of $hint", ({ cf, hint }) => {
  expect(byRegion()(callerFrom(cf))).toEqual({ name: `${hint}-0`, locationHint: hint });
});

test.each([
  ["the runtime tells nothing", undefined],
  ["no continent is known", { colo: "AMS" }],
  ["the caller comes through Tor", { continent: "T1" }],
])("a caller joins the root itself when %s", (_name, cf) => {
  expect(byRegion()(callerFrom(cf))).toBeUndefined();
});

test("a caller without a Web-standard request joins the root itself", () => {
  expect(byRegion()({ ...callerFrom(undefined), request: undefined })).toBeUndefined();
});

test("callers of one region are spread over its shards, from the first to the last", () => {
  const caller = callerFrom({ continent: "EU" });
  const fractions = [0, 0.32, 0.34, 0.99, 1 - Number.EPSILON];
  const leaf = byRegion(3, () => fractions.shift() ?? 0);
  expect(Array.from({ length: 5 }, () => leaf(caller)?.name)).toEqual([
    "weur-0",
    "weur-0",
    "weur-1",
    "weur-2",
    "weur-2",
  ]);
});

test.each([0, -1, 1.5, Number.NaN, Infinity])("refuses %d shards", (shards) => {
  expect(() => byRegion(shards)).toThrow(TypeError);
});

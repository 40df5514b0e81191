import { expect, test } from "vitest";
import { jsonFault } from "../../web/form/json-fault.ts";

test.each([
  ["", 1, 1],
  ["{", 1, 2],
  ['{"a":1,}', 1, 8],
  ["[1 2]", 1, 4],
  ['{"a" 1}', 1, 6],
  ["[1,\n  x]", 2, 3],
  ['{"a": tru}', 1, 7],
  ['"abc', 1, 1],
  ["[01]", 1, 3],
  ['{"a":[1,{"b":}]}', 1, 14],
  ["[1]]", 1, 4],
  ["{a:1}", 1, 2],
  ['{"a":1 "b":2}', 1, 8],
  ['["a\\q"]', 1, 2],
  ["[-]", 1, 2],
  ["[true false]", 1, 7],
  ['{\n "list": [\n  {"x": []},\n  {"y": [}\n ]\n}', 4, 10],
])("%j stops being JSON in line %i, column %i", (text, line, column) => {
  expect(jsonFault(text)).toBe(`line ${line}, column ${column}`);
});

test.each(["0", '"§¤"', " [ ] ", '{"a":{"b":[null,true,-1.5e-3,"\\u00e9\\"\\\\"]}}'])("%j is JSON", (text) => {
  expect(jsonFault(text)).toBeUndefined();
});

test("a text that nests without end has an answer", () => {
  expect(jsonFault("[".repeat(50_000))).toBe("line 1, column 50001");
});

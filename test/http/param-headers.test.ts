import { describe, expect, test } from "vitest";
import { call } from "../kit/post.ts";
import { serverWith } from "../kit/serve.ts";

const seen: unknown[] = [];
const handler = serverWith((server) =>
  server.tool(
    "geo",
    {
      inputSchema: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          n: { type: "integer", "x-mcp-header": "N" },
          b: { type: "boolean", "x-mcp-header": "B" },
          opt: { type: ["string", "null"], "x-mcp-header": "Opt" },
          loc: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
          free: {},
        },
        additionalProperties: false,
      },
    },
    (args) => {
      seen.push(args);
      return "ok";
    },
  ),
);

interface Row {
  name: string;
  args: Record<string, unknown>;
  headers: Record<string, string>;
  because: string;
}

const region = (value: unknown, header: string, because: string): Row => ({
  name: `region ${JSON.stringify(value)} under ${JSON.stringify(header)}`,
  args: { region: value },
  headers: { "mcp-param-region": header },
  because,
});
const number = (json: string, header: string, because: string): Row => ({
  name: `n ${json} under ${JSON.stringify(header)}`,
  args: JSON.parse(`{"n":${json}}`) as Row["args"],
  headers: { "mcp-param-n": header },
  because,
});

const AGREE: Row[] = [
  { name: "no argument, no header", args: {}, headers: {}, because: "there is nothing to mirror" },
  { name: "null, no header", args: { opt: null }, headers: {}, because: "a null argument is not mirrored" },
  {
    name: "all at once",
    args: { region: "eu", n: 42, b: true, opt: "x", loc: { city: "Graz" } },
    headers: {
      "mcp-param-region": "eu",
      "mcp-param-n": "42",
      "mcp-param-b": "true",
      "mcp-param-opt": "x",
      "mcp-param-city": "Graz",
    },
    because: "each agrees",
  },
  {
    name: "an argument without annotation",
    args: { free: 1 },
    headers: {},
    because: "only annotated ones are mirrored",
  },
  { name: "a header nobody asked for", args: {}, headers: { "mcp-param-other": "x" }, because: "it is not recognised" },
  { name: "an object without the property", args: { loc: {} }, headers: {}, because: "there is nothing to mirror" },
  { name: "false", args: { b: false }, headers: { "mcp-param-b": "false" }, because: "it agrees" },
  region("", "", "an empty string is a value"),
  region("eu", "=?base64?ZXU=?=", "MUST decode before comparing"),
  region("grüße", "=?base64?Z3LDvMOfZQ==?=", "it is encoded"),
  region(" eu ", "=?base64?IGV1IA==?=", "it is encoded"),
  region("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?=", "it is encoded twice over"),
  region("a b", "a b", "spaces inside need no encoding"),
  number("42", "42.0", "SHOULD compare numerically"),
  number("42.0", "42", "the same number in the body"),
  number("42", "4.2e1", "the same number"),
  number("-7", "-7", "it agrees"),
  number("0", "0", "it agrees"),
  number("0", "-0", "it is the same number"),
  number("9007199254740991", "9007199254740991", "the largest safe integer"),
  number("42", "=?base64?NDI=?=", "any value may be encoded"),
];

const DISAGREE: Row[] = [
  { name: "an argument without its header", args: { region: "eu" }, headers: {}, because: "MUST be mirrored" },
  {
    name: "an empty string without its header",
    args: { region: "" },
    headers: {},
    because: "it is a value all the same",
  },
  { name: "false without its header", args: { b: false }, headers: {}, because: "it is a value all the same" },
  { name: "zero without its header", args: { n: 0 }, headers: {}, because: "it is a value all the same" },
  {
    name: "a nested argument without its header",
    args: { loc: { city: "Graz" } },
    headers: {},
    because: "MUST be mirrored",
  },
  {
    name: "a header without its argument",
    args: {},
    headers: { "mcp-param-region": "eu" },
    because: "the body does not say so",
  },
  {
    name: "a header for null",
    args: { opt: null },
    headers: { "mcp-param-opt": "null" },
    because: "null is not mirrored",
  },
  {
    name: "an empty header for null",
    args: { opt: null },
    headers: { "mcp-param-opt": "" },
    because: "null is not mirrored",
  },
  {
    name: "a header for an inherited name",
    args: {},
    headers: { "mcp-param-city": "Graz" },
    because: "the body does not say so",
  },
  region("eu", "us", "another value"),
  region("eu", "EU", "values are case-sensitive"),
  region("eu", "", "another value"),
  region("eu", "eu, eu", "two header lines are not one value"),
  region("eu", "=?base64?ZXU?=", "padding is missing"),
  region("eu", "=?base64?ZXV=?=", "not what an encoder writes"),
  region("eu", "=?BASE64?ZXU=?=", "the markers are case-sensitive, so it is another value"),
  region("ü", "=?base64?/A==?=", "the bytes are not UTF-8"),
  region("ü", "ü", "invalid characters in a header"),
  region("=?base64?ZXU=?=", "=?base64?ZXU=?=", "MUST be encoded again"),
  region(5, "6", "another value, of a type that the schema refuses as well"),
  number("42", "43", "another number"),
  number("42", "0x2a", "not decimal"),
  number("42", " 42e", "not a number"),
  number("42", "", "not a number"),
  number("0", "", "not a number, even where an empty text would convert to zero"),
  number("42", "42abc", "not a number"),
  number("42", "Infinity", "not a number"),
  number("9007199254740993", "9007199254740992", "two different integers that one double stands for"),
  number("9007199254740993", "9007199254740993", "beyond 2^53 nothing can be compared"),
  { name: "true under True", args: { b: true }, headers: { "mcp-param-b": "True" }, because: "lower case only" },
  { name: "true under 1", args: { b: true }, headers: { "mcp-param-b": "1" }, because: "another value" },
  { name: "true under false", args: { b: true }, headers: { "mcp-param-b": "false" }, because: "another value" },
  { name: "a list", args: { region: ["eu"] }, headers: { "mcp-param-region": "eu" }, because: "it has no header form" },
];

describe("mirrored arguments", () => {
  test.each(AGREE)("$name: served, because $because", async ({ args, headers }) => {
    seen.length = 0;
    const reply = await call(handler, "geo", args, { headers });
    expect({ status: reply.status, isError: reply.message?.result?.["isError"] }).toEqual({
      status: 200,
      isError: undefined,
    });
    expect(seen).toEqual([args]);
  });

  test.each(DISAGREE)("$name: 400, because $because", async ({ args, headers }) => {
    seen.length = 0;
    const reply = await call(handler, "geo", args, { headers, id: "here" });
    expect({ status: reply.status, code: reply.message?.error?.code, id: reply.message?.id }).toEqual({
      status: 400,
      code: -32020,
      id: "here",
    });
    expect(seen).toEqual([]);
  });

  test("a value of the wrong type that agrees is left to the schema", async () => {
    seen.length = 0;
    const reply = await call(handler, "geo", { region: 5 }, { headers: { "mcp-param-region": "5" } });
    expect({ status: reply.status, isError: reply.message?.result?.["isError"] }).toEqual({
      status: 200,
      isError: true,
    });
    expect(seen).toEqual([]);
  });

  test("header names have no case", async () => {
    const reply = await call(handler, "geo", { region: "eu" }, { headers: { "MCP-PARAM-REGION": "eu" } });
    expect(reply.status).toBe(200);
  });

  test("neither the argument nor the header is repeated in the error", async () => {
    const reply = await call(handler, "geo", { region: "SECRET-A" }, { headers: { "mcp-param-region": "SECRET-B" } });
    expect(reply.text).not.toContain("SECRET");
    expect(reply.text).toContain("mcp-param-region");
  });

  test("without arguments at all, no header is expected", async () => {
    expect((await call(handler, "geo")).status).toBe(200);
    expect((await call(handler, "geo", undefined, { headers: { "mcp-param-n": "1" } })).status).toBe(400);
  });
});

/** Tools as they are listed, and what a call makes of the list: mirrored headers, checks of results. */
import { describe, expect, test } from "vitest";
import type { SchemaEngine } from "../../src/schema/engine.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { against, codeOf, error, result, type Sent, text } from "./fake-fetch.ts";

type Listed = Record<string, unknown>;
const tool = (name: string, properties: unknown, more: Listed = {}): Listed => ({
  name,
  inputSchema: { type: "object", properties },
  ...more,
});
const header = (type: unknown, name: unknown = "H"): unknown => ({ a: { type, "x-mcp-header": name } });

/** Lists those, and answers calls so. */
const serving =
  (tools: readonly unknown[], body: Listed = text("ok")) =>
  (sent: Sent) =>
    result(sent, sent.method === "tools/list" ? { tools } : body);

// HDR-06.
describe("the list leaves out", () => {
  test.each([
    ["a number", header("number")],
    ["nothing for a name", header("string", "")],
    ["a name with a space", header("string", "a b")],
    ["a name that is no string", header("string", 1)],
    ["a line break in the name", header("string", "a\r\nb")],
    [
      "names that differ by case alone",
      { a: { type: "string", "x-mcp-header": "H" }, b: { type: "string", "x-mcp-header": "h" } },
    ],
    ["a place below items", { a: { type: "array", items: { type: "string", "x-mcp-header": "H" } } }],
    ["a place below anyOf", { a: { anyOf: [{ type: "string", "x-mcp-header": "H" }] } }],
    ["an object", header("object")],
    ["several types", header(["string", "integer"])],
  ])("a tool whose annotation is on %s, and no other tool", async (_name, properties) => {
    const { client, warnings } = against(serving([tool("bad", properties), tool("good", header("string"))]));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["good"]);
    expect(warnings).toEqual([expect.stringMatching(/"bad".*x-mcp-header/)]);
  });

  test("a tool whose annotation is behind a $ref", async () => {
    const $defs = { d: { type: "string", "x-mcp-header": "H" } };
    const bad = { name: "bad", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/d" } }, $defs } };
    const { client } = against(serving([bad, tool("good", {})]));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["good"]);
  });

  test("what has no name", async () => {
    const { client, warnings } = against(serving([{ inputSchema: {} }, null, "x", tool("good", {})]));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["good"]);
    expect(warnings).toHaveLength(3);
  });
});

// SCH-02, SCH-03.
describe("the list keeps, as it was sent,", () => {
  test.each([
    ["boolean property schemas", { type: "object", properties: { a: true } }],
    ["properties of null", { type: "object", properties: null }],
    ["a type of the wrong case", { type: "Object" }],
    ["no schema", undefined],
    ["a remote $ref", { type: "object", properties: { a: { $ref: "https://evil.test/s.json" } } }],
    ["a dialect nobody knows", { $schema: "https://evil.test/meta", type: "object" }],
    ["a type that may be null", { type: "object", properties: header(["string", "null"]) }],
  ])("a tool with %s, beside the others", async (_name, inputSchema) => {
    const odd = { name: "odd", inputSchema };
    const { client, sent } = against(serving([odd, tool("good", {})]), { schemas: interpreterEngine() });
    expect(await client.listTools()).toEqual(JSON.parse(JSON.stringify([odd, tool("good", {})])));
    await client.callTool("odd");
    expect(sent.every(({ url }) => url === "https://server.test/mcp")).toBe(true);
  });
});

describe("mirrored arguments", () => {
  const properties = {
    region: { type: "string", "x-mcp-header": "Region" },
    n: { type: "integer", "x-mcp-header": "N" },
    b: { type: "boolean", "x-mcp-header": "B" },
    loc: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
  };
  const mirrored = async (args: Listed, listFirst = true): Promise<Record<string, string>> => {
    const { client, sent } = against(serving([tool("geo", properties)]));
    if (listFirst) await client.listTools();
    await client.callTool("geo", args);
    const headers = [...(sent.at(-1)?.headers ?? [])];
    return Object.fromEntries(headers.filter(([name]) => name.startsWith("mcp-param-")));
  };

  test.each<[string, Listed, Record<string, string>]>([
    [
      "strings, integers, booleans",
      { region: "us", n: -7, b: false, loc: { city: "Oslo" } },
      { "mcp-param-region": "us", "mcp-param-n": "-7", "mcp-param-b": "false", "mcp-param-city": "Oslo" },
    ],
    ["the empty string and zero", { region: "", n: 0 }, { "mcp-param-region": "", "mcp-param-n": "0" }],
    ["what headers cannot carry", { region: "Åre\n" }, { "mcp-param-region": "=?base64?w4VyZQo=?=" }],
    ["neither null nor what is absent", { region: null, loc: {} }, {}],
    ["neither lists nor objects", { region: ["us"], n: {} }, {}],
    ["nothing inherited", { loc: Object.create({ city: "Oslo" }) as Listed }, {}],
  ])("are %s", async (_name, args, expected) => {
    expect(await mirrored(args)).toEqual(expected);
  });

  test("are none for a tool that was never listed", async () => {
    expect(await mirrored({ region: "us" }, false)).toEqual({});
  });
});

const strict = (tools: () => readonly unknown[]) => (sent: Sent) => {
  if (sent.method === "tools/list") return result(sent, { tools: tools() });
  return sent.headers.has("mcp-param-region") ? result(sent, text("ok")) : error(sent, -32020, { status: 400 });
};

// HDR-07.
describe("a call that the server finds without the headers it wants", () => {
  const properties = { region: { type: "string", "x-mcp-header": "Region" } };

  test("is made again with a new id, once the tools are listed", async () => {
    let annotated = false;
    const { client, sent } = against(strict(() => [tool("t", annotated ? properties : {})]));
    await client.listTools();
    annotated = true;
    await client.callTool("t", { region: "us" });
    expect(sent.map(({ method }) => method)).toEqual(["tools/list", "tools/call", "tools/list", "tools/call"]);
    expect(sent[3]?.id).not.toBe(sent[1]?.id);
  });

  test("ends with the error when that does not help, and goes on no longer", async () => {
    const { client, sent } = against(strict(() => [tool("t", {})]));
    expect(await codeOf(client.callTool("t", { region: "us" }))).toBe(-32020);
    expect(sent.map(({ method }) => method)).toEqual(["tools/call", "tools/list", "tools/call"]);
  });

  test("is not made again when the tool is gone", async () => {
    const { client, sent } = against(strict(() => []));
    expect(await codeOf(client.callTool("t", { region: "us" }))).toBe(-32020);
    expect(sent.map(({ method }) => method)).toEqual(["tools/call", "tools/list"]);
  });
});

// SCH-06, SCH-07, SCH-10.
describe("structured content", () => {
  const checked = async (
    outputSchema: unknown,
    body: Listed,
    schemas: SchemaEngine | undefined = interpreterEngine(),
  ) => {
    const listed = [tool("t", {}, { outputSchema })];
    const { client, warnings } = against(serving(listed, { content: [], ...body }), schemas && { schemas });
    await client.listTools();
    return { ...(await client.callTool("t")), warnings };
  };

  test.each<[string, unknown, Listed, unknown]>([
    ["a list", { type: "array", items: { type: "integer" } }, { structuredContent: [1] }, []],
    ["null", { type: "null" }, { structuredContent: null }, []],
    ["a string", { type: "string" }, { structuredContent: "x" }, []],
    ["one of several", { anyOf: [{ type: "string" }, { type: "null" }] }, { structuredContent: null }, []],
    ["an integer beyond 2^53", { type: "integer" }, { structuredContent: 9007199254740993 }, []], // oxlint-disable-line no-loss-of-precision -- what arrives is a double.
    ["nothing, without a schema", undefined, {}, undefined],
  ])("may be %s", async (_name, schema, body, issues) => {
    expect((await checked(schema, body)).issues).toEqual(issues);
  });

  test("that is wrong comes with what is wrong", async () => {
    const { issues, structuredContent } = await checked(
      { type: "array", items: { type: "integer" } },
      { structuredContent: ["a"] },
    );
    expect(structuredContent).toEqual(["a"]);
    expect(issues).toEqual([expect.objectContaining({ path: "/0" })]);
  });

  test("that is missing is an issue", async () => {
    expect((await checked({ type: "object" }, {})).issues).toEqual([{ path: "", message: "is missing" }]);
  });

  test("of a failed call is nobody's business", async () => {
    const { issues, isError } = await checked({ type: "object" }, { isError: true });
    expect([issues, isError]).toEqual([undefined, true]);
  });

  test("is left unchecked, with a warning, where the schema cannot be judged", async () => {
    const { issues, warnings } = await checked({ $ref: "https://evil.test/s.json" }, { structuredContent: 1 });
    expect(issues).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('"t"')]);
  });

  test("is judged in bounded time whatever the schema is", async () => {
    const hostile = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const { issues } = await checked(hostile, { structuredContent: { a: `${"a".repeat(40)}!` } });
    expect(issues === undefined || issues.length === 1).toBe(true);
  });

  // SCH-08.
  test("is judged by a schema compiled once, however often it is listed", async () => {
    let compiled = 0;
    const counting: SchemaEngine = {
      name: "counting",
      compile: (schema) => {
        compiled += 1;
        return interpreterEngine().compile(schema);
      },
    };
    let type = "string";
    const { client } = against(
      (sent) =>
        result(
          sent,
          sent.method === "tools/list"
            ? { tools: [tool("t", {}, { outputSchema: { type } })] }
            : { content: [], structuredContent: "x" },
        ),
      { schemas: counting },
    );
    const issuesAfterListing = async () => {
      await client.listTools();
      return (await client.callTool("t")).issues;
    };
    for (let round = 0; round < 20; round++) expect(await issuesAfterListing()).toEqual([]);
    expect(compiled).toBe(1);
    type = "integer";
    expect(await issuesAfterListing()).toHaveLength(1);
    expect(compiled).toBe(2);
  });
});

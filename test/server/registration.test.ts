/** What an author gets wrong is a `TypeError` at registration that names the entry and the field. */
import { describe, expect, test } from "vitest";
import { createFetchHandler, McpServer } from "../../src/core.ts";
import type { DynamicTool } from "../../src/core.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { post } from "../kit/post.ts";
import { emptyServer, engine } from "../kit/serve.ts";

/** Registers a tool `t` from what a JavaScript author might write. */
function registering(definition: object, name: unknown = "t"): () => unknown {
  return () => emptyServer().tool(name as string, definition, () => "");
}

function withProperty(property: unknown, rest: object = {}): object {
  return { inputSchema: { type: "object", properties: { p: property }, ...rest } };
}

/** Where the error says the fault is, as text. */
function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message; // Just checked.
  }
  throw new Error("nothing was thrown");
}

describe("an input schema", () => {
  const deep = Array.from({ length: 2_000 }).reduce<object>((inner) => ({ items: inner }), {});
  test.each<[string, object, RegExp]>([
    ["with a remote $ref", withProperty({ $ref: "https://evil.test/s.json" }), /\/properties\/p/],
    ["with a scheme-relative $ref", withProperty({ $ref: "//evil.test/s" }), /\/properties\/p/],
    ["with a $ref to nowhere", withProperty({ $ref: "#/$defs/none" }), /\/properties\/p/],
    ["of an unknown dialect", { inputSchema: { $schema: "https://evil.test/meta", type: "object" } }, /\$schema/],
    ["whose root is a list", { inputSchema: { type: "array" } }, /inputSchema.*object/],
    ["whose root may be null", { inputSchema: { type: ["object", "null"] } }, /inputSchema.*object/],
    ["without a type at its root", { inputSchema: { properties: {} } }, /inputSchema.*object/],
    ["with a type that does not exist", withProperty({ type: "Object" }), /\/properties\/p\/type/],
    ["with properties that are no schemas", { inputSchema: { type: "object", properties: null } }, /properties/],
    ["with a pattern that is none", withProperty({ type: "string", pattern: "(" }), /\/properties\/p\/pattern/],
    [
      "with a pattern that could take forever",
      withProperty({ type: "string", pattern: "^(a+)+$" }),
      /\/properties\/p\/pattern/,
    ],
    ["nested without end", withProperty(deep), /inputSchema/],
    ["that is a boolean", { inputSchema: true }, /inputSchema/],
    ["that is null", { inputSchema: null }, /inputSchema/],
    ["that is a list", { inputSchema: [] }, /inputSchema/],
  ])("%s is refused with tool and place", (_name, definition, place) => {
    const message = messageOf(registering(definition));
    expect(message).toMatch(/^tool "t": inputSchema/);
    expect(message).toMatch(place);
  });

  test("is judged the same when the tool has a Standard Schema without a description of itself", () => {
    const bare = { "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } };
    expect(messageOf(registering({ inputSchema: bare }))).toMatch(/^tool "t": inputSchema.*acme/);
  });

  test("may use local references, draft-07, and keywords nobody knows", () => {
    const local = {
      $id: "https://a.test/x",
      properties: { p: { $ref: "#/$defs/y" } },
      $defs: { y: { type: "string" } },
    };
    const old = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { y: {} },
      properties: { p: { $ref: "#/definitions/y" } },
    };
    const unknown = { properties: { p: { "x-internal": 1, nullable: true, example: "e", format: "uint64" } } };
    for (const schema of [local, old, unknown]) {
      expect(registering({ inputSchema: { type: "object", ...schema } })).not.toThrow();
    }
  });
});

describe("an output schema", () => {
  test.each([[{ $ref: "https://evil.test/s.json" }], [{ type: "Object" }], [null], ["string"]])(
    "%j is refused with tool and field",
    (outputSchema) => {
      expect(messageOf(registering({ outputSchema }))).toMatch(/^tool "t": outputSchema/);
    },
  );

  test("may be of any type", () => {
    for (const type of ["array", "string", "null", "number", "boolean", "object"]) {
      expect(registering({ outputSchema: { type } })).not.toThrow();
    }
  });
});

const header = (type: unknown, name: unknown = "Region"): object => ({ type, "x-mcp-header": name });

describe("x-mcp-header", () => {
  const $defs = { d: header("string") };

  test.each<[string, object]>([
    ["on a number", withProperty(header("number"))],
    ["on an object", withProperty(header("object"))],
    ["on a property without a type", withProperty({ "x-mcp-header": "Region" })],
    ["on two types", withProperty(header(["string", "integer"]))],
    ["that is empty", withProperty(header("string", ""))],
    ["with a space", withProperty(header("string", "My Region"))],
    ["with a line break", withProperty(header("string", "Region\r\nX: y"))],
    ["with a letter outside ASCII", withProperty(header("string", "Région"))],
    ["that is no string", withProperty(header("string", 5))],
    [
      "that differs from another by case alone",
      { inputSchema: { type: "object", properties: { a: header("string"), b: header("string", "REGION") } } },
    ],
    ["under items", withProperty({ type: "array", items: header("string") })],
    ["under anyOf", withProperty({ anyOf: [header("string"), { type: "null" }] })],
    ["under allOf at the root", { inputSchema: { type: "object", allOf: [{ properties: { p: header("string") } }] } }],
    ["behind $ref", withProperty({ $ref: "#/$defs/d" }, { $defs })],
    ["under additionalProperties", { inputSchema: { type: "object", additionalProperties: header("string") } }],
    ["under patternProperties", { inputSchema: { type: "object", patternProperties: { "^a": header("string") } } }],
    ["under a condition", { inputSchema: { type: "object", if: { properties: { p: header("string") } } } }],
    ["at the root", { inputSchema: header("object") }],
  ])("%s is refused with its place", (_name, definition) => {
    expect(messageOf(registering(definition))).toMatch(/^tool "t": inputSchema.*\/x-mcp-header: /);
  });

  test("is fine on primitives that properties alone lead to", () => {
    const properties = {
      s: header("string", "S"),
      i: header("integer", "I"),
      b: header("boolean", "B"),
      n: header(["string", "null"], "N"),
      nested: { type: "object", properties: { deep: header("string", "Deep") } },
    };
    expect(registering({ inputSchema: { type: "object", properties } })).not.toThrow();
  });
});

describe("names", () => {
  // Described in words: a lone surrogate in a title would break the channel that test results travel through.
  test.each<[string, unknown]>([
    ["an empty string", ""],
    ["129 characters", "n".repeat(129)],
    ["half a character", "a\ud800"],
    ["a number", 5],
    ["null", null],
  ])("%s is no name for a tool or a prompt", (_name, name) => {
    expect(messageOf(registering({}, name))).toMatch(/^tool .*name/);
    expect(messageOf(() => emptyServer().prompt(name as string, {}, () => ""))).toMatch(/^prompt .*name/);
  });

  test("may be taken once for each kind", () => {
    const server = emptyServer()
      .tool("x", {}, () => "")
      .prompt("x", {}, () => "")
      .resource("a:x", { name: "x" }, () => "");
    expect(messageOf(() => server.tool("x", {}, () => ""))).toBe('tool "x" is registered twice');
    expect(messageOf(() => server.prompt("x", {}, () => ""))).toBe('prompt "x" is registered twice');
    expect(messageOf(() => server.resource("a:x", { name: "y" }, () => ""))).toBe('resource "a:x" is registered twice');
  });
});

describe("handlers, resources, prompts", () => {
  const notAFunction = "x" as unknown as () => string;
  test("a handler is a function", () => {
    expect(messageOf(() => emptyServer().tool("t", {}, notAFunction))).toMatch(/^tool "t": .*function/);
    expect(messageOf(() => emptyServer().prompt("p", {}, notAFunction))).toMatch(/^prompt "p": .*function/);
    expect(messageOf(() => emptyServer().resource("a:b", { name: "b" }, notAFunction))).toMatch(
      /^resource "a:b": .*function/,
    );
  });

  test.each(["", "not a uri", "/relative", "a:{x", "a:}", "a:{}", "a:{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}{+i}{!x}"])(
    "%j is no URI and no template",
    (uri) => {
      expect(messageOf(() => emptyServer().resource(uri, { name: "r" }, () => ""))).toMatch(/^resource "/);
    },
  );

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("a resource is not fresh for %d milliseconds", (ttlMs) => {
    expect(messageOf(() => emptyServer().resource("a:b", { name: "b", ttlMs }, () => ""))).toMatch(
      /^resource "a:b": ttlMs/,
    );
  });

  test("a completer needs a variable of the template", () => {
    const complete = { y: () => [] };
    expect(messageOf(() => emptyServer().resource("a:{x}", { name: "b", complete }, () => ""))).toMatch(/complete\.y/);
    expect(messageOf(() => emptyServer().resource("a:b", { name: "b", complete }, () => ""))).toMatch(/complete\.y/);
  });

  test("prompt arguments have names of their own", () => {
    const twice = { arguments: [{ name: "a" }, { name: "a" }] } as const;
    expect(messageOf(() => emptyServer().prompt("p", twice, () => ""))).toMatch(/^prompt "p": .*"a"/);
    expect(messageOf(() => emptyServer().prompt("p", { arguments: [{ name: "" }] }, () => ""))).toMatch(
      /^prompt "p": .*name/,
    );
  });
});

describe("after the first request", () => {
  test("nothing can be added", async () => {
    const server = emptyServer();
    server.tool("t", {}, () => "");
    await post(createFetchHandler(server), "tools/list");
    expect(messageOf(() => server.tool("late", {}, () => ""))).toMatch(/^tool "late": .*after the first request/);
    expect(messageOf(() => server.prompt("late", {}, () => ""))).toMatch(/^prompt "late"/);
    expect(messageOf(() => server.resource("a:late", { name: "l" }, () => ""))).toMatch(/^resource "a:late"/);
    expect(messageOf(() => server.provide({ tools: () => [] }))).toMatch(/^provider/);
  });

  test("a request that was refused before it got to the server closes nothing", async () => {
    const server = emptyServer();
    await createFetchHandler(server).fetch(new Request("https://server.test/mcp"));
    expect(() => server.tool("t", {}, () => "")).not.toThrow();
  });
});

describe("options", () => {
  test.each<[string, object]>([
    ["pageSize", { pageSize: 0 }],
    ["pageSize", { pageSize: 1.5 }],
    ["pageSize", { pageSize: Number.NaN }],
    ["listTtlMs", { listTtlMs: -1 }],
    ["listTtlMs", { listTtlMs: 0.5 }],
  ])("%s is checked: %j", (field, options) => {
    expect(messageOf(() => emptyServer(options))).toMatch(new RegExp(`^${field}:`));
  });

  test.each([{ name: "", version: "1" }, { name: "x", version: "" }, { name: 5, version: "1" }, { name: "x" }])(
    "a server is not called %j",
    (info) => {
      expect(messageOf(() => new McpServer(info as { name: string; version: string }, { schemas: engine() }))).toMatch(
        /^server (name|version):/,
      );
    },
  );

  test("tools of a provider need an engine for late schemas, resources do not", () => {
    const server = new McpServer({ name: "n", version: "1" }, { schemas: engine() });
    const tool: DynamicTool = { name: "t", handler: () => "" };
    expect(messageOf(() => server.provide({ tools: () => [tool] }))).toMatch(/^provider: .*lateSchemas/);
    expect(messageOf(() => server.provide({ tool: () => tool }))).toMatch(/^provider: .*lateSchemas/);
    expect(() => server.provide({ resources: () => [] })).not.toThrow();
    const late = new McpServer({ name: "n", version: "1" }, { schemas: engine(), lateSchemas: interpreterEngine() });
    expect(() => late.provide({ tools: () => [tool] })).not.toThrow();
  });

  test.each<[string, object]>([
    ["path", { path: "mcp" }],
    ["maxBodyBytes", { maxBodyBytes: 0 }],
    ["bodyTimeoutMs", { bodyTimeoutMs: -1 }],
    ["openAfterMs", { openAfterMs: 1.5 }],
    ["keepAliveMs", { keepAliveMs: Number.NaN }],
    ["stateTtlMs", { stateTtlMs: 0 }],
    ["stateKeys[1]", { stateKeys: ["7c".repeat(32), "short"] }],
  ])("of the handler: %s is checked", (field, options) => {
    expect(messageOf(() => createFetchHandler(emptyServer(), options)).startsWith(`${field}:`)).toBe(true);
  });
});

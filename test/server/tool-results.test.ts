import { describe, expect, test } from "vitest";
import { audio, type CallToolResult, image, ProtocolError, ToolError } from "../../src/core.ts";
import { call } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireReply } from "../kit/wire.ts";

const SERVER_INFO = { _meta: { "io.modelcontextprotocol/serverInfo": { name: "under-test", version: "1.2.3" } } };

/** A tool `t` that returns whatever `make` does, as JavaScript authors can. */
function returning(make: () => unknown, outputSchema?: Record<string, unknown>): Served<unknown> {
  return serverWith((server) => {
    if (outputSchema === undefined) server.tool("t", {}, () => make() as string);
    else server.tool("t", { outputSchema }, () => make() as never);
  });
}

function resultFor(value: unknown, outputSchema?: Record<string, unknown>): Promise<WireReply> {
  return call(
    returning(() => value, outputSchema),
    "t",
  );
}

describe("without an output schema", () => {
  const text = { type: "text", text: "hi" };
  const link = { type: "resource_link", uri: "a:b", name: "b" };
  const embedded = { type: "resource", resource: { uri: "a:b", text: "hi" } };
  const annotated = { ...text, annotations: { audience: ["user"], priority: 0 }, _meta: { "test/x": 1 } };

  test.each([
    ["a string", "hi", [text]],
    ["an empty string", "", [{ type: "text", text: "" }]],
    ["one content block", text, [text]],
    ["a list of blocks of any type", [text, link, embedded], [text, link, embedded]],
    ["an annotated block", annotated, [annotated]],
    ["nothing", undefined, []],
  ])("%s becomes content", async (_name, value, content) => {
    expect(resultOf(await resultFor(value))).toEqual({ resultType: "complete", content, ...SERVER_INFO });
  });

  test("bytes become image and audio blocks in standard Base64", async () => {
    const bytes = new Uint8Array([251, 255, 254, 0]);
    expect(resultOf(await resultFor([image(bytes, "image/png"), audio(bytes, "audio/wav")]))["content"]).toEqual([
      { type: "image", data: "+//+AA==", mimeType: "image/png" },
      { type: "audio", data: "+//+AA==", mimeType: "audio/wav" },
    ]);
  });

  test("a complete result is sent as it is, its _meta beside the server's", async () => {
    const result: CallToolResult = {
      content: [{ type: "text", text: "hi" }],
      structuredContent: { a: [1] },
      _meta: { "test/x": 1 },
    };
    expect(resultOf(await resultFor(result))).toEqual({
      resultType: "complete",
      ...result,
      _meta: { ...result._meta, ...SERVER_INFO._meta },
    });
  });

  test("a handler cannot make the result something other than complete", async () => {
    const result = resultOf(await resultFor({ content: [], resultType: "partial" }));
    expect(result).toMatchObject({ resultType: "complete", content: [] });
  });

  test("any other object becomes a structured value with its JSON as text", async () => {
    const reply = await resultFor({ content: "not a list", n: 1 });
    expect(resultOf(reply)["structuredContent"]).toEqual({ content: "not a list", n: 1 });
    expect(JSON.parse(textOf(reply))).toEqual({ content: "not a list", n: 1 });
  });

  test("text with every kind of line break arrives unbroken", async () => {
    const value = "a\rb\nc\r\nd\u2028e\u2029f\u0000data: x\n\n";
    expect(textOf(await resultFor(value))).toBe(value);
  });

  test("a lone surrogate still makes valid UTF-8 and JSON", async () => {
    expect(textOf(await resultFor("a\ud800b"))).toBe("a\ud800b");
  });
});

describe("with an output schema", () => {
  const integers = { type: "array", items: { type: "integer" } };

  test.each<[string, Record<string, unknown>, unknown]>([
    ["an object", { type: "object", required: ["a"] }, { a: 1 }],
    ["an array", integers, [1, 2]],
    ["null", { type: "null" }, null],
    ["a string", { type: "string" }, "x"],
    ["false", { type: "boolean" }, false],
    ["zero", { type: "integer" }, 0],
    ["one of several", { anyOf: [{ type: "string" }, integers] }, [3]],
    ["an empty list", integers, []],
  ])("%s becomes structuredContent with its JSON as text", async (_name, schema, value) => {
    const reply = await resultFor(value, schema);
    expect(resultOf(reply)).toHaveProperty("structuredContent", value);
    expect(JSON.parse(textOf(reply))).toEqual(value);
  });

  test("a complete result keeps its own content", async () => {
    const value = { content: [{ type: "text", text: "two numbers" }], structuredContent: [1, 2] };
    expect(resultOf(await resultFor(value, integers))).toMatchObject(value);
    const nothing = { content: [], structuredContent: null };
    expect(resultOf(await resultFor(nothing, { type: "null" }))).toMatchObject(nothing);
  });

  test("a result with isError needs no structured content and no conformity", async () => {
    const value = { isError: true, content: [{ type: "text", text: "no" }] };
    const result = resultOf(await resultFor(value, integers));
    expect(result).toMatchObject(value);
    expect(result).not.toHaveProperty("structuredContent");
    const wrong = { ...value, structuredContent: { any: "thing" } };
    expect(resultOf(await resultFor(wrong, integers))).toMatchObject(wrong);
  });

  test.each<[string, unknown]>([
    ["the wrong type", ["a"]],
    ["a complete result with the wrong type", { content: [], structuredContent: ["a"] }],
    ["a complete result without structured content", { content: [] }],
    ["nothing", undefined],
    ["a number JSON cannot write", [Number.NaN]],
  ])("%s is the server's error", async (_name, value) => {
    const reply = await resultFor(value, integers);
    expect(reply.status).toBe(200);
    expect(errorOf(reply)).toMatchObject({ code: -32603, message: expect.stringMatching(/^Tool t returned/) });
  });

  test("the message about it does not repeat what was returned", async () => {
    expect((await resultFor(["hunter2"], integers)).text).not.toContain("hunter2");
  });
});

function failing(thrown: unknown): Served<unknown> {
  return returning(() => {
    throw thrown;
  });
}

describe("failures", () => {
  test("an error becomes isError without its message, which the operator gets", async () => {
    const error = new Error("cannot open /home/ada/secret.db");
    const handler = failing(error);
    const reply = await call(handler, "t");
    expect(reply.status).toBe(200);
    expect(resultOf(reply)).toMatchObject({ resultType: "complete", isError: true });
    expect(reply.text).not.toMatch(/ada|secret|\.ts|Error:|\n {4}at /);
    expect(handler.errors).toEqual([error]);
  });

  test.each([["a string"], [undefined], [null], [{ code: -32000 }], [Symbol("x")]])(
    "throwing %s is no different",
    async (thrown) => {
      const handler = failing(thrown);
      expect(resultOf(await call(handler, "t"))).toMatchObject({ isError: true });
      expect(handler.errors).toEqual([thrown]);
    },
  );

  test("a ToolError tells the model its message, and is nobody's fault", async () => {
    const handler = failing(new ToolError("The board is full."));
    const reply = await call(handler, "t");
    expect(resultOf(reply)).toMatchObject({ isError: true });
    expect(textOf(reply)).toBe("The board is full.");
    expect(handler.errors).toEqual([]);
  });

  test("a ProtocolError passes with its code, message and data", async () => {
    const reply = await call(failing(new ProtocolError(-32602, "No such board", { board: "x" })), "t");
    expect(errorOf(reply)).toEqual({ code: -32602, message: "No such board", data: { board: "x" } });
    expect(errorOf(await call(failing(new ProtocolError(1234, "own code")), "t")).code).toBe(1234);
  });

  test.each([-32000, -32002, -32019, -32023, -32042, -32099, -32500, -32768, 1.5, Number.NaN])(
    "the code %d, which no server may send, becomes an internal error",
    async (code) => {
      const handler = failing(new ProtocolError(code, "mine"));
      expect(errorOf(await call(handler, "t"))).toEqual({ code: -32603, message: "Internal error" });
      expect(handler.errors).toHaveLength(1);
    },
  );

  test("a rejected promise is like a throw", async () => {
    const handler = serverWith((server) => server.tool("t", {}, () => Promise.reject(new ToolError("later"))));
    expect(textOf(await call(handler, "t"))).toBe("later");
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  test.each<[string, unknown]>([
    ["a BigInt", { n: 1n }],
    ["a cycle", cyclic],
    ["a function", () => "x"],
    ["a symbol", Symbol("x")],
    ["a BigInt inside a complete result", { content: [], structuredContent: { n: 1n } }],
  ])("returning %s is an internal error, not a failed exchange", async (_name, value) => {
    for (const schema of [undefined, {}]) {
      const handler = returning(() => value, schema);
      const reply = await call(handler, "t");
      expect(reply.status).toBe(200);
      expect(errorOf(reply)).toEqual({ code: -32603, message: "Internal error" });
      expect(handler.errors).toHaveLength(1);
    }
  });

  test("error data that JSON cannot write is an internal error too", async () => {
    const handler = failing(new ProtocolError(-32602, "odd", { n: 1n }));
    const reply = await call(handler, "t");
    expect(errorOf(reply).code).toBe(-32603);
  });
});

describe("what JSON leaves out of a structured value", () => {
  test("does not count as present for the output schema", async () => {
    const reply = await resultFor({ a: undefined }, { type: "object", required: ["a"] });
    expect(errorOf(reply).code).toBe(-32603);
  });

  test("an object that writes itself as something else cannot break the message", async () => {
    class Odd {
      readonly content = [];
      toJSON(): string {
        return "odd";
      }
    }
    const reply = await resultFor(new Odd());
    expect(reply.message).toBeDefined();
  });
});

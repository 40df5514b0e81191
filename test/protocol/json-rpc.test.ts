import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorCode, ProtocolError } from "../../src/protocol/errors.ts";
import {
  encodeError,
  encodeNotification,
  encodeResult,
  isObject,
  type ParsedMessage,
  parseMessage,
} from "../../src/protocol/json-rpc.ts";

const { ParseError, InvalidRequest } = ErrorCode;

const request = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"m"}`;

/** What a refusal says, without its wording. */
function refusal(message: ParsedMessage): { code: number; id: string | undefined } {
  if (message.kind !== "invalid") throw new Error(`expected a refusal, got a ${message.kind}`);
  return { code: message.error.code, id: message.id };
}

describe("refused bodies", () => {
  test.each<{ name: string; input: string; code: number; id?: string; because: string }>([
    { name: "cut-off JSON", input: '{"jsonrpc":"2.0",', code: ParseError, because: "it is not JSON" },
    { name: "nothing", input: "", code: ParseError, because: "it is not JSON" },
    { name: "white space", input: " \n", code: ParseError, because: "it is not JSON" },
    {
      name: "two messages in a row",
      input: `${request("1")}${request("2")}`,
      code: ParseError,
      because: "not one value",
    },
    { name: "NaN for an id", input: request("NaN"), code: ParseError, because: "JSON has no NaN" },
    { name: "a leading zero", input: request("01"), code: ParseError, because: "JSON has no octal numbers" },
    { name: "a string", input: '"str"', code: InvalidRequest, because: "valid JSON, wrong envelope" },
    { name: "a number", input: "5", code: InvalidRequest, because: "valid JSON, wrong envelope" },
    { name: "null", input: "null", code: InvalidRequest, because: "valid JSON, wrong envelope" },
    { name: "an empty batch", input: "[]", code: InvalidRequest, because: "one message a POST" },
    { name: "a batch of one", input: `[${request("1")}]`, code: InvalidRequest, because: "one message a POST" },
    {
      name: "a batch of notifications",
      input: '[{"jsonrpc":"2.0","method":"notifications/x"}]',
      code: InvalidRequest,
      because: "one message a POST, and never 202",
    },
    {
      name: "JSON-RPC 1.0",
      input: '{"jsonrpc":"1.0","id":1,"method":"x"}',
      code: InvalidRequest,
      id: "1",
      because: "2.0 only",
    },
    {
      name: "no jsonrpc",
      input: '{"id":1,"method":"tools/list"}',
      code: InvalidRequest,
      id: "1",
      because: "it is required",
    },
    {
      name: "jsonrpc as a number",
      input: '{"jsonrpc":2.0,"id":1,"method":"x"}',
      code: InvalidRequest,
      id: "1",
      because: "a string",
    },
    {
      name: "a numeric method",
      input: '{"jsonrpc":"2.0","id":1,"method":5}',
      code: InvalidRequest,
      id: "1",
      because: "a string",
    },
    { name: "no method", input: '{"jsonrpc":"2.0","id":1}', code: InvalidRequest, id: "1", because: "it is required" },
    {
      name: "params as a list",
      input: '{"jsonrpc":"2.0","id":"a","method":"x","params":[1]}',
      code: InvalidRequest,
      id: '"a"',
      because: "MCP params are objects",
    },
    {
      name: "params as null",
      input: '{"jsonrpc":"2.0","id":1,"method":"x","params":null}',
      code: InvalidRequest,
      id: "1",
      because: "an object",
    },
    {
      name: "a notification with listed params",
      input: '{"jsonrpc":"2.0","method":"x","params":[]}',
      code: InvalidRequest,
      because: "an object",
    },
    {
      name: "a result",
      input: '{"jsonrpc":"2.0","id":1,"result":{}}',
      code: InvalidRequest,
      because: "clients send no responses",
    },
    {
      name: "an error",
      input: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
      code: InvalidRequest,
      because: "clients send no responses",
    },
    { name: "a null id", input: request("null"), code: InvalidRequest, because: "MUST NOT be null" },
    { name: "a boolean id", input: request("true"), code: InvalidRequest, because: "a string or an integer" },
    {
      name: "an object for an id",
      input: request('{"id":1}'),
      code: InvalidRequest,
      because: "a string or an integer",
    },
    { name: "a list for an id", input: request("[1]"), code: InvalidRequest, because: "a string or an integer" },
    { name: "a fractional id", input: request("1.5"), code: InvalidRequest, because: "a string or an integer" },
    {
      name: "an id beyond every double",
      input: request("1e400"),
      code: InvalidRequest,
      because: "Infinity is no id to echo",
    },
    { name: "a negative id beyond every double", input: request("-1e400"), code: InvalidRequest, because: "as above" },
    { name: "an id of 5,000 digits", input: request("9".repeat(5_000)), code: InvalidRequest, because: "as above" },
    { name: "a huge id in exponent form", input: request("1e21"), code: InvalidRequest, because: "no digits to echo" },
    {
      name: "method as an inherited name only",
      input: '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"x"}}',
      code: InvalidRequest,
      id: "1",
      because: "it is data",
    },
  ])("$name is refused because $because", ({ input, code, id }) => {
    expect(refusal(parseMessage(input))).toEqual({ code, id });
  });

  test("nothing of a body is repeated in the message", () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":1,"method":["SECRET"]}');
    expect(message.kind === "invalid" && message.error.message).not.toContain("SECRET");
  });
});

describe("ids", () => {
  test.each<[name: string, id: string, echoed?: string]>([
    ["one", "1"],
    ["zero", "0"],
    ["the empty string", '""'],
    ["a negative integer", "-5"],
    ["the largest safe integer", "9007199254740991"],
    ["an integer that no double holds", "9007199254740993"],
    ["a negative integer that no double holds", "-9007199254740993"],
    ["an integer of 300 digits", `1${"0".repeat(298)}1`],
    ["digits in a string", '"1"'],
    ["a lone surrogate", String.raw`"\ud800"`],
    ["a quote and a backslash", String.raw`"\"\\"`],
    ["line separators", '"\u2028"'],
    ["an escaped letter, which is that letter", String.raw`"\u0061"`, '"a"'],
    ["one with a fraction of zero, which is one", "1.0", "1"],
    ["one hundred in exponent form", "1E2", "100"],
  ])("%s comes back as it was sent", (_, id, echoed = id) => {
    expect(parseMessage(request(id))).toMatchObject({ kind: "request", id: echoed });
  });

  test("members named id elsewhere in the message are not the id", () => {
    const nested =
      '{"params":{"id":7,"a":[{"id":9007199254740995}]},"jsonrpc":"2.0","id":9007199254740993,"method":"m"}';
    expect(parseMessage(nested)).toMatchObject({ kind: "request", id: "9007199254740993" });
    const onlyNested = '{"jsonrpc":"2.0","method":"m","params":{"id":9007199254740993}}';
    expect(parseMessage(onlyNested)).toMatchObject({ kind: "notification" });
  });

  test.each<[ids: string, echoed: string]>([
    ['"id":1,"id":2', "2"],
    ['"id":1,"id":9007199254740993', "9007199254740993"],
    ['"id":9007199254740993,"id":9007199254740995', "9007199254740995"],
    ['"id":9007199254740993,"id":1', "1"],
  ])("of duplicate members %s the last counts, as for every other member", (ids, echoed) => {
    expect(parseMessage(`{"jsonrpc":"2.0",${ids},"method":"m"}`)).toMatchObject({ id: echoed });
  });

  test("a large id above deep nesting is echoed or refused, and never throws", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const text = `{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":{"a":${deep}}}`;
    expect(["request", "invalid"]).toContain(parseMessage(text).kind);
  });

  test("every string and every safe integer survives the round trip", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger()), (id) => {
        const message = parseMessage(JSON.stringify({ jsonrpc: "2.0", id, method: "m" }));
        if (message.kind !== "request") throw new Error("refused");
        const reply: unknown = JSON.parse(encodeResult(message.id, "{}"));
        expect(reply).toEqual({ jsonrpc: "2.0", id: Object.is(id, -0) ? 0 : id, result: {} });
      }),
    );
  });

  test("integers of any size come back digit by digit", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 300n), 10n ** 300n), (id) => {
        expect(parseMessage(request(String(id)))).toMatchObject({ kind: "request", id: String(id) });
      }),
    );
  });
});

describe("messages", () => {
  test("a request keeps its method and params as they are", () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":1,"method":"toString","params":{"__proto__":{"x":1}}}');
    expect(message).toMatchObject({ kind: "request", method: "toString" });
    expect(message.kind === "request" && Object.keys(message.params ?? {})).toEqual(["__proto__"]);
  });

  test("no id makes a notification", () => {
    expect(parseMessage('{"jsonrpc":"2.0","method":"notifications/x"}')).toEqual({
      kind: "notification",
      method: "notifications/x",
      params: undefined,
    });
  });

  test("members that JSON-RPC does not know are ignored", () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":1,"method":"m","extra":[],"result":1}')).toMatchObject({
      kind: "request",
    });
  });

  test("no text at all makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseMessage(text)));
    fc.assert(fc.property(fc.json(), (text) => void parseMessage(text)));
  });
});

describe("responses", () => {
  test("an error carries its id, code, message and data", () => {
    const error = new ProtocolError(-32602, 'bad "x"', { uri: "a://b" });
    expect(JSON.parse(encodeError('"7"', error))).toEqual({
      jsonrpc: "2.0",
      id: "7",
      error: { code: -32602, message: 'bad "x"', data: { uri: "a://b" } },
    });
  });

  test("an error for an unreadable id has no id member, not a null one", () => {
    const sent: unknown = JSON.parse(encodeError(undefined, new ProtocolError(-32700, "no")));
    expect(sent).toEqual({ jsonrpc: "2.0", error: { code: -32700, message: "no" } });
  });

  test("nothing but code, message and data of an error goes out", () => {
    const error = Object.assign(new ProtocolError(1, "m"), { secret: "s", cause: "c" });
    expect(encodeError("1", error)).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}');
  });

  test("a notification has no id", () => {
    expect(JSON.parse(encodeNotification("notifications/progress", { progress: 0 }))).toEqual({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progress: 0 },
    });
  });
});

test.each<[value: unknown, expected: boolean]>([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ["x", false],
])("%j is an object: %s", (value, expected) => {
  expect(isObject(value)).toBe(expected);
});

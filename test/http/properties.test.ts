/**
 * Whatever bytes, headers and ids arrive: an answer from the ladder, in bounded time, that a client can read, and a
 * handler that is none the worse for it.
 */
import * as fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { call, ENDPOINT, requestFor } from "../kit/post.ts";
import { serverWith } from "../kit/serve.ts";
import { eventsOf, textOf } from "../kit/wire.ts";
import { rawRequest, type RawBody, streamOf, utf8 } from "./raw-request.ts";

const RUNS = { numRuns: 300 };
/** Far beyond what any of these requests takes, and far below what a person would call a hang. */
const HANG_MS = 5_000;

const handler = serverWith(
  (server) => {
    const text = {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    } as const;
    server.tool("echo", { inputSchema: text }, (args) => args.text);
    server.tool("anything", { inputSchema: { type: "object" } }, (args) => Object.keys(args).join());
    server.tool("mirror", { inputSchema: { type: "object" }, outputSchema: { type: "object" } }, (args) => args);
    server.tool(
      "tree",
      { inputSchema: { type: "object", properties: { child: { $ref: "#" } }, additionalProperties: false } },
      () => "a tree",
    );
    server.tool(
      "geo",
      { inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } },
      () => "there",
    );
    server.tool("ask", {}, async (_args, ctx) => {
      const { action } = await ctx.elicit("q", { message: "?", schema: { type: "object", properties: {} } });
      return action;
    });
    server.resource("note://{board}/{id}", { name: "note" }, (_uri, variables) => JSON.stringify(variables));
    server.prompt("greet", { arguments: [{ name: "name", required: true }] }, ({ name }) => `Hello ${name}`);
  },
  { allowedOrigins: ["https://app.test"] },
);

interface Answer {
  status: number;
  text: string;
  /** The JSON-RPC response in the body, if there is one. */
  message: Record<string, unknown> | undefined;
}

/** The answer, judged against everything that holds for all of them. */
async function answerTo(request: Request): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), HANG_MS);
  });
  try {
    return await Promise.race([judge(await Promise.race([handler.fetch(request), hang])), hang]);
  } finally {
    clearTimeout(timer);
  }
}

async function judge(response: Response): Promise<Answer> {
  const { status, headers } = response;
  expect(status).toBeLessThan(500);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
  // Stack frames, and paths of this machine or of a bundle.
  expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:\d|\/(?:home|src|work|usr)\//);
  const type = headers.get("content-type");
  if (type !== "application/json" && type !== "text/event-stream") {
    expect(text === "" || type === "text/plain; charset=utf-8").toBe(true);
    return { status, text, message: undefined };
  }
  const messages = type === "application/json" ? [text] : eventsOf(text);
  const message = JSON.parse(messages.at(-1) ?? "") as Record<string, unknown>;
  expect(message).toMatchObject({ jsonrpc: "2.0" });
  expect("result" in message).toBe(!("error" in message));
  expect(ALLOWED_CODES).toContain(codeOf({ message }));
  return { status, text, message };
}

/** Of the codes below −32000 nothing may be sent but these. None of the tools here has codes of its own. */
const ALLOWED_CODES = [undefined, -32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];

const codeOf = ({ message }: Pick<Answer, "message">): unknown =>
  (message?.["error"] as { code?: unknown } | undefined)?.code;

async function expectAlive(): Promise<void> {
  expect(textOf(await call(handler, "echo", { text: "alive" }))).toBe("alive");
}

beforeEach(() => void (handler.errors.length = 0));
afterAll(expectAlive);

const maybe = (good: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constant(good), fc.jsonValue(), fc.constant(undefined));

describe("bodies", () => {
  test("any bytes, in any pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), async (chunks) => {
        const { status } = await answerTo(rawRequest(streamOf(chunks).body));
        expect(status).toBe(400);
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });

  test("any JSON", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (body) => {
        const answer = await answerTo(rawRequest(body));
        expect([400, 202]).toContain(answer.status);
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });

  test("any envelope around a call", async () => {
    const envelope = fc.record({
      jsonrpc: maybe("2.0"),
      id: maybe(1),
      method: maybe("tools/call"),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          name: maybe("echo"),
          arguments: maybe({ text: "x" }),
          requestState: fc.option(fc.jsonValue(), { nil: undefined }),
          inputResponses: fc.option(fc.jsonValue(), { nil: undefined }),
          _meta: maybe({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          }),
        }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(envelope, async (message) => {
        await answerTo(rawRequest(JSON.stringify(message)));
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });

  test("a good call with some of its bytes changed, cut out or put in", async () => {
    const good = utf8(await requestFor("tools/call", { name: "echo", arguments: { text: "héllo" } }).text());
    const edit = fc.record({ at: fc.nat(good.length), drop: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let bytes = [...good];
        for (const { at, drop, insert } of edits) bytes = [...bytes.slice(0, at), ...insert, ...bytes.slice(at + drop)];
        await answerTo(rawRequest(new Uint8Array(bytes)));
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });
});

describe("params", () => {
  const METHODS = [
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "prompts/get",
    "completion/complete",
    "server/discover",
    "ping",
  ];
  const names = fc.oneof(
    fc.constantFrom(
      "echo",
      "anything",
      "ask",
      "geo",
      "greet",
      "note://a/b",
      "__proto__",
      "constructor",
      "toString",
      "",
    ),
    fc.string({ unit: "grapheme" }),
  );
  const params = fc.record(
    {
      name: names,
      uri: names,
      arguments: fc.oneof(fc.object({ key: fc.oneof(fc.string(), fc.constant("__proto__")) }), fc.jsonValue()),
      cursor: fc.jsonValue(),
      requestState: fc.oneof(
        fc.string(),
        fc.string().map((text) => `s1.${btoa(encodeURIComponent(text))}`),
        fc.jsonValue(),
      ),
      inputResponses: fc.oneof(fc.dictionary(fc.constantFrom("q", "x"), fc.jsonValue()), fc.jsonValue()),
      ref: fc.jsonValue(),
      argument: fc.jsonValue(),
      context: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  test("of any shape, for every method", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, fc.boolean(), async (method, given, asks) => {
        const request = requestFor(method, JSON.parse(JSON.stringify(given)) as Record<string, unknown>, {
          capabilities: asks ? { elicitation: {} } : {},
          id: "mine",
        });
        const { message } = await answerTo(request);
        expect(message?.["id"]).toBe("mine");
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });
});

describe("ids", () => {
  test("of any string or integer come back exactly, in results and in errors", async () => {
    const ids = fc.oneof(
      fc.string({ unit: "binary" }).map((id) => JSON.stringify(id)),
      fc.bigInt(-(2n ** 70n), 2n ** 70n).map(String),
    );
    await fc.assert(
      fc.asyncProperty(ids, fc.constantFrom("echo", "no such tool"), async (id, name) => {
        const good = await requestFor("tools/call", { name, arguments: { text: "x" } }, { id: "ID" }).text();
        const { text } = await answerTo(
          rawRequest(
            good.replace('"ID"', () => id),
            { headers: { "mcp-name": name } },
          ),
        );
        expect(text).toContain(`{"jsonrpc":"2.0","id":${id},`);
      }),
      RUNS,
    );
  });

  test("of any other kind are refused and never echoed", async () => {
    const ids = fc.oneof(
      fc.constantFrom("null", "true", "1.5", "1e400", "-1e999", "[]", "{}", '[{"id":1}]', "9".repeat(5_000)),
      fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }).map(String),
    );
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const good = await requestFor("tools/call", { name: "echo", arguments: { text: "x" } }, { id: "ID" }).text();
        const answer = await answerTo(rawRequest(good.replace('"ID"', id)));
        expect([answer.status, codeOf(answer)]).toEqual([400, -32600]);
        expect(Object.keys(answer.message ?? {})).not.toContain("id");
      }),
      { numRuns: 60 },
    );
  });
});

/** Undefined for what `Headers` itself refuses, since that cannot reach a handler. */
function withHeaders(headers: Record<string, string>, tool: string): Request | undefined {
  try {
    return requestFor("tools/call", { name: tool, arguments: { text: "x", region: "eu" } }, { headers });
  } catch {
    return undefined;
  }
}

describe("headers", () => {
  test("of any value", async () => {
    const value = fc.oneof(
      fc.string({ unit: "binary-ascii" }),
      fc.string({ unit: "binary-ascii" }).map((text) => `=?base64?${text}?=`),
      fc.constantFrom("tools/call", "echo", "2026-07-28", "application/json", "*/*", "https://app.test", "0", "-1"),
    );
    const name = fc.constantFrom(
      "accept",
      "content-type",
      "content-length",
      "content-encoding",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-param-region",
      "mcp-session-id",
      "last-event-id",
      "origin",
      "access-control-request-method",
      "authorization",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), fc.constantFrom("echo", "geo"), async (headers, tool) => {
        const request = withHeaders({ "mcp-name": tool, ...headers }, tool);
        if (request !== undefined) await answerTo(request);
      }),
      RUNS,
    );
    expect(handler.errors).toEqual([]);
    await expectAlive();
  });

  // A few are enough: workerd prints a warning for each.
  test.each(["mcp-method", "mcp-name", "origin"])("of bytes beyond ASCII in %s are refused", async (name) => {
    const { status } = await answerTo(
      requestFor("tools/call", { name: "echo" }, { headers: { [name]: "gr\u00fc\u00dfe" } }),
    );
    expect([400, 403]).toContain(status);
  });

  test("with any method", async () => {
    const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "post");
    await fc.assert(
      fc.asyncProperty(methods, fc.webPath(), async (method, path) => {
        await answerTo(new Request(`${new URL(ENDPOINT).origin}${path}`, { method }));
        await answerTo(new Request(ENDPOINT, { method }));
      }),
      { numRuns: 60 },
    );
  });
});

const nest = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);
const withPart = async (name: string, part: string, json: string): Promise<RawBody> => {
  const good = await requestFor(
    "tools/call",
    { name, arguments: { text: "ARGS" } },
    { id: "ID", meta: { deep: "META" } },
  ).text();
  return good.replace(part, () => json);
};

describe("deep nesting", () => {
  describe.each([10_000, 200_000])("of %i levels", (depth) => {
    test.each<[where: string, tool: string, part: string, json: string]>([
      ["in arguments that are refused", "echo", '"ARGS"', nest(depth)],
      ["in arguments that are taken", "anything", '"ARGS"', nest(depth)],
      ["in arguments that are sent back", "mirror", '"ARGS"', nest(depth)],
      ["in place of arguments", "echo", '{"text":"ARGS"}', nest(depth)],
      ["of objects in arguments", "anything", '"ARGS"', nest(depth, '{"a":', "}").replace(":}", ":1}")],
      ["in _meta", "anything", '"META"', nest(depth)],
      ["in the id", "anything", '"ID"', nest(depth)],
      ["around everything", "echo", '"ARGS"', `"x"}}}${"]".repeat(depth)}`],
      [
        "in a schema that refers to itself",
        "tree",
        '{"text":"ARGS"}',
        nest(depth, '{"child":', "}").replace(":}", ":{}}"),
      ],
      ["in a call that asks", "ask", '"ARGS"', nest(depth)],
    ])("%s", async (_, tool, part, json) => {
      const body = await withPart(tool, part, json);
      await answerTo(rawRequest(body, { headers: { "mcp-name": tool } }));
      await expectAlive();
    });

    test("beside an id that no double holds", async () => {
      const body = (await withPart("anything", '"ARGS"', nest(depth))) as string; // requestFor() writes text.
      await answerTo(rawRequest(body.replace('"ID"', "9007199254740993"), { headers: { "mcp-name": "anything" } }));
      await expectAlive();
    });

    test("in an answer to a question, with a state that is not genuine", async () => {
      const params = {
        name: "anything",
        arguments: { text: "ARGS" },
        requestState: "s1.AAAA",
        inputResponses: { q: "RESPONSE" },
      };
      const good = await requestFor("tools/call", params).text();
      const body = good.replace('"ARGS"', nest(depth)).replace('"RESPONSE"', nest(depth));
      await answerTo(rawRequest(body, { headers: { "mcp-name": "anything" } }));
      await expectAlive();
    });
  });

  test("an id beside it is echoed", async () => {
    const body = await withPart("tree", '{"text":"ARGS"}', nest(10_000, '{"child":', "}").replace(":}", ":{}}"));
    const { status, message } = await answerTo(rawRequest(body, { headers: { "mcp-name": "tree" } }));
    expect(status).toBe(200);
    expect(message?.["id"]).toBe("ID");
  });
});

test("nothing is printed while strangers try", async () => {
  const printed = vi.spyOn(console, "error");
  const warned = vi.spyOn(console, "warn");
  await answerTo(rawRequest("{"));
  await answerTo(rawRequest(new Uint8Array([255])));
  expect(printed).not.toHaveBeenCalled();
  expect(warned).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

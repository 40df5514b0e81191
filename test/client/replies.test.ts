/** What becomes of replies: those that are in order, those that are not, and those that are meant to hurt. */
import { describe, expect, test } from "vitest";
import type { LogMessage, Progress } from "../../src/client.ts";
import { against, codeOf, error, event, json, result, type Sent, stream, text } from "./fake-fetch.ts";

const UTF8 = new TextEncoder();
const response = ({ id }: Sent, body: Record<string, unknown> = text("ok")) => ({ jsonrpc: "2.0", id, result: body });

interface Row {
  name: string;
  reply: (sent: Sent) => Response;
  /** The code of the error, or nothing when there is a result. */
  expect?: string | number;
}

const typed = (type: string) => (sent: Sent) =>
  new Response(JSON.stringify(response(sent)), { headers: { "content-type": type } });
const typedStream = (type: string) => (sent: Sent) =>
  new Response(event(response(sent)), { headers: { "content-type": type } });
const page = (status: number) => () => new Response("<html>", { status, headers: { "content-type": "text/html" } });

const ROWS: Row[] = [
  // HDR-10.
  { name: "JSON", reply: typed("application/json") },
  { name: "JSON with a charset", reply: typed("application/json;charset=utf-8") },
  { name: "JSON in capitals", reply: typed("Application/JSON") },
  { name: "a stream", reply: typedStream("text/event-stream") },
  { name: "a stream with a charset", reply: typedStream("text/event-stream; charset=utf-8") },
  { name: "a stream in capitals", reply: typedStream("Text/Event-Stream") },
  { name: "200 with a page", reply: page(200), expect: "invalid_response" },
  { name: "JSON that is called text", reply: typed("text/plain"), expect: "invalid_response" },
  { name: "a type that only begins like JSON's", reply: typed("application/jsonp"), expect: "invalid_response" },
  {
    name: "no type",
    reply: (sent) => new Response(UTF8.encode(JSON.stringify(response(sent)))),
    expect: "invalid_response",
  },
  { name: "202", reply: () => new Response(null, { status: 202 }), expect: "invalid_response" },
  { name: "204", reply: () => new Response(null, { status: 204 }), expect: "invalid_response" },
  { name: "an empty body", reply: () => json(""), expect: "stream_ended" },
  { name: "half a body", reply: () => json('{"jsonrpc":"2.0","id":1,"resu'), expect: "invalid_response" },
  {
    name: "a body that is not UTF-8",
    reply: () => new Response(Uint8Array.of(0x22, 0xff, 0x22), { headers: { "content-type": "application/json" } }),
    expect: "invalid_response",
  },
  { name: "a page of 500", reply: page(500), expect: "http_error" },
  { name: "a page of 404", reply: page(404), expect: "http_error" },
  { name: "a page of 403", reply: page(403), expect: "forbidden" },
  { name: "a challenge that nobody can meet", reply: page(401), expect: "unauthorized" },
  { name: "an error of 400", reply: (sent) => error(sent, -32602, { status: 400 }), expect: -32602 },
  { name: "an error of 404", reply: (sent) => error(sent, -32601, { status: 404 }), expect: -32601 },
  { name: "an error of 200", reply: (sent) => error(sent, -32603), expect: -32603 },
  { name: "an error of the application's own", reply: (sent) => error(sent, 42), expect: 42 },
  {
    name: "an error on a stream",
    reply: ({ id }) => stream([event({ jsonrpc: "2.0", id, error: { code: -32000, message: "no" } })]),
    expect: -32000,
  },
  {
    name: "an error without an id",
    reply: () => json({ jsonrpc: "2.0", error: { code: -32700, message: "no" } }, { status: 400 }),
    expect: -32700,
  },
  {
    name: "an error with a null id",
    reply: () => json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } }),
    expect: -32600,
  },
  {
    name: "an error in a 502 of another type",
    reply: ({ id }) =>
      new Response(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message: "no" } }), {
        status: 500,
        headers: { "content-type": "text/plain" },
      }),
    expect: -32603,
  },
  {
    name: "an error whose code is no integer",
    reply: ({ id }) => json({ jsonrpc: "2.0", id, error: { code: "x", message: "no" } }),
    expect: "invalid_response",
  },
  // RPC-02.
  {
    name: "the id as a string",
    reply: ({ id }) => json({ jsonrpc: "2.0", id: String(id), result: text("no") }),
    expect: "invalid_response",
  },
  {
    name: "another id",
    reply: ({ id }) => json({ jsonrpc: "2.0", id: id + 1, result: text("no") }),
    expect: "invalid_response",
  },
  {
    name: "a result without an id",
    reply: () => json({ jsonrpc: "2.0", result: text("no") }),
    expect: "invalid_response",
  },
  { name: "no jsonrpc", reply: ({ id }) => json({ id, result: text("no") }), expect: "invalid_response" },
  { name: "a list of responses", reply: (sent) => json([response(sent)]), expect: "invalid_response" },
  { name: "JSON null", reply: () => json(null), expect: "invalid_response" },
  {
    name: "a result that is no object",
    reply: ({ id }) => json({ jsonrpc: "2.0", id, result: [] }),
    expect: "invalid_response",
  },
  {
    name: "a result without content",
    reply: (sent) => result(sent, { resultType: "complete" }),
    expect: "invalid_response",
  },
  // META-04.
  { name: "no resultType", reply: (sent) => result(sent, { content: [] }) },
  {
    name: "an unknown resultType",
    reply: (sent) => result(sent, { content: [], resultType: "partial" }),
    expect: "invalid_response",
  },
  {
    name: "a resultType that is no string",
    reply: (sent) => result(sent, { content: [], resultType: 1 }),
    expect: "invalid_response",
  },
];

test.each(ROWS)("$name", async ({ reply, expect: expected }) => {
  const { client } = against(reply);
  expect(await codeOf(client.callTool("t"))).toBe(expected);
});

test("a deeply nested reply is read or refused, and nothing breaks", async () => {
  const depth = 200_000;
  const { client } = against(({ id }) =>
    json(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${"[".repeat(depth)}${"]".repeat(depth)}}}`,
    ),
  );
  expect([undefined, "invalid_response"]).toContain(await codeOf(client.callTool("t")));
});

const call = (reply: (sent: Sent) => Response, options = {}) => against(reply).client.callTool("t", {}, options);

const progress = (token: number) =>
  event({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: token, progress: 1, message: "½ 🔔" },
  });

const note = (method: string, params: unknown) => event({ jsonrpc: "2.0", method: `notifications/${method}`, params });

const failing = () => {
  throw new TypeError("mine");
};

const reply = (sent: Sent) =>
  stream(
    [event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: sent.id, progress: 1 } })],
    "open",
  );

describe("a stream", () => {
  const first = [{ type: "text", text: "ok" }];

  // SSE-03.
  test("may hold keep-alives of every kind, none of which is a message", async () => {
    const noise = [
      "data:\n\n",
      "data: \n\n",
      ": ping\n\n",
      "event: ping\ndata: {}\n\n",
      "id: 1\ndata:\n\n",
      "event: x\ndata: no JSON\n\n",
    ];
    const { client, warnings } = against((sent) => stream([...noise, event(response(sent))]));
    expect(await client.callTool("t")).toMatchObject({ content: first });
    expect(warnings).toEqual([]);
  });

  test("is read the same wherever its bytes are split", async () => {
    const length = UTF8.encode(progress(1) + event(response({ id: 1 } as Sent, text("é")))).length; // Only the id is looked at.
    for (let at = 1; at < length; at++) {
      const heard: Progress[] = [];
      const found = await call(
        (sent) => {
          const bytes = UTF8.encode(progress(sent.id) + event(response(sent, text("é"))));
          return stream([bytes.subarray(0, at), bytes.subarray(at)]);
        },
        { onProgress: (progress: Progress) => void heard.push(progress) },
      );
      expect(found.content).toEqual([{ type: "text", text: "é" }]);
      expect(heard).toEqual([{ progress: 1, total: undefined, message: "½ 🔔" }]);
    }
  });

  test("is over for the client once the response is there, though it stays open", async () => {
    let cancelled = false;
    const open = (sent: Sent): Response => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(UTF8.encode(event(response(sent)))),
        cancel: () => {
          cancelled = true;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    expect(await call(open)).toMatchObject({ content: first });
    expect(cancelled).toBe(true);
  });

  test("that ends without the response ends the call at once", async () => {
    expect(await codeOf(call(() => stream([":\n\n"])))).toBe("stream_ended");
    expect(await codeOf(call(() => stream([":\n\n"], "break")))).toBe("stream_ended");
    expect(await codeOf(call((sent) => stream([`data: ${JSON.stringify(response(sent))}\n`])))).toBe("stream_ended");
  });

  test("with a message that is not JSON, or not UTF-8, ends the call", async () => {
    expect(await codeOf(call(() => stream(["data: {\n\n"], "open")))).toBe("invalid_response");
    expect(await codeOf(call(() => stream([Uint8Array.of(0x64, 0xff)], "open")))).toBe("invalid_response");
  });

  test("may hold messages for others, which are not taken for the response", async () => {
    const found = await call((sent) =>
      stream([
        event({ jsonrpc: "2.0", id: String(sent.id), result: text("a string") }),
        event({ jsonrpc: "2.0", id: sent.id + 1, result: text("another") }),
        event({ jsonrpc: "2.0", id: sent.id + 1, error: { code: 1, message: "no" } }),
        event([response(sent, text("a list"))]),
        event(response(sent)),
        event(response(sent, text("a second one"))),
      ]),
    );
    expect(found.content).toEqual(first);
  });

  test("on which the server asks something is read on, with a warning", async () => {
    const asked = { jsonrpc: "2.0", id: 1, method: "roots/list" };
    const { client, warnings } = against((sent) => stream([event(asked), event(response(sent))]));
    expect(await client.callTool("t")).toMatchObject({ content: first });
    expect(warnings).toHaveLength(1);
  });

  test("brings progress and logs of this request alone, in order, and nothing that is malformed", async () => {
    const heard: (Progress | LogMessage)[] = [];
    await call(
      (sent) =>
        stream([
          note("progress", { progressToken: sent.id, progress: 1, total: 2 }),
          note("progress", { progressToken: String(sent.id), progress: 9 }),
          note("progress", { progressToken: sent.id + 1, progress: 9 }),
          note("progress", { progressToken: sent.id, progress: "9" }),
          note("message", { level: "info", logger: "db", data: { a: 1 } }),
          note("message", { level: "loud", data: 1 }),
          note("progress", undefined),
          note("unheard/of", {}),
          note("progress", { progressToken: sent.id, progress: 2, message: "done" }),
          event(response(sent)),
          note("progress", { progressToken: sent.id, progress: 3 }),
        ]),
      { onProgress: (it: Progress) => void heard.push(it), onLog: (it: LogMessage) => void heard.push(it) },
    );
    expect(heard).toEqual([
      { progress: 1, total: 2, message: undefined },
      { level: "info", logger: "db", data: { a: 1 } },
      { progress: 2, total: undefined, message: "done" },
    ]);
  });

  test("is left when a callback fails, with its error", async () => {
    await expect(call(reply, { onProgress: failing })).rejects.toThrow(new TypeError("mine"));
  });
});

const endless = (type: string, piece: string) => (): Response & { cancelled?: boolean } => {
  const bytes = UTF8.encode(piece);
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(bytes) });
  return new Response(body, { headers: { "content-type": type } });
};

describe("bounds", () => {
  const limits = { maxMessageBytes: 10_000, maxStreamBytes: 100_000 };

  test.each([
    ["a JSON body without an end", endless("application/json", " ".repeat(1_000))],
    ["an event without an end", endless("text/event-stream", "data: ".padEnd(1_000, "x"))],
    ["an event of lines without an end", endless("text/event-stream", `data: ${"x".repeat(1_000)}\n`)],
    ["keep-alives without an end", endless("text/event-stream", `:${" ".repeat(1_000)}\n\n`)],
    ["events without an end", endless("text/event-stream", event({ jsonrpc: "2.0", method: "x", params: {} }))],
    ["a large event in one piece", () => stream([`data: ${"x".repeat(20_000)}\n\n`])],
    ["a body that says how large it is", () => json("{}", { headers: { "content-length": "20000" } })],
  ])("%s is too large", async (_name, reply) => {
    const { client } = against(reply, { limits });
    expect(await codeOf(client.callTool("t"))).toBe("too_large");
  });

  test("an error status with a page without an end is that status", async () => {
    const { client } = against(() => new Response(endless("text/html", " ".repeat(1_000))().body, { status: 500 }), {
      limits,
    });
    expect(await codeOf(client.callTool("t"))).toBe("http_error");
  });

  test("the message of an error is shortened", async () => {
    const { client } = against(({ id }) =>
      json({ jsonrpc: "2.0", id, error: { code: -1, message: "m".repeat(5_000) } }),
    );
    const message = await client.callTool("t").then(String, ({ message: reason }: Error) => reason);
    expect(message).toBe(`${"m".repeat(2_000)}…`);
  });

  test("a message as large as it may be is read", async () => {
    const { client } = against((sent) => json(JSON.stringify(response(sent)).padEnd(10_000)), { limits });
    expect(await codeOf(client.callTool("t"))).toBeUndefined();
  });
});

import { describe, expect, test } from "vitest";
import { call, post, requestFor, send } from "../kit/post.ts";
import { serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, textOf } from "../kit/wire.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const echo = {
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" }, ms: { type: "integer" } },
    required: ["text", "ms"],
    additionalProperties: false,
  },
} as const;

/** At module scope, as on Workers: one handler for every request of the isolate. */
const handler = serverWith((server) => {
  server.tool("wait", echo, async ({ text, ms }, ctx) => {
    ctx.progress(1);
    await pause(ms);
    ctx.progress(2);
    return text;
  });
  server.tool("ask", {}, async (_args, ctx) => {
    await pause(1);
    const { action } = await ctx.elicit("answer", {
      message: "Sure?",
      schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
    return action;
  });
  server.tool("log", {}, async (_args, ctx) => {
    await pause(2);
    ctx.log("error", "e");
    return "logged";
  });
});

describe("many calls at once", () => {
  test("200 slow calls keep their ids, arguments and notifications apart", async () => {
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        call(handler, "wait", { text: `t${index}`, ms: (index * 7) % 20 }, { id: index, progressToken: `p${index}` }),
      ),
    );
    for (const [index, reply] of replies.entries()) {
      expect(reply.message?.id).toBe(index);
      expect(textOf(reply)).toBe(`t${index}`);
      expect(reply.notifications.map(({ params }) => params["progressToken"])).toEqual([`p${index}`, `p${index}`]);
    }
  });

  test("the same id from several callers is several requests", async () => {
    const replies = await Promise.all(
      ["a", "b", "c"].map((text, index) => call(handler, "wait", { text, ms: 10 - index * 4 }, { id: 1 })),
    );
    expect(replies.map(textOf)).toEqual(["a", "b", "c"]);
    expect(replies.map(({ message }) => message?.id)).toEqual([1, 1, 1]);
  });

  test('1 and "1" are two ids, each answered in its own type', async () => {
    const [number, string] = await Promise.all([
      call(handler, "wait", { text: "number", ms: 5 }, { id: 1 }),
      call(handler, "wait", { text: "string", ms: 0 }, { id: "1" }),
    ]);
    expect([number.message?.id, textOf(number)]).toEqual([1, "number"]);
    expect([string.message?.id, textOf(string)]).toEqual(["1", "string"]);
  });
});

describe("nothing leaks from one caller to another", () => {
  test("capabilities of one are not those of the next", async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call(handler, "ask", {}, { id: index, capabilities: index % 2 === 0 ? { elicitation: {} } : {} }),
      ),
    );
    for (const [index, reply] of replies.entries()) {
      if (index % 2 === 0) {
        expect(resultOf(reply)["resultType"]).toBe("input_required");
      } else {
        expect(reply.status).toBe(400);
        expect(errorOf(reply)).toMatchObject({
          code: -32021,
          data: { requiredCapabilities: { elicitation: { form: {} } } },
        });
      }
    }
  });

  test("a log level of one is not that of the next", async () => {
    const [asked, silent] = await Promise.all([
      call(handler, "log", {}, { logLevel: "debug" }),
      call(handler, "log", {}),
    ]);
    expect(asked.notifications).toHaveLength(1);
    expect(silent.notifications).toHaveLength(0);
  });

  test("a call that is never read holds up nobody, nor does dropping it", async () => {
    const first = await send(
      handler,
      requestFor("tools/call", { name: "wait", arguments: { text: "a", ms: 30 } }, { progressToken: 0 }),
    );
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    expect(textOf(await call(handler, "wait", { text: "b", ms: 0 }))).toBe("b");
    await first.body?.cancel();
    expect(textOf(await call(handler, "wait", { text: "c", ms: 0 }))).toBe("c");
    expect(handler.errors).toEqual([]);
  });

  test("a notification that names a running call does not cancel it", async () => {
    const running = call(handler, "wait", { text: "still here", ms: 20 }, { id: 99 });
    const response = await handler.fetch(
      new Request("https://server.test/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
      }),
    );
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([202, "", null]);
    expect(textOf(await running)).toBe("still here");
  });
});

const fresh = (): typeof handler => serverWith((server) => server.tool("echo", echo, ({ text }) => text));

test("no request needs another before it, nor the same instance", async () => {
  expect(textOf(await call(fresh(), "echo", { text: "first", ms: 0 }))).toBe("first");
  expect(resultOf(await post(fresh(), "tools/list"))).toHaveProperty("tools");
});

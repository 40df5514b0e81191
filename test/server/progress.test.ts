/** What a handler says before its result: progress and logs, and when it is silent. */
import { describe, expect, test } from "vitest";
import { type LogLevel, LOG_LEVELS } from "../../src/protocol/types.ts";
import type { RequestContext } from "../../src/core.ts";
import { call, post, requestFor, send } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, eventsOf, resultOf, textOf, type WireReply } from "../kit/wire.ts";

function running(run: (ctx: RequestContext) => string | Promise<string>): Served<unknown> {
  return serverWith((server) => server.tool("t", {}, (_args, ctx) => run(ctx)));
}

function progressOf({ notifications }: WireReply): unknown[] {
  return notifications
    .filter(({ method }) => method === "notifications/progress")
    .map(({ params }) => params["progress"]);
}

const report = (ctx: RequestContext): string => {
  ctx.progress(1);
  return "x";
};

describe("progress", () => {
  const handler = running((ctx) => {
    ctx.progress(1, 4, "begun");
    ctx.progress(2.5, 4);
    ctx.progress(4);
    return "done";
  });

  test.each([0, "", 7, -1, "token", "0"])("goes out under the token %j", async (progressToken) => {
    const reply = await call(handler, "t", {}, { progressToken });
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    expect(reply.notifications).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 4, message: "begun" },
      },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 2.5, total: 4 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 4 } },
    ]);
    expect(textOf(reply)).toBe("done");
  });

  test("nobody asked for is not sent, and the reply is one JSON body", async () => {
    const reply = await call(handler, "t");
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(textOf(reply)).toBe("done");
  });

  test.each([[1.5], [null], [{}], [true], [[]], [2 ** 60]])(
    "with the token %j makes the request malformed",
    async (progressToken) => {
      const reply = await call(handler, "t", {}, { progressToken });
      expect([reply.status, errorOf(reply).code]).toEqual([400, -32602]);
    },
  );

  test("only ever increases", async () => {
    const values = [3, 3, 1, 4, 4, 3.9, -1, 5];
    const handler = running((ctx) => {
      for (const value of values) ctx.progress(value);
      return "";
    });
    expect(progressOf(await call(handler, "t", {}, { progressToken: 1 }))).toEqual([3, 4, 5]);
  });

  test("may begin below zero", async () => {
    const handler = running((ctx) => {
      for (const value of [-2, -1, 0]) ctx.progress(value);
      return "";
    });
    expect(progressOf(await call(handler, "t", {}, { progressToken: 1 }))).toEqual([-2, -1, 0]);
  });

  test("is separate for each call", async () => {
    const replies = await Promise.all(["a", "b"].map((progressToken) => call(handler, "t", {}, { progressToken })));
    for (const [index, reply] of replies.entries()) {
      expect(progressOf(reply)).toEqual([1, 2.5, 4]);
      expect(new Set(reply.notifications.map(({ params }) => params["progressToken"]))).toEqual(
        new Set([["a", "b"][index]]),
      );
    }
  });

  test.each<[string, number, number?]>([
    ["progress", Number.NaN],
    ["progress", Number.POSITIVE_INFINITY],
    ["total", 1, Number.NaN],
    ["total", 1, Number.NEGATIVE_INFINITY],
  ])(
    "that is no number is the author's TypeError, whether anybody listens or not: %s",
    async (field, progress, total) => {
      const handler = running((ctx) => {
        ctx.progress(progress, total);
        return "";
      });
      for (const options of [{}, { progressToken: 1 }]) {
        expect(resultOf(await call(handler, "t", {}, options))).toMatchObject({ isError: true });
      }
      expect(handler.errors.map(String)).toEqual([
        expect.stringContaining(`${field}:`),
        expect.stringContaining(`${field}:`),
      ]);
    },
  );

  test("after the end is silent, and fails nothing", async () => {
    const late = Promise.withResolvers<RequestContext>();
    const handler = running((ctx) => {
      ctx.progress(1);
      late.resolve(ctx);
      return "done";
    });
    const reply = await call(handler, "t", {}, { progressToken: 1, logLevel: "debug" });
    const ctx = await late.promise;
    expect(() => ctx.progress(2)).not.toThrow();
    expect(() => ctx.log("error", "late")).not.toThrow();
    expect(progressOf(reply)).toEqual([1]);
    expect(progressOf(await call(handler, "t", {}, { progressToken: 1 }))).toEqual([1]);
  });

  test("after the end of a stream is not written to it", async () => {
    const open = Promise.withResolvers<undefined>();
    const late = Promise.withResolvers<RequestContext>();
    const handler = running(async (ctx) => {
      ctx.progress(1);
      await open.promise;
      late.resolve(ctx);
      return "done";
    });
    const response = await send(handler, requestFor("tools/call", { name: "t" }, { progressToken: 1 }));
    open.resolve(undefined);
    (await late.promise).progress(2);
    const events = eventsOf(await response.text());
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(events.at(-1)).toContain('"result"');
    (await late.promise).progress(3);
    expect(events.join("")).not.toContain('"progress":3');
  });

  test("is dropped where the client takes JSON alone, but the result arrives", async () => {
    const reply = await call(handler, "t", {}, { progressToken: 1, headers: { accept: "application/json" } });
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(textOf(reply)).toBe("done");
  });

  test("precedes a tool's error as well", async () => {
    const handler = running((ctx) => {
      ctx.progress(1);
      throw new Error("x");
    });
    const reply = await call(handler, "t", {}, { progressToken: 1 });
    expect(progressOf(reply)).toEqual([1]);
    expect(resultOf(reply)).toMatchObject({ isError: true });
  });

  test("comes from prompts, resources and completers too", async () => {
    const handler = serverWith((server) => {
      server.prompt(
        "p",
        { arguments: [{ name: "a", complete: (_value, _context, ctx) => [report(ctx)] }] },
        (_args, ctx) => report(ctx),
      );
      server.resource("a:b", { name: "b" }, (_uri, _variables, ctx) => report(ctx));
    });
    const asked: [string, Record<string, unknown>][] = [
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "a:b" }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
    ];
    for (const [method, params] of asked) {
      expect(progressOf(await post(handler, method, params, { progressToken: 0 }))).toEqual([1]);
    }
  });
});

function levelsOf({ notifications }: WireReply): unknown[] {
  return notifications.map(({ params }) => params["level"]);
}

describe("logs", () => {
  const handler = running((ctx) => {
    for (const level of LOG_LEVELS) ctx.log(level, `it is ${level}`);
    return "";
  });

  test("nobody asked for are not sent", async () => {
    const reply = await call(handler, "t", {}, { progressToken: 1 });
    expect(reply.notifications).toEqual([]);
  });

  test.each(LOG_LEVELS.map((level, index) => [level, index] as const))(
    "asked for from %s on begin there",
    async (logLevel, index) => {
      expect(levelsOf(await call(handler, "t", {}, { logLevel }))).toEqual(LOG_LEVELS.slice(index));
    },
  );

  test.each([["loud"], [""], [3], [null], ["Error"]])(
    "of the level %j make the request malformed",
    async (logLevel) => {
      const reply = await call(handler, "t", {}, { logLevel });
      expect([reply.status, errorOf(reply).code]).toEqual([400, -32602]);
    },
  );

  test("carry any JSON and the logger's name", async () => {
    const data = { a: [1, null, "x\n"] };
    const handler = running((ctx) => {
      ctx.log("info", data, "db");
      ctx.log("info", "plain");
      return "";
    });
    expect((await call(handler, "t", {}, { logLevel: "debug" })).notifications).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", logger: "db", data } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "plain" } },
    ]);
  });

  test("of one call never reach another", async () => {
    const [loud, quiet] = await Promise.all([
      call(handler, "t", {}, { logLevel: "debug" }),
      call(handler, "t", {}, { progressToken: 1 }),
    ]);
    expect(levelsOf(loud)).toHaveLength(LOG_LEVELS.length);
    expect(quiet.notifications).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["a BigInt", 1n],
    ["a function", () => ""],
  ])("of %s do not fail a call, and say something rather than nothing", async (_name, data) => {
    const handler = running((ctx) => {
      ctx.log("info", data);
      return "done";
    });
    expect(textOf(await call(handler, "t"))).toBe("done");
    const reply = await call(handler, "t", {}, { logLevel: "debug" });
    expect(textOf(reply)).toBe("done");
    expect(reply.notifications).toMatchObject([{ params: { level: "info" } }]);
    expect(reply.notifications[0]?.params).toHaveProperty("data");
  });

  test("of a level that does not exist are not sent", async () => {
    const handler = running((ctx) => {
      ctx.log("loud" as LogLevel, "x");
      return "";
    });
    expect((await call(handler, "t", {}, { logLevel: "debug" })).notifications).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { ProtocolError, type RequestContext } from "../../src/core.ts";
import { call, type PostOptions, requestFor, send } from "../kit/post.ts";
import { type Served, serverWith, type ServeOptions } from "../kit/serve.ts";
import { eventsOf, readReply, textOf } from "../kit/wire.ts";
import { ChunkReader } from "./stream-reader.ts";

type Run = (ctx: RequestContext) => string | Promise<string>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A server whose one tool does what the test says. */
const serverOf = (run: Run, options: ServeOptions<unknown> = {}): Served<unknown> =>
  serverWith((server) => server.tool("run", {}, (_args, ctx) => run(ctx)), options);

/** Asks for everything a request can ask for: progress under the token 0, and logs of every level. */
const WATCHING: PostOptions = { progressToken: 0, logLevel: "debug" };
const start = (handler: Served<unknown>, options: PostOptions = WATCHING): Promise<Response> =>
  send(handler, requestFor("tools/call", { name: "run" }, options));

const JSON_ONLY = { accept: "application/json" };
const STREAM_ONLY = { accept: "text/event-stream" };

/** What a test waits for, and a way to say that it came. */
function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

describe("one body of JSON", () => {
  test.each<[name: string, run: Run]>([
    ["returns at once", () => "ok"],
    ["waits, but not long", async () => pause(5).then(() => "ok")],
  ])("is the reply of a silent handler that %s", async (_, run) => {
    const reply = await call(serverOf(run), "run", {}, WATCHING);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(reply.status).toBe(200);
    expect(textOf(reply)).toBe("ok");
  });

  test("is the reply to a caller that asked for no progress and no logs, whatever the handler says", async () => {
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      ctx.log("error", "e");
      await pause(1);
      return "ok";
    });
    const reply = await call(handler, "run", {});
    expect(reply.headers.get("content-type")).toBe("application/json");
  });

  test("is all that a client gets that takes no streams, however long it takes", async () => {
    const handler = serverOf(
      async (ctx) => {
        ctx.progress(1);
        await pause(30);
        ctx.log("error", "e");
        return "ok";
      },
      { openAfterMs: 5, keepAliveMs: 5 },
    );
    const reply = await call(handler, "run", {}, { ...WATCHING, headers: JSON_ONLY });
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(textOf(reply)).toBe("ok");
  });

  test("carries an error under its status, even after progress of a handler that never waits", async () => {
    const handler = serverOf((ctx) => {
      ctx.progress(1);
      throw new ProtocolError(-32021, "needs more", { requiredCapabilities: { roots: {} } });
    });
    const reply = await call(handler, "run", {}, WATCHING);
    expect(reply.status).toBe(400);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(reply.message?.error?.code).toBe(-32021);
  });
});

describe("an event stream", () => {
  test("is the reply once a handler has reported something before its end", async () => {
    const handler = serverOf(async (ctx) => {
      ctx.progress(0);
      await pause(1);
      ctx.progress(0.5, 1, "half");
      ctx.log("info", { n: 1 }, "db");
      return "ok";
    });
    const reply = await call(handler, "run", {}, { ...WATCHING, id: "x" });
    expect(reply.status).toBe(200);
    expect(reply.notifications).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 0, progress: 0 } },
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 0, progress: 0.5, total: 1, message: "half" },
      },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", logger: "db", data: { n: 1 } } },
    ]);
    expect(textOf(reply)).toBe("ok");
    expect(reply.message?.id).toBe("x");
  });

  test("says that it is not to be buffered, stored or changed", async () => {
    const response = await start(serverOf((ctx) => (ctx.progress(1), "ok")));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    await response.text();
  });

  test("is one chunk when the handler never waits", async () => {
    const handler = serverOf((ctx) => {
      for (let done = 1; done <= 10; done++) ctx.progress(done, 10);
      return "ok";
    });
    const chunks = await new ChunkReader(await start(handler)).rest();
    expect(chunks).toHaveLength(1);
    expect(eventsOf(chunks.join(""))).toHaveLength(11);
  });

  test("sends what is said together in one chunk", async () => {
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      await pause(5);
      ctx.progress(2);
      ctx.progress(3);
      ctx.log("info", "together");
      await pause(5);
      return "ok";
    });
    const chunks = await new ChunkReader(await start(handler)).rest();
    expect(chunks.map((chunk) => eventsOf(chunk).length)).toEqual([1, 3, 1]);
  });

  test("begins with the first report, long before the handler ends", async () => {
    const ended = signalled();
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      await ended.promise;
      return "ok";
    });
    const reader = new ChunkReader(await start(handler));
    expect(eventsOf((await reader.next()) ?? "")).toHaveLength(1);
    ended.resolve();
    expect(eventsOf((await reader.rest()).join(""))).toHaveLength(1);
  });

  test("begins with a report that comes after some silence", async () => {
    const ended = signalled();
    const handler = serverOf(async (ctx) => {
      await pause(5);
      ctx.log("info", "at last");
      await ended.promise;
      return "ok";
    });
    const reader = new ChunkReader(await start(handler));
    expect(await reader.next()).toContain("at last");
    ended.resolve();
    await reader.rest();
  });

  test("opens for a silent handler that takes long, with comments until the result", async () => {
    const ended = signalled();
    const handler = serverOf(async () => ended.promise.then(() => "ok"), { openAfterMs: 10, keepAliveMs: 5 });
    const response = await start(handler, {});
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = new ChunkReader(response);
    expect([await reader.next(), await reader.next()]).toEqual([":\n\n", ":\n\n"]);
    ended.resolve();
    const rest = (await reader.rest()).join("");
    expect(eventsOf(rest)).toHaveLength(1);
    expect(rest.endsWith("\n\n")).toBe(true);
  });

  test("is all that a client gets that takes no JSON", async () => {
    const reply = await call(
      serverOf(() => "ok"),
      "run",
      {},
      { headers: STREAM_ONLY },
    );
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    expect(textOf(reply)).toBe("ok");
  });

  test("carries prepared lists too, for a client that takes no JSON", async () => {
    const response = await send(
      serverOf(() => "ok"),
      requestFor("tools/list", {}, { headers: STREAM_ONLY }),
    );
    const reply = await readReply(response);
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    expect(reply.message?.result).toHaveProperty("tools");
  });

  test("carries an error that comes after it has begun", async () => {
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      await pause(5);
      throw new ProtocolError(-32602, "no");
    });
    const reply = await call(handler, "run", {}, WATCHING);
    expect(reply.status).toBe(200);
    expect(reply.notifications).toHaveLength(1);
    expect(reply.message?.error).toEqual({ code: -32602, message: "no" });
  });

  test("has one data line for each message, whatever is in it", async () => {
    const nasty = "a\rb\nc\r\nd\u2028e\u2029f data: x\n\nevent: evil\n\n😀";
    const handler = serverOf(async (ctx) => {
      ctx.log("info", nasty);
      await pause(1);
      return nasty;
    });
    const response = await start(handler);
    const text = await response.text();
    expect(text).not.toContain("\r");
    for (const line of text.split("\n")) expect(line === "" || line.startsWith("data: {")).toBe(true);
    const [log = "", result = ""] = eventsOf(text);
    expect(JSON.parse(log)).toMatchObject({ params: { data: nasty } });
    expect(JSON.parse(result)).toMatchObject({ result: { content: [{ text: nasty }] } });
  });
});

describe("after the end", () => {
  test("nothing is sent, and nothing fails, whatever a handler still says", async () => {
    const late = signalled();
    let failure: unknown;
    const handler = serverOf(
      async (ctx) => {
        ctx.progress(1);
        setTimeout(() => {
          try {
            ctx.progress(2);
            ctx.log("error", "late");
          } catch (error) {
            failure = error;
          }
          late.resolve();
        }, 15);
        await pause(1);
        return "ok";
      },
      { keepAliveMs: 3 },
    );
    const reply = await call(handler, "run", {}, WATCHING);
    await late.promise;
    expect(reply.notifications).toHaveLength(1);
    expect(failure).toBeUndefined();
    expect(handler.errors).toEqual([]);
  });

  test("a reply of JSON is not followed by anything either", async () => {
    const late = signalled();
    const handler = serverOf((ctx) => {
      setTimeout(() => {
        ctx.progress(1);
        late.resolve();
      }, 5);
      return "ok";
    });
    const reply = await call(handler, "run", {}, WATCHING);
    await late.promise;
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(handler.errors).toEqual([]);
  });
});

describe("cancelling", () => {
  test("a stream that is closed aborts the handler's signal, and that is no fault", async () => {
    const aborted = signalled();
    let reason: unknown;
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      await new Promise((_resolve, reject) => {
        ctx.signal.addEventListener("abort", () => {
          reason = ctx.signal.reason;
          aborted.resolve();
          reject(reason);
        });
      });
      return "never";
    });
    const reader = new ChunkReader(await start(handler));
    await reader.next();
    await reader.cancel();
    await aborted.promise;
    await pause(1);
    expect(reason).toMatchObject({ name: "AbortError" });
    expect(handler.errors).toEqual([]);
  });

  test("is seen by a signal that is looked at only afterwards", async () => {
    const cancelled = signalled();
    const seen = signalled();
    let late = false;
    const handler = serverOf(async (ctx) => {
      ctx.progress(1);
      await cancelled.promise;
      late = ctx.signal.aborted;
      seen.resolve();
      return "never";
    });
    const reader = new ChunkReader(await start(handler));
    await reader.next();
    await reader.cancel();
    cancelled.resolve();
    await seen.promise;
    expect(late).toBe(true);
  });

  test("a request whose own signal aborts is cancelled too", async () => {
    const controller = new AbortController();
    const aborted = signalled();
    const handler = serverOf(async (ctx) => {
      ctx.signal.addEventListener("abort", aborted.resolve);
      ctx.progress(1);
      await aborted.promise;
      return "late";
    });
    const response = await start(handler, { ...WATCHING, signal: controller.signal });
    controller.abort();
    await aborted.promise;
    await response.body?.cancel();
  });

  test("of a request whose own signal aborts ends its stream without a response, whatever the handler goes on to say", async () => {
    const controller = new AbortController();
    const cancelled = signalled();
    const ended = signalled();
    const handler = serverOf(async (ctx) => {
      ctx.signal.addEventListener("abort", cancelled.resolve);
      ctx.progress(1);
      await cancelled.promise;
      ctx.progress(2);
      ctx.log("error", "late");
      ended.resolve();
      return "late";
    });
    const reader = new ChunkReader(await start(handler, { ...WATCHING, signal: controller.signal }));
    await reader.next();
    controller.abort();
    await ended.promise;
    expect(await reader.rest()).toEqual([]);
    expect(handler.errors).toEqual([]);
  });

  test("a handler that ignores it finds that nothing it says is sent, and the next request is served", async () => {
    const ended = signalled();
    const handler = serverOf(
      async (ctx) => {
        for (let step = 1; step <= 10; step++) {
          ctx.progress(step);
          ctx.log("error", step);
          await pause(2);
        }
        ended.resolve();
        return "ok";
      },
      { keepAliveMs: 1 },
    );
    const response = await start(handler);
    const reader = new ChunkReader(response);
    await reader.next();
    await reader.cancel();
    expect(await reader.next()).toBeUndefined();
    await ended.promise;
    await pause(5);
    expect(handler.errors).toEqual([]);
    const again = await call(handler, "run", {});
    expect(textOf(again)).toBe("ok");
  });
});

describe("a reader that falls behind", () => {
  /** Enough to hold what a slow reader may catch up with, and far below what was reported. */
  const BOUND = 4 * 1_048_576;
  const REPORTS = 100_000;
  const filler = "x".repeat(100);

  test.each<[name: string, every: number]>([
    ["without ever waiting", REPORTS],
    ["in bursts", 1_000],
  ])("is not sent 100,000 reports made %s, and gets the result all the same", async (_, every) => {
    const handler = serverOf(async (ctx) => {
      for (let done = 1; done <= REPORTS; done++) {
        ctx.progress(done, REPORTS, filler);
        if (done % every === 0) await pause(0);
      }
      return "all done";
    });
    const response = await start(handler);
    await pause(300); // Nothing is read meanwhile.
    const text = await response.text();
    expect(text.length).toBeLessThan(BOUND);
    const events = eventsOf(text);
    expect(events.length).toBeGreaterThan(100);
    expect(events.at(-1)).toContain("all done");
    const order = events.slice(0, -1).map((event) => Number(/"progress":(\d+)/.exec(event)?.[1]));
    expect(order.every((value, index) => index === 0 || value > (order[index - 1] ?? 0))).toBe(true);
  });

  test("that reads along gets every report", async () => {
    const handler = serverOf(async (ctx) => {
      for (let done = 1; done <= 2_000; done++) {
        ctx.progress(done, 2_000, filler);
        if (done % 100 === 0) await pause(0);
      }
      return "ok";
    });
    const reply = await call(handler, "run", {}, WATCHING);
    expect(reply.notifications).toHaveLength(2_000);
  });
});

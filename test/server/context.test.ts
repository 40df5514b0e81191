/** What a handler knows of its caller and its runtime, and what happens when the caller goes away. */
import { describe, expect, test } from "vitest";
import type { AuthInfo, Caller, RequestContext } from "../../src/core.ts";
import { call, post, type PostOptions, requestFor, send } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { resultOf, textOf } from "../kit/wire.ts";

/** Calls a tool and returns what `look` saw. */
async function seen(look: (ctx: RequestContext) => unknown, options: PostOptions = {}): Promise<unknown> {
  const handler = serverWith((server) => server.tool("t", {}, (_args, ctx) => JSON.stringify(look(ctx) ?? null)));
  return JSON.parse(textOf(await call(handler, "t", {}, options)));
}

describe("the caller", () => {
  test("is described by what the client says of itself, request by request", async () => {
    const clientInfo = { name: "c", version: "9", title: "C" };
    const capabilities = { elicitation: {}, experimental: { x: {} } };
    expect(await seen(({ client }) => client, { clientInfo, capabilities })).toEqual({
      info: clientInfo,
      capabilities,
    });
    expect(await seen(({ client }) => client)).toEqual({ capabilities: {} });
  });

  test("sends trace context, which is passed on as text or not at all", async () => {
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "a=1",
      baggage: "b=2",
    };
    expect(await seen(({ trace }) => trace, { meta: trace })).toEqual(trace);
    expect(await seen(({ trace }) => trace, { meta: { traceparent: 5, baggage: "b=2" } })).toEqual({ baggage: "b=2" });
    expect(await seen(({ trace }) => trace)).toEqual({});
  });

  test("may send more in _meta, for extensions", async () => {
    expect(await seen(({ meta }) => meta["test/ext"], { meta: { "test/ext": [1] } })).toEqual([1]);
  });

  test("is nobody without authentication, and whoever it names with it", async () => {
    expect(await seen(({ auth }) => auth)).toBeNull();
    const auth: AuthInfo = { subject: "ada", scopes: ["notes"], claims: { team: 7 } };
    const handler = serverWith((server) => server.tool("t", {}, (_args, ctx) => JSON.stringify(ctx.auth)), {
      authenticate: async () => Promise.resolve(auth),
    });
    expect(JSON.parse(textOf(await call(handler, "t")))).toEqual(auth);
  });
});

describe("the runtime", () => {
  interface Env {
    readonly db: string;
  }

  test("hands its environment to every kind of handler", async () => {
    const handler = serverWith<Env>((server) => {
      server.tool("t", {}, (_args, { env }) => env.db);
      server.prompt(
        "p",
        { arguments: [{ name: "a", complete: (_value, _context, { env }) => [env.db] }] },
        (_args, { env }) => env.db,
      );
      server.resource("a:b", { name: "b" }, (_uri, _variables, { env }) => env.db);
      server.provide({ tool: (name, { env }: Caller<Env>) => ({ name, handler: () => env.db }) });
    });
    const asked: [string, Record<string, unknown>][] = [
      ["tools/call", { name: "t" }],
      ["tools/call", { name: "provided" }],
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "a:b" }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
    ];
    for (const db of ["first", "second"]) {
      for (const [method, params] of asked) {
        expect((await post(handler, method, params, { env: { db } })).text).toContain(`"${db}"`);
      }
    }
  });

  test("hands over the request, whose headers and URL can be read", async () => {
    const options = { headers: { "x-probe": "p" }, url: "https://server.test/mcp?tenant=7" };
    expect(await seen(({ request }) => [request?.headers.get("x-probe"), request?.url], options)).toEqual([
      "p",
      options.url,
    ]);
  });

  test("keeps going for work a handler gives to waitUntil, and hears of its failure", async () => {
    const kept: Promise<unknown>[] = [];
    const runtime = { waitUntil: (work: Promise<unknown>) => void kept.push(work) };
    const failure = new Error("late");
    const handler = serverWith((server) => {
      server.tool("t", {}, (_args, ctx) => {
        ctx.waitUntil(Promise.resolve("done"));
        ctx.waitUntil(Promise.reject(failure));
        return "replied";
      });
    });
    expect(textOf(await call(handler, "t", {}, { runtime }))).toBe("replied");
    await Promise.all(kept);
    expect(kept).toHaveLength(2);
    expect(handler.errors).toEqual([failure]);
  });

  test("may know no waitUntil, and no failure goes unheard then either", async () => {
    const failure = new Error("late");
    const handler = serverWith((server) => {
      server.tool("t", {}, (_args, ctx) => {
        ctx.waitUntil(Promise.reject(failure));
        return "replied";
      });
    });
    for (const runtime of [undefined, {}]) {
      expect(textOf(await call(handler, "t", {}, runtime === undefined ? {} : { runtime }))).toBe("replied");
    }
    expect(handler.errors).toEqual([failure, failure]);
  });
});

interface Running {
  readonly handler: Served<unknown>;
  readonly started: Promise<RequestContext>;
  readonly finish: (text: string) => void;
}

/** A tool that reports once and then waits to be told how it ends. */
function waiting(touchSignal = true): Running {
  const started = Promise.withResolvers<RequestContext>();
  const end = Promise.withResolvers<string>();
  const handler = serverWith((server) => {
    server.tool("t", {}, async (_args, ctx) => {
      if (touchSignal) expect(ctx.signal.aborted).toBe(false);
      ctx.progress(1);
      started.resolve(ctx);
      return end.promise;
    });
    server.tool("quick", {}, () => "quick");
  });
  return { handler, started: started.promise, finish: end.resolve };
}

const asked = (options: PostOptions = {}): Request =>
  requestFor("tools/call", { name: "t" }, { progressToken: 1, ...options });

describe("cancelling", () => {
  test("by closing the stream aborts the handler's signal, with a reason", async () => {
    const { handler, started, finish } = waiting();
    const response = await send(handler, asked());
    const { signal } = await started;
    await response.body?.cancel();
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    finish("too late");
  });

  test("before anybody looked at the signal shows when somebody does", async () => {
    const { handler, started, finish } = waiting(false);
    const response = await send(handler, asked());
    await response.body?.cancel();
    expect((await started).signal.aborted).toBe(true);
    finish("too late");
  });

  test("lets the handler go on without anything being written or failing", async () => {
    const { handler, started, finish } = waiting();
    const response = await send(handler, asked({ logLevel: "debug" }));
    const ctx = await started;
    await response.body?.cancel();
    expect(() => {
      ctx.progress(2);
      ctx.log("error", "late");
    }).not.toThrow();
    finish("too late");
    expect(textOf(await call(handler, "quick"))).toBe("quick");
    expect(handler.errors).toEqual([]);
  });

  test("by the request's own signal aborts as well, and ends the stream without another message", async () => {
    const { handler, started, finish } = waiting();
    const gone = new AbortController();
    const response = await send(handler, asked({ signal: gone.signal }));
    const ctx = await started;
    gone.abort();
    expect(ctx.signal.aborted).toBe(true);
    ctx.progress(2);
    finish("too late");
    const written = await response.text().catch(() => "");
    expect(written).not.toContain("too late");
    expect(written).not.toContain('"progress":2');
  });

  test("that makes the handler fail is nobody's fault", async () => {
    const aborted = Promise.withResolvers<undefined>();
    const handler = serverWith((server) => {
      server.tool("t", {}, async (_args, ctx) => {
        ctx.progress(1);
        await new Promise((_resolve, reject) => {
          ctx.signal.addEventListener("abort", () => {
            reject(ctx.signal.reason as Error);
            aborted.resolve(undefined);
          });
        });
        return "";
      });
    });
    const response = await send(handler, asked());
    await response.body?.cancel();
    await aborted.promise;
    await Promise.resolve();
    expect(handler.errors).toEqual([]);
  });

  test("one call leaves another alone", async () => {
    const [first, second] = [waiting(), waiting()];
    const [cancelled, kept] = [await send(first.handler, asked()), await send(second.handler, asked())];
    await cancelled.body?.cancel();
    expect((await second.started).signal.aborted).toBe(false);
    second.finish("fine");
    expect(await kept.text()).toContain("fine");
    first.finish("");
  });

  test("does not happen to a call that ends by itself", async () => {
    const handler = serverWith((server) => server.tool("t", {}, (_args, ctx) => String(ctx.signal.aborted)));
    expect(resultOf(await call(handler, "t"))).not.toHaveProperty("isError");
    expect(textOf(await call(handler, "t"))).toBe("false");
  });
});

import { describe, expect, test, vi } from "vitest";
import { backOffMs, parseRetryAfter, pause, retryAfterOf } from "../../src/client/back-off.ts";
import { HttpFailure } from "../../src/client/http-failure.ts";
import { listen, type ListenEvent, type Listening, type ListeningState } from "../../src/client/listening.ts";
import type { ListenOptions } from "../../src/client/listening.ts";
import type { StreamEnd, StreamSink } from "../../src/client/session.ts";
import { McpError, ProtocolError } from "../../src/protocol/errors.ts";
import { against } from "./fake-fetch.ts";
import type { SubscriptionFilter } from "../../src/protocol/subscription.ts";

/** One stream that was asked for, and its fate in the test's hands. */
interface Opened {
  readonly filter: SubscriptionFilter;
  readonly sink: StreamSink;
  readonly signal: AbortSignal;
  readonly end: (end: StreamEnd) => void;
  readonly fail: (error: unknown) => void;
}

const FILTER: SubscriptionFilter = { toolsListChanged: true, resourceSubscriptions: ["note://a", "note://b"] };
const TOOLS = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";

/** A subscription on a session of the test's own, with a clock that stands still. */
class Bench {
  readonly opened: Opened[] = [];
  readonly states: ListeningState[] = [];
  readonly events: ListenEvent[] = [];
  readonly waits: number[] = [];
  readonly warnings: string[] = [];
  now = 1_000_000;
  readonly listening: Listening;

  constructor(options: ListenOptions = {}, filter: SubscriptionFilter = FILTER) {
    const session = {
      openStream: (filter: SubscriptionFilter, sink: StreamSink, signal: AbortSignal) =>
        new Promise<StreamEnd>((end, fail) => this.opened.push({ filter, sink, signal, end, fail })),
    };
    this.listening = listen(session, filter, {
      onEvent: (event) => void this.events.push(event),
      onState: (state) => void this.states.push(state),
      now: () => this.now,
      random: () => 0.5,
      onWarning: (message) => void this.warnings.push(message),
      pause: async (ms) => void this.waits.push(ms),
      ...options,
    });
  }

  get stream(): Opened {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error("no stream was asked for");
    return last;
  }

  get phases(): string[] {
    return this.states.map(({ phase }) => phase);
  }

  join(granted: SubscriptionFilter = FILTER): void {
    this.stream.sink.acknowledged(granted);
  }

  async settle(act?: () => void): Promise<void> {
    act?.();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

/** Everything that comes until it ends. `Array.fromAsync` is younger than Node 20. */
async function all(events: AsyncIterable<ListenEvent>): Promise<ListenEvent[]> {
  const got: ListenEvent[] = [];
  for await (const event of events) got.push(event);
  return got;
}

function failure(status: number, retryAfter?: string): HttpFailure {
  const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
  return new HttpFailure(new Response(null, { status, headers }), false, 0);
}

describe("a subscription", () => {
  test("asks for the filter, and is live with what was granted of it", async () => {
    const bench = new Bench();
    expect(bench.listening.state).toEqual({ phase: "connecting" });
    expect(bench.stream.filter).toEqual(FILTER);
    bench.join({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["note://b", "note://z"] });
    const granted = { toolsListChanged: true, resourceSubscriptions: ["note://b"] };
    expect(bench.listening.state).toEqual({ phase: "live", granted });
    expect(await bench.listening.joined()).toEqual(granted);
    bench.listening.close();
  });

  test.each([undefined, null, [], { resourceSubscriptions: "note://a", toolsListChanged: "yes" }])(
    "is live with nothing when %j is acknowledged",
    (notifications) => {
      const bench = new Bench();
      bench.stream.sink.acknowledged(notifications as unknown as SubscriptionFilter); // As a server may write it.
      bench.stream.sink.notified(TOOLS, {});
      expect(bench.listening.state).toEqual({ phase: "live", granted: {} });
      expect(bench.events).toEqual([]);
      bench.listening.close();
    },
  );

  test("tells of what comes, and not of what comes before the acknowledgment or was not granted", async () => {
    const bench = new Bench();
    bench.stream.sink.notified(TOOLS, {});
    bench.join();
    bench.stream.sink.notified("notifications/prompts/list_changed", {});
    bench.stream.sink.notified("notifications/message", { data: "x" });
    bench.stream.sink.notified(UPDATED, {});
    bench.stream.sink.notified(UPDATED, { uri: 5 });
    bench.stream.sink.notified(UPDATED, { uri: "x".repeat(3_000) });
    expect(bench.events).toEqual([]);
    bench.stream.sink.notified(UPDATED, { uri: "note://a/part" });
    bench.stream.sink.notified(TOOLS, {});
    expect(bench.events).toEqual([{ type: "resourceUpdated", uri: "note://a/part" }, { type: "toolsListChanged" }]);
    bench.listening.close();
  });

  test("ends with a graceful end, and its iterator with it, after what had come before", async () => {
    const bench = new Bench();
    bench.join();
    bench.stream.sink.notified(TOOLS, {});
    bench.stream.end({ how: "graceful" });
    expect(await all(bench.listening)).toEqual([{ type: "toolsListChanged" }]);
    expect(bench.listening.state).toEqual({ phase: "ended", error: undefined });
    expect(bench.opened).toHaveLength(1);
    await expect(bench.listening.joined()).rejects.toMatchObject({ code: "stream_ended" });
  });

  test("joins again after a graceful end when it is told to, and says so", async () => {
    const bench = new Bench({ rejoinAfterEnd: true });
    bench.join();
    await bench.settle(() => bench.stream.end({ how: "graceful" }));
    expect(bench.opened).toHaveLength(2);
    bench.join();
    expect(bench.events).toEqual([{ type: "resumed" }]);
    bench.listening.close();
  });

  test("joins again after a break with a new request, and says that changes may be lost", async () => {
    const bench = new Bench();
    bench.join();
    const error = new McpError("stream_ended", "broken off");
    await bench.settle(() => bench.stream.end({ how: "broken", error }));
    expect(bench.states.at(-2)).toEqual({ phase: "waiting", ms: 500, error });
    expect(bench.phases).toEqual(["connecting", "live", "waiting", "connecting"]);
    expect(bench.opened).toHaveLength(2);
    expect(bench.events).toEqual([]);
    bench.join({ toolsListChanged: true });
    expect(bench.events).toEqual([{ type: "resumed" }]);
    expect(bench.listening.state).toEqual({ phase: "live", granted: { toolsListChanged: true } });
    bench.listening.close();
  });

  test("takes nothing from a stream that it has left", async () => {
    const bench = new Bench();
    bench.join();
    const { sink } = bench.stream;
    await bench.settle(() => bench.stream.end({ how: "broken" }));
    sink.notified(TOOLS, {});
    sink.acknowledged(FILTER);
    expect(bench.events).toEqual([]);
    expect(bench.listening.state.phase).toBe("connecting");
    bench.listening.close();
  });

  test("is tried again when no acknowledgment comes", async () => {
    vi.useFakeTimers();
    try {
      const bench = new Bench();
      const { signal, end } = bench.stream;
      await vi.advanceTimersByTimeAsync(29_000);
      expect(signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(signal.aborted).toBe(true);
      await bench.settle(() => end({ how: "closed" }));
      expect(bench.states.at(-2)).toMatchObject({ phase: "waiting", error: { code: "timeout" } });
      expect(bench.opened).toHaveLength(2);
      bench.join();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(bench.listening.state.phase).toBe("live");
      bench.listening.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("waits for a person who signs in, as long as that takes", async () => {
    vi.useFakeTimers();
    try {
      const signIns = { underWay: 1, failure: undefined };
      const bench = new Bench({ signIns } as ListenOptions); // The client's to give, not an owner's.
      await vi.advanceTimersByTimeAsync(300_000);
      expect(bench.stream.signal.aborted).toBe(false);
      signIns.underWay = 0;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(bench.stream.signal.aborted).toBe(true);
      bench.listening.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test.each<[string, unknown, boolean]>([
    ["the answer to a sign-in is another one's", new McpError("state_mismatch", "no"), true],
    ["the issuer cannot be read", new McpError("invalid_response", "no"), true],
    ["the provider says something of its own", new Error("the window was closed"), true],
    ["the issuer is not reached", new McpError("connection_failed", "no"), false],
    ["the issuer takes too long", new McpError("timeout", "no"), false],
    ["the issuer is busy", new McpError("http_error", "no"), false],
  ])("whose sign-in failed because %s ends: %j %j", async (_name, error, ends) => {
    const bench = new Bench({ signIns: { underWay: 0, failure: error } } as ListenOptions); // As above.
    await bench.settle(() => bench.stream.fail(error));
    expect(bench.opened).toHaveLength(ends ? 1 : 2);
    bench.listening.close();
  });

  test("of one owner is independent of another", async () => {
    const [one, other] = [new Bench(), new Bench()];
    one.join();
    other.join();
    one.stream.sink.notified(TOOLS, {});
    one.listening.close();
    expect(one.stream.signal.aborted).toBe(true);
    expect(other.stream.signal.aborted).toBe(false);
    expect(other.events).toEqual([]);
    other.listening.close();
  });
});

describe("re-joining", () => {
  test("waits longer each time, and for half a minute at most", async () => {
    const bench = new Bench();
    for (let failure = 0; failure < 10; failure++) {
      await bench.settle(() => bench.stream.fail(new McpError("connection_failed", "no route")));
    }
    expect(bench.waits).toEqual([500, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500, 22_500, 22_500]);
    bench.listening.close();
  });

  test("waits longer even where each stream is acknowledged and dropped at once", async () => {
    const bench = new Bench();
    for (let failure = 0; failure < 4; failure++) {
      bench.join();
      await bench.settle(() => bench.stream.end({ how: "broken" }));
    }
    expect(bench.waits).toEqual([500, 1_500, 3_000, 6_000]);
    bench.listening.close();
  });

  test("starts anew after a stream that held for long", async () => {
    const bench = new Bench();
    for (let failure = 0; failure < 4; failure++) await bench.settle(() => bench.stream.fail(new Error("down")));
    bench.join();
    bench.now += 30_000;
    await bench.settle(() => bench.stream.end({ how: "broken" }));
    expect(bench.waits.slice(-2)).toEqual([6_000, 500]);
    bench.listening.close();
  });

  test("leaves a server alone for as long as it asks, ten times over", async () => {
    const bench = new Bench();
    const busy = new McpError("http_error", "The server answered 503", {
      cause: { status: 503, retryAfterMs: 90_000 },
    });
    for (let failure = 0; failure < 10; failure++) await bench.settle(() => bench.stream.fail(busy));
    expect(bench.waits).toEqual(Array.from({ length: 10 }, () => 90_000));
    expect(bench.opened).toHaveLength(11);
    bench.listening.close();
  });

  test.each<[string, unknown]>([
    ["no connection", new McpError("connection_failed", "no route")],
    ["503", new McpError("http_error", "HTTP 503", { cause: failure(503) })],
    ["429", new McpError("http_error", "HTTP 429", { cause: failure(429) })],
    ["408", new McpError("http_error", "HTTP 408", { cause: failure(408) })],
    ["an internal error", new ProtocolError(-32603, "busy", { retryAfterMs: 1 })],
    ["something unforeseen", "whatever"],
  ])("goes on after %s", async (_name, error) => {
    const bench = new Bench();
    await bench.settle(() => bench.stream.fail(error));
    expect(bench.opened).toHaveLength(2);
    bench.listening.close();
  });

  test.each<[string, unknown]>([
    ["an unknown method", new ProtocolError(-32601, "Method not found")],
    ["invalid params", new ProtocolError(-32602, "Invalid params")],
    ["400", new McpError("http_error", "HTTP 400", { cause: failure(400) })],
    ["401", new McpError("unauthorized", "HTTP 401", { cause: failure(401) })],
    ["no token to be had", new McpError("unauthorized", "sign in")],
    ["no permission", new McpError("forbidden", "not yours")],
    ["a redirect elsewhere", new McpError("redirect_refused", "elsewhere")],
    ["no version that both speak", new McpError("no_common_version", "none")],
  ])("does not go on after %s, and hands the error on", async (_name, error) => {
    const bench = new Bench();
    const joined = bench.listening.joined();
    bench.stream.fail(error);
    await expect(joined).rejects.toBe(error);
    await expect(all(bench.listening)).rejects.toBe(error);
    expect(bench.listening.state).toEqual({ phase: "ended", error });
    expect(bench.opened).toHaveLength(1);
  });
});

describe("closing", () => {
  test("leaves the stream, ends the iterator and delivers nothing more", async () => {
    const bench = new Bench();
    bench.join();
    bench.stream.sink.notified(TOOLS, {});
    const { sink, signal, end } = bench.stream;
    bench.listening.close();
    expect(signal.aborted).toBe(true);
    sink.notified(TOOLS, {});
    end({ how: "closed" });
    expect(await all(bench.listening)).toEqual([]);
    expect(bench.events).toHaveLength(1);
    expect(bench.phases).toEqual(["connecting", "live", "ended"]);
    expect(bench.opened).toHaveLength(1);
  });

  test("of its client ends it with the reason, a pause included", async () => {
    const owner = new AbortController();
    const surroundings = { owner: owner.signal, pause };
    const bench = new Bench(surroundings as ListenOptions); // The client's to give, not an owner's.
    await bench.settle(() => bench.stream.fail(new Error("down")));
    expect(bench.listening.state.phase).toBe("waiting");
    const error = new McpError("aborted", "The client was closed");
    await bench.settle(() => owner.abort(error));
    expect(bench.listening.state).toEqual({ phase: "ended", error });
    expect(bench.opened).toHaveLength(1);
    const late = new Bench(surroundings as ListenOptions);
    await expect(late.listening.joined()).rejects.toBe(error);
    expect(late.opened).toHaveLength(0);
  });

  test("by the iterator's return does not wait for an event", async () => {
    const bench = new Bench();
    bench.join();
    const events = bench.listening[Symbol.asyncIterator]();
    const next = events.next();
    expect(await events.return()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(bench.stream.signal.aborted).toBe(true);
  });

  test("while it waits asks for no other stream", async () => {
    const waiting: AbortSignal[] = [];
    const pause = (_ms: number, signal: AbortSignal): Promise<void> => {
      waiting.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    const bench = new Bench({ pause } as ListenOptions); // The pause is the bench's, not an owner's.
    await bench.settle(() => bench.stream.fail(new Error("down")));
    expect(waiting).toHaveLength(1);
    await bench.settle(() => bench.listening.close());
    expect(bench.opened).toHaveLength(1);
    expect(bench.phases).toEqual(["connecting", "waiting", "ended"]);
  });

  test("its session ends it with an error, and no other stream is asked for", async () => {
    const bench = new Bench();
    bench.join();
    await bench.settle(() => bench.stream.end({ how: "closed" }));
    expect(bench.listening.state).toMatchObject({ phase: "ended", error: { code: "aborted" } });
    const waiting = new Bench();
    await waiting.settle(() => waiting.stream.fail(new McpError("aborted", "The client was closed")));
    expect(waiting.listening.state).toMatchObject({ phase: "ended", error: { code: "aborted" } });
    expect([bench.opened.length, waiting.opened.length]).toEqual([1, 1]);
  });

  test("happens when the loop is left", async () => {
    const bench = new Bench();
    bench.join();
    bench.stream.sink.notified(TOOLS, {});
    for await (const event of bench.listening) {
      expect(event).toEqual({ type: "toolsListChanged" });
      break;
    }
    expect(bench.stream.signal.aborted).toBe(true);
    expect(bench.listening.state.phase).toBe("ended");
  });

  test("happens by the owner's signal, before it has begun too", async () => {
    const controller = new AbortController();
    const bench = new Bench({ signal: controller.signal });
    bench.join();
    controller.abort();
    expect(bench.listening.state.phase).toBe("ended");
    expect(bench.stream.signal.aborted).toBe(true);
    const never = new Bench({ signal: AbortSignal.abort() });
    expect(await all(never.listening)).toEqual([]);
    expect(never.opened).toHaveLength(0);
  });
});

describe("a slow iterator", () => {
  test("gets each thing once, in the order in which they first changed", async () => {
    const bench = new Bench();
    bench.join();
    for (let round = 0; round < 10_000; round++) {
      bench.stream.sink.notified(UPDATED, { uri: "note://b" });
      bench.stream.sink.notified(TOOLS, {});
      bench.stream.sink.notified(UPDATED, { uri: "note://a" });
    }
    bench.stream.end({ how: "graceful" });
    expect(await all(bench.listening)).toEqual([
      { type: "resourceUpdated", uri: "note://b" },
      { type: "toolsListChanged" },
      { type: "resourceUpdated", uri: "note://a" },
    ]);
    expect(bench.events).toHaveLength(30_000);
  });

  test("is told to look at everything when a server names more than can be kept", async () => {
    const bench = new Bench();
    bench.join();
    for (let part = 0; part < 100_000; part++) bench.stream.sink.notified(UPDATED, { uri: `note://a/${part}` });
    bench.stream.end({ how: "graceful" });
    const got = await all(bench.listening);
    expect(got[0]).toEqual({ type: "resumed" });
    expect(got.length).toBeLessThanOrEqual(1_000);
  });

  test("gets what changes while it is at work", async () => {
    const bench = new Bench();
    bench.join();
    const seen: ListenEvent[] = [];
    bench.stream.sink.notified(TOOLS, {});
    for await (const event of bench.listening) {
      seen.push(event);
      if (seen.length === 1) bench.stream.sink.notified(TOOLS, {});
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([{ type: "toolsListChanged" }, { type: "toolsListChanged" }]);
  });
});

describe("the subscription of a client", () => {
  test("ends with it, while it waits", async () => {
    const { client } = against(() => new Response("", { status: 503, headers: { "retry-after": "3600" } }));
    const listening = client.listen(FILTER);
    await expect.poll(() => listening.state.phase).toBe("waiting");
    await client.close();
    expect(listening.state).toMatchObject({ phase: "ended", error: { code: "aborted" } });
    await expect(client.listen(FILTER).joined()).rejects.toMatchObject({ code: "aborted" });
  });

  test("has a person sign in once, for as long as they need, and not again where that fails", async () => {
    vi.useFakeTimers();
    try {
      let asked = 0;
      let fail: ((error: unknown) => void) | undefined;
      const challenged = () => {
        asked += 1;
        return new Promise<boolean>((_resolve, reject) => (fail = reject));
      };
      const { client } = against(() => new Response("", { status: 401 }), {
        auth: { headers: async () => ({}), challenged },
      });
      const listening = client.listen(FILTER);
      await vi.advanceTimersByTimeAsync(300_000);
      expect([asked, listening.state.phase]).toEqual([1, "connecting"]);
      const error = new McpError("state_mismatch", "another one's answer");
      fail?.(error);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toBe(1);
      expect(listening.state).toEqual({ phase: "ended", error });
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a callback that throws stops nothing, and what it threw is not repeated", async () => {
  const bench = new Bench({
    onEvent: () => {
      throw new TypeError("secret");
    },
  });
  bench.join();
  bench.stream.sink.notified(TOOLS, {});
  bench.stream.end({ how: "graceful" });
  expect(await all(bench.listening)).toEqual([{ type: "toolsListChanged" }]);
  expect(bench.warnings).toEqual(["onEvent of a subscription threw TypeError"]);
});

describe("waiting", () => {
  test("is up to 1 s at first, then twice as long each time, and half a minute at most", () => {
    const waits = [1, 2, 3, 6, 7, 5_000].map((failures) => [
      backOffMs(failures, () => 0),
      backOffMs(failures, () => 1),
    ]);
    expect(waits).toEqual([
      [0, 1_000],
      [1_000, 2_000],
      [2_000, 4_000],
      [15_000, 30_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ]);
  });

  const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
  test.each([
    ["7", 7_000],
    [" 7 ", 7_000],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
    ["Mon, 30 Nov 2026 11:59:30 GMT", 0],
    ["86400", 3_600_000],
    ["9".repeat(400), 3_600_000],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ])("takes %j of Retry-After for %j ms", (header, wait) => {
    expect(parseRetryAfter(header, NOW)).toBe(wait);
  });

  test.each<[unknown, number | undefined]>([
    [new ProtocolError(-32603, "busy", { retryAfterMs: 250 }), 250],
    [new McpError("http_error", "HTTP 503", { cause: { retryAfterMs: 250 } }), 250],
    [Object.assign(new Error("busy"), { retryAfterMs: -1 }), 0],
    [new ProtocolError(-32603, "busy", { retryAfterMs: "250" }), undefined],
    [new ProtocolError(-32603, "busy", { retryAfterMs: Number.NaN }), undefined],
    ["busy", undefined],
  ])("finds in %j how long to wait", (error, ms) => {
    expect(retryAfterOf(error)).toBe(ms);
  });
});

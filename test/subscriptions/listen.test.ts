import { describe, expect, test, vi } from "vitest";
import { ErrorCode, type McpServer, ProtocolError } from "../../src/core.ts";
import { type Bus, memoryBus, type SubscriptionOptions, Subscriptions } from "../../src/subscriptions.ts";
import { gist, listen } from "../kit/listen.ts";
import { call, post, type PostOptions } from "../kit/post.ts";
import { type Served, serverWith, subjectFromHeader } from "../kit/serve.ts";
import type { WireObject } from "../kit/wire.ts";

const ID = "io.modelcontextprotocol/subscriptionId";
const SERVER_INFO = { "io.modelcontextprotocol/serverInfo": { name: "under-test", version: "1.2.3" } };

interface Hub {
  readonly handler: Served<unknown>;
  readonly subscriptions: Subscriptions;
}

/** A server with a tool that touches resources, a resource and a prompt; callers are who their header says. */
function hub(options: SubscriptionOptions = {}, register: (server: McpServer) => void = all): Hub {
  const subscriptions = new Subscriptions(options);
  const handler = serverWith(register, { server: { subscriptions }, authenticate: subjectFromHeader, keepAliveMs: 20 });
  return { handler, subscriptions };
}

function all(server: McpServer): void {
  touch(server);
  server.resource("note://a", { name: "a" }, () => "a");
  server.prompt("p", {}, () => "p");
}

function touch(server: McpServer): void {
  server.tool("touch", { inputSchema: { type: "object" } }, ({ uris = [], lists = [] }, { notify }) => {
    for (const uri of uris as string[]) void notify.resourceUpdated(uri); // As the tests pass them.
    if ((lists as string[]).includes("tools")) void notify.toolsChanged();
    if ((lists as string[]).includes("prompts")) void notify.promptsChanged();
    if ((lists as string[]).includes("resources")) void notify.resourcesChanged();
    return "touched";
  });
}

const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["note://a", "note://b"],
};

const params = (message: WireObject | undefined): WireObject => message?.["params"] as WireObject; // Of notifications.

describe("a stream", () => {
  test("begins with the acknowledgment of what is granted", async () => {
    const { handler } = hub();
    const stream = await listen(handler, EVERYTHING);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.headers.get("x-accel-buffering")).toBe("no");
    expect(await stream.next()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [ID]: 1 }, notifications: EVERYTHING },
    });
    await stream.close();
  });

  test.each([0, 7, -1, "", "7", "søk 🔔", Number.MAX_SAFE_INTEGER])("carries the id %j in all it sends", async (id) => {
    const { handler } = hub({ maxLifetimeMs: 60 });
    const stream = await listen(handler, { toolsListChanged: true }, { id });
    await call(handler, "touch", { lists: ["tools"] });
    const messages = await stream.rest();
    expect(messages.map(gist)).toEqual(["subscriptions/acknowledged", "tools/list_changed", "result"]);
    expect(messages.slice(0, 2).map((message) => (params(message)["_meta"] as WireObject)[ID])).toEqual([id, id]);
    expect(messages[2]).toEqual({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", _meta: { ...SERVER_INFO, [ID]: id } },
    });
  });

  test("brings what was asked for, in order, and nothing else", async () => {
    const { handler } = hub();
    const stream = await listen(handler, { resourcesListChanged: true, resourceSubscriptions: ["note://b"] });
    await stream.next();
    await call(handler, "touch", { uris: ["note://a", "note://b"], lists: ["tools", "prompts", "resources"] });
    await call(handler, "touch", { uris: ["note://b"] });
    expect(gist(await stream.next())).toBe("resources/updated note://b");
    expect(gist(await stream.next())).toBe("resources/list_changed");
    expect(gist(await stream.next())).toBe("resources/updated note://b");
    await stream.close();
  });

  test("says a thing once that a handler says several times in one go", async () => {
    const { handler } = hub({ maxLifetimeMs: 60 });
    const stream = await listen(handler, EVERYTHING);
    await call(handler, "touch", { uris: ["note://a", "note://a"], lists: ["tools"] });
    expect((await stream.rest()).map(gist).slice(1)).toEqual([
      "resources/updated note://a",
      "tools/list_changed",
      "result",
    ]);
  });

  test("of one does not disturb that of another", async () => {
    const { handler } = hub();
    const tools = await listen(handler, { toolsListChanged: true }, { id: "t" });
    const notes = await listen(handler, { resourceSubscriptions: ["note://a"] }, { id: "n" });
    await Promise.all([tools.next(), notes.next()]);
    await call(handler, "touch", { uris: ["note://a"], lists: ["tools"] });
    const [first, second] = await Promise.all([tools.next(), notes.next()]);
    expect([gist(first), gist(second)]).toEqual(["tools/list_changed", "resources/updated note://a"]);
    await Promise.all([tools.close(), notes.close()]);
  });
});

describe("what is granted", () => {
  test("leaves out what the server does not have", async () => {
    const { handler } = hub({}, touch);
    const stream = await listen(handler, EVERYTHING);
    expect(params(await stream.next())["notifications"]).toEqual({ toolsListChanged: true });
    await stream.close();
  });

  test("leaves out what the specification does not know, and what is false", async () => {
    const { handler } = hub();
    const stream = await listen(handler, { toolsListChanged: true, promptsListChanged: false, taskIds: ["1"] });
    expect(params(await stream.next())["notifications"]).toEqual({ toolsListChanged: true });
    await stream.close();
  });

  test.each([[{}], [{ toolsListChanged: false }], [{ resourceSubscriptions: [] }]])(
    "is nothing for %j, and the stream ends at once",
    async (filter) => {
      const { handler, subscriptions } = hub();
      const messages = await (await listen(handler, filter)).rest();
      expect(messages.map(gist)).toEqual(["subscriptions/acknowledged", "result"]);
      expect(params(messages[0])["notifications"]).toEqual({});
      expect(subscriptions.open).toBe(0);
    },
  );

  test("names each URI once", async () => {
    const { handler } = hub();
    const stream = await listen(handler, { resourceSubscriptions: ["note://a", "note://b", "note://a"] });
    expect(params(await stream.next())["notifications"]).toEqual({ resourceSubscriptions: ["note://a", "note://b"] });
    await stream.close();
  });

  test("is what the policy leaves of it, and never more than was asked for", async () => {
    const seen: unknown[] = [];
    const { handler } = hub({
      authorize: (filter, { auth }) => {
        seen.push([filter, auth?.subject]);
        return {
          toolsListChanged: true,
          promptsListChanged: true,
          resourceSubscriptions: ["note://a", "note://secret"],
        };
      },
    });
    const asked = { toolsListChanged: true, resourceSubscriptions: ["note://a", "note://b"] };
    const stream = await listen(handler, asked, { headers: { authorization: "ann" } });
    expect(seen).toEqual([[asked, "ann"]]);
    expect(params(await stream.next())["notifications"]).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ["note://a"],
    });
    await call(handler, "touch", { uris: ["note://b", "note://secret", "note://a"] });
    expect(gist(await stream.next())).toBe("resources/updated note://a");
    await stream.close();
  });

  test("is refused by a policy that throws a protocol error, and a slot is not taken", async () => {
    const { handler, subscriptions } = hub({
      authorize: () => {
        throw new ProtocolError(ErrorCode.InvalidParams, "not for you");
      },
    });
    const stream = await listen(handler, EVERYTHING);
    expect(await stream.next()).toMatchObject({ error: { code: ErrorCode.InvalidParams, message: "not for you" } });
    expect(subscriptions.open).toBe(0);
  });

  test("a policy that fails refuses without saying why", async () => {
    const { handler } = hub({ authorize: () => Promise.reject(new Error("password=hunter2")) });
    const stream = await listen(handler, EVERYTHING);
    expect(await stream.next()).toMatchObject({ error: { code: ErrorCode.InternalError, message: "Internal error" } });
    expect(handler.errors).toHaveLength(1);
  });
});

describe("a filter that is none", () => {
  const LONG = `note://${"x".repeat(10_240)}`;

  test.each<[filter: unknown, message: RegExp]>([
    [undefined, /notifications must be an object/],
    [null, /notifications must be an object/],
    [[], /notifications must be an object/],
    ["all", /notifications must be an object/],
    [{ toolsListChanged: "yes" }, /notifications\.toolsListChanged must be a boolean/],
    [{ promptsListChanged: 1 }, /notifications\.promptsListChanged must be a boolean/],
    [{ resourcesListChanged: null }, /notifications\.resourcesListChanged must be a boolean/],
    [{ resourceSubscriptions: "note://a" }, /notifications\.resourceSubscriptions must be an array/],
    [{ resourceSubscriptions: { length: 1 } }, /notifications\.resourceSubscriptions must be an array/],
    [{ resourceSubscriptions: ["note://a", 7] }, /notifications\.resourceSubscriptions\[1\] must be a URI/],
    [{ resourceSubscriptions: [""] }, /notifications\.resourceSubscriptions\[0\] must be a URI/],
    [{ resourceSubscriptions: [LONG] }, /notifications\.resourceSubscriptions\[0\] is longer than 2048 characters/],
    [
      { resourceSubscriptions: Array.from({ length: 10_000 }, (_, n) => `note://${n}`) },
      /10000 URIs, and at most 2000/,
    ],
  ])("%j is refused by name, before a stream", async (filter, message) => {
    const { handler, subscriptions } = hub();
    const stream = await listen(handler, filter);
    expect(stream.headers.get("content-type")).toBe("application/json");
    const { error } = (await stream.next()) as { error: { code: number; message: string } }; // A refusal.
    expect(error.code).toBe(ErrorCode.InvalidParams);
    expect(error.message).toMatch(message);
    expect(subscriptions.open).toBe(0);
  });

  test("2,000 URIs are fine", async () => {
    const { handler } = hub();
    const uris = Array.from({ length: 2_000 }, (_, n) => `note://${n}`);
    const stream = await listen(handler, { resourceSubscriptions: uris });
    expect(params(await stream.next())["notifications"]).toEqual({ resourceSubscriptions: uris });
    await call(handler, "touch", { uris: ["note://1999"] });
    expect(gist(await stream.next())).toBe("resources/updated note://1999");
    await stream.close();
  });
});

describe("a stream ends", () => {
  test("with its result when its life is over", async () => {
    const { handler, subscriptions } = hub({ maxLifetimeMs: 30 });
    const stream = await listen(handler, EVERYTHING);
    expect((await stream.rest()).map(gist)).toEqual(["subscriptions/acknowledged", "result"]);
    expect(subscriptions.open).toBe(0);
  });

  test.each([
    [0, 10_000],
    [0.5, 9_000],
  ])("up to a fifth before its time, at random: %d", async (random, lifetime) => {
    const { handler } = hub({ maxLifetimeMs: 10_000, now: () => 0, random: () => random });
    const timers = vi.spyOn(globalThis, "setTimeout");
    try {
      const stream = await listen(handler, EVERYTHING);
      await stream.next();
      expect(timers.mock.calls.map(([, delay]) => delay)).toContain(lifetime);
      await stream.close();
    } finally {
      timers.mockRestore();
    }
  });

  test("when the caller's token expires, and not a notification later", async () => {
    let now = 1_000_000_000_000;
    const subscriptions = new Subscriptions({ now: () => now });
    const expiresAt = now / 1_000 + 3_600;
    const handler = serverWith(all, { server: { subscriptions }, authenticate: () => ({ subject: "ann", expiresAt }) });
    const stream = await listen(handler, EVERYTHING);
    await stream.next();
    now += 3_600_000; // The timer, which runs on the real clock, is late.
    await call(handler, "touch", { uris: ["note://a"] });
    expect((await stream.rest()).map(gist)).toEqual(["result"]);
    expect(subscriptions.open).toBe(0);
  });

  test("when the client closes it, which frees its slot and its place on the bus", async () => {
    const { handler, subscriptions } = hub();
    for (let round = 0; round < 50; round += 1) {
      const stream = await listen(handler, EVERYTHING);
      await stream.next();
      await stream.close();
    }
    await expect.poll(() => subscriptions.open).toBe(0);
    expect(handler.errors).toEqual([]);
  });

  test("when the client goes away before the acknowledgment", async () => {
    const { handler, subscriptions } = hub();
    const controller = new AbortController();
    controller.abort();
    await listen(handler, EVERYTHING, { signal: controller.signal }).catch(() => undefined);
    await expect.poll(() => subscriptions.open).toBe(0);
  });
});

describe("limits", () => {
  test("a full process refuses with 503 and says when to come again", async () => {
    const { handler, subscriptions } = hub({ maxStreams: 2 });
    const streams = [await listen(handler, EVERYTHING), await listen(handler, EVERYTHING)];
    const refused = await listen(handler, EVERYTHING);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.next()).toMatchObject({
      id: 1,
      error: { code: ErrorCode.InternalError, data: { retryAfterMs: 5_000 } },
    });
    await streams[0]?.close();
    await expect.poll(() => subscriptions.open).toBe(1);
    const third = await listen(handler, EVERYTHING);
    expect(gist(await third.next())).toBe("subscriptions/acknowledged");
    await Promise.all([streams[1]?.close(), third.close()]);
  });

  test("one principal with enough streams is refused with 429, and others are not", async () => {
    const { handler } = hub({ maxStreamsPerPrincipal: 1 });
    const ann = { headers: { authorization: "ann" } };
    const first = await listen(handler, EVERYTHING, ann);
    const second = await listen(handler, EVERYTHING, ann);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
    const bob = await listen(handler, EVERYTHING, { headers: { authorization: "bob" } });
    expect(bob.status).toBe(200);
    await Promise.all([first.close(), bob.close()]);
  });

  test.each(["maxStreams", "maxStreamsPerPrincipal", "maxLifetimeMs", "openTimeoutMs", "stallMs"])(
    "%s must be a positive integer",
    (name) => {
      for (const value of [0, -1, 1.5, Number.NaN, "9"]) {
        expect(() => new Subscriptions({ [name]: value })).toThrow(
          new TypeError(`${name}: must be an integer of 1 or more`),
        );
      }
    },
  );
});

describe("a reader that is behind", () => {
  /** More than may lie unread. */
  const many = Array.from({ length: 300 }, (_, n) => `note://${n}/${"x".repeat(200)}`);
  const uris = Array.from({ length: 40 }, (_, n) => `note://${n}/${"x".repeat(200)}`);

  test("is owed each thing once, and hears of all of them when it reads on", async () => {
    const { handler, subscriptions } = hub({ maxLifetimeMs: 3_600_000 });
    const stream = await listen(handler, { resourceSubscriptions: uris });
    await stream.next();
    const publisher = subscriptions.publisher(undefined);
    for (let round = 0; round < 100; round += 1) await Promise.all(uris.map((uri) => publisher.resourceUpdated(uri)));
    const heard: string[] = [];
    await publisher.resourceUpdated(uris[0] ?? "");
    while (new Set(heard.slice(-uris.length)).size < uris.length) heard.push(gist(await stream.next()));
    expect(heard.length).toBeLessThan(1_000); // Of 4,001.
    await stream.close();
  });

  test("is cut off, without a result, when it takes nothing for long", async () => {
    let now = 0;
    const { handler, subscriptions } = hub({ stallMs: 1_000, now: () => now });
    const stream = await listen(handler, { resourceSubscriptions: uris });
    await stream.next();
    const publisher = subscriptions.publisher(undefined);
    for (let round = 0; round < 50; round += 1) {
      now += 100;
      await Promise.all(uris.map((uri) => publisher.resourceUpdated(uri)));
    }
    await expect.poll(() => subscriptions.open).toBe(0);
    await expect(stream.rest()).rejects.toThrow();
  });

  test("is cut off even though keep-alives go out, and nothing more is published", async () => {
    const { handler, subscriptions } = hub({ stallMs: 100 });
    const stream = await listen(handler, { resourceSubscriptions: uris });
    await stream.next();
    const publisher = subscriptions.publisher(undefined);
    for (let round = 0; round < 20; round += 1) await Promise.all(uris.map((uri) => publisher.resourceUpdated(uri)));
    await expect.poll(() => subscriptions.open).toBe(0);
    await expect(stream.rest()).rejects.toThrow();
  });

  test("is paid what it is owed before a graceful end", async () => {
    const { handler, subscriptions } = hub({ maxLifetimeMs: 150 });
    const stream = await listen(handler, { resourceSubscriptions: many });
    await stream.next();
    await Promise.all(many.map((uri) => subscriptions.publisher(undefined).resourceUpdated(uri)));
    await expect.poll(() => subscriptions.open).toBe(0);
    const heard = (await stream.rest()).map(gist);
    expect(heard.at(-1)).toBe("result");
    expect(new Set(heard.slice(0, -1))).toEqual(new Set(many.map((uri) => `resources/updated ${uri}`)));
  });

  test("is not told that all is well when its token expires while it is owed something", async () => {
    let now = 1_000_000;
    const subscriptions = new Subscriptions({ now: () => now });
    const handler = serverWith(all, {
      server: { subscriptions },
      authenticate: () => ({ subject: "ann", expiresAt: 2_000 }),
    });
    const stream = await listen(handler, { resourceSubscriptions: many });
    await stream.next();
    await Promise.all(many.map((uri) => subscriptions.publisher(undefined).resourceUpdated(uri)));
    now = 2_000_000;
    await subscriptions.publisher(undefined).resourceUpdated(many[0] ?? "");
    await expect(stream.rest()).rejects.toThrow();
  });

  test("does not delay others", async () => {
    const { handler, subscriptions } = hub();
    const slow = await listen(handler, { resourceSubscriptions: uris }, { id: "slow" });
    const quick = await listen(handler, { resourceSubscriptions: uris }, { id: "quick" });
    await quick.next();
    const publisher = subscriptions.publisher(undefined);
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(uris.map((uri) => publisher.resourceUpdated(uri)));
      for (const uri of uris) expect(gist(await quick.next())).toBe(`resources/updated ${uri}`);
    }
    await Promise.all([slow.close(), quick.close()]);
  });
});

const as = (subject: string): PostOptions => ({ headers: { authorization: subject } });

describe("tenants", () => {
  test("never hear of each other", async () => {
    const { handler, subscriptions } = hub({ tenant: ({ auth }) => auth?.subject ?? "" });
    const ann = await listen(handler, EVERYTHING, as("ann"));
    const bob = await listen(handler, EVERYTHING, as("bob"));
    await Promise.all([ann.next(), bob.next()]);
    await call(handler, "touch", { uris: ["note://a"] }, as("ann"));
    await subscriptions.publisher(undefined, "bob").toolsChanged();
    expect([gist(await ann.next()), gist(await bob.next())]).toEqual([
      "resources/updated note://a",
      "tools/list_changed",
    ]);
    await Promise.all([ann.close(), bob.close()]);
  });
});

test("a caller without a tenant, where there are some, is not served as anybody's", async () => {
  const { handler, subscriptions } = hub({ tenant: ({ auth }) => auth?.subject ?? "" });
  const stream = await listen(handler, EVERYTHING);
  expect(await stream.next()).toMatchObject({ error: { code: ErrorCode.InternalError } });
  expect(() => subscriptions.publisher(undefined, "")).toThrow(/tenant: must be a string that is not empty/);
});

async function capabilities(handler: Served<unknown>): Promise<unknown> {
  return (await post(handler, "server/discover")).message?.result?.["capabilities"];
}

/** A server whose callers have a token until then, in seconds since the epoch. */
const expiring = (expiresAt: number): Served<unknown> =>
  serverWith(all, {
    server: { subscriptions: new Subscriptions() },
    authenticate: () => ({ subject: "ann", expiresAt }),
  });

describe("before the acknowledgment", () => {
  const never = new Promise<never>(() => undefined);

  test.each<[string, SubscriptionOptions]>([
    ["a policy", { authorize: () => never }],
    ["a bus", { bus: { subscribe: () => never, publish: () => never } }],
  ])("%s that does not answer is given up, with 503 and a time to come again", async (_, options) => {
    const { handler, subscriptions } = hub({ ...options, openTimeoutMs: 30 });
    const stream = await listen(handler, EVERYTHING);
    expect([stream.status, stream.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(stream.headers.get("content-type")).toBe("application/json");
    expect(subscriptions.open).toBe(0);
  });

  test.each<[string, SubscriptionOptions]>([
    ["a policy", { authorize: () => never }],
    ["a bus", { bus: { subscribe: () => never, publish: () => never } }],
  ])("%s that does not answer keeps no slot of a client that has left", async (_, options) => {
    const { handler, subscriptions } = hub(options);
    const controller = new AbortController();
    const answer = listen(handler, EVERYTHING, { signal: controller.signal }).catch(() => undefined);
    await expect.poll(() => subscriptions.open).toBe(1);
    controller.abort();
    await expect.poll(() => subscriptions.open).toBe(0);
    await answer;
  });

  test("what is published already waits, and is said once", async () => {
    const memory = memoryBus();
    const bus: Bus = {
      publish: (changes, scope) => memory.publish(changes, scope),
      async subscribe(listener, scope, signal) {
        await memory.subscribe(listener, scope, signal);
        await memory.publish([{ type: "toolsListChanged" }, { type: "toolsListChanged" }], scope);
      },
    };
    const { handler } = hub({ bus, maxLifetimeMs: 50 });
    const heard = (await (await listen(handler, EVERYTHING)).rest()).map(gist);
    expect(heard).toEqual(["subscriptions/acknowledged", "tools/list_changed", "result"]);
  });

  test("a token that has expired is refused, and an expiry that is no number is our own fault", async () => {
    expect(await (await listen(expiring(1), EVERYTHING)).next()).toMatchObject({
      error: { code: ErrorCode.InvalidRequest },
    });
    const broken = expiring(Number.NaN);
    expect(await (await listen(broken, EVERYTHING)).next()).toMatchObject({ error: { code: ErrorCode.InternalError } });
    expect(broken.errors).toHaveLength(1);
  });

  test("a client that takes event streams alone is told when to come again, too", async () => {
    const { handler } = hub({ maxStreams: 1 });
    const first = await listen(handler, EVERYTHING);
    const second = await listen(handler, EVERYTHING, { headers: { accept: "text/event-stream" } });
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "5"]);
    await first.close();
  });
});

describe("closing", () => {
  test("ends all streams with their results, and takes no more", async () => {
    const { handler, subscriptions } = hub();
    const streams = [await listen(handler, EVERYTHING), await listen(handler, EVERYTHING)];
    for (const stream of streams) await stream.next();
    subscriptions.close();
    for (const stream of streams) expect((await stream.rest()).map(gist)).toEqual(["result"]);
    expect((await listen(handler, EVERYTHING)).status).toBe(503);
    await expect.poll(() => subscriptions.open).toBe(0);
  });
});

const isRoot = ({ auth }: { auth: { subject: string } | null }): boolean => auth?.subject === "root";

describe("what a caller may not see", () => {
  test("it cannot listen for either, by whatever spelling", async () => {
    const { handler } = hub({}, (server) => {
      server.resource("note://secret", { name: "secret", visibleTo: isRoot }, () => "s");
      server.resource("vault://{id}", { name: "vault", visibleTo: isRoot }, () => "v");
    });
    const asked = { resourceSubscriptions: ["note://secret", "note://%73ecret", "vault://1", "note://open"] };
    const stranger = await listen(handler, asked);
    expect(params(await stranger.next())["notifications"]).toEqual({ resourceSubscriptions: ["note://open"] });
    const root = await listen(handler, asked, as("root"));
    expect(params(await root.next())["notifications"]).toEqual(asked);
    await Promise.all([stranger.close(), root.close()]);
  });
});

test("a URI that is spelt like a kind of change is not mistaken for one", async () => {
  const { handler, subscriptions } = hub({ maxLifetimeMs: 100 });
  const stream = await listen(handler, { toolsListChanged: true, resourceSubscriptions: ["toolsListChanged"] });
  const publisher = subscriptions.publisher(undefined);
  await Promise.all([publisher.resourceUpdated("toolsListChanged"), publisher.toolsChanged()]);
  expect((await stream.rest()).map(gist).slice(1, -1)).toEqual([
    "resources/updated toolsListChanged",
    "tools/list_changed",
  ]);
});

describe("a server", () => {
  test("promises changes only when somebody carries them", async () => {
    expect(await capabilities(hub().handler)).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
    expect(await capabilities(serverWith(all))).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    expect(JSON.stringify(await capabilities(serverWith(all)))).not.toMatch(/listChanged|subscribe/);
  });

  test("without subscriptions does not know the method, and handlers may notify all the same", async () => {
    const handler = serverWith(all);
    const stream = await listen(handler, EVERYTHING);
    expect(stream.status).toBe(404);
    expect(await stream.next()).toMatchObject({ error: { code: ErrorCode.MethodNotFound } });
    const { message } = await call(handler, "touch", { uris: ["note://a"], lists: ["tools"] });
    expect(message?.result).toMatchObject({ content: [{ text: "touched" }] });
  });

  test("refuses a listener that takes no event streams", async () => {
    const { handler } = hub();
    const { status } = await post(
      handler,
      "subscriptions/listen",
      { notifications: EVERYTHING },
      {
        headers: { accept: "application/json" },
      },
    );
    expect(status).toBe(406);
  });

  test("refuses to publish what is no URI, and fails the call that tried", async () => {
    const { handler } = hub();
    const { message } = await call(handler, "touch", { uris: ["x".repeat(2_049)] });
    expect(message?.result).toMatchObject({ isError: true });
    const { message: other } = await call(handler, "touch", { uris: ["note://\ud83d"] });
    expect(other?.result).toMatchObject({ isError: true });
  });
});

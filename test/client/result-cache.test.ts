import { describe, expect, test } from "vitest";
import type { CacheStore } from "../../src/client/cache-store.ts";
import { memoryStore } from "../../src/client/memory-store.ts";
import { type CacheOptions, principalOf, ResultCache } from "../../src/client/result-cache.ts";
import { McpError, ProtocolError } from "../../src/protocol/errors.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

/** A cache on a clock that stands still, and the requests that got through it. */
class Bench {
  now = 1_000_000;
  principal = "alice";
  loads = 0;
  readonly warnings: string[] = [];
  readonly cache: ResultCache;

  constructor(options: Partial<CacheOptions> = {}) {
    this.cache = new ResultCache({
      store: memoryStore(),
      server: "https://mcp.test/mcp",
      principal: () => this.principal,
      now: () => this.now,
      onWarning: (message) => void this.warnings.push(message),
      ...options,
    });
  }

  /** Asks, and is answered with this unless the cache knows. */
  ask(result: JsonObject, request: Partial<Asked> = {}): Promise<JsonObject> {
    const { method = "tools/list", params = {}, use } = request;
    const load = async (): Promise<JsonObject> => {
      this.loads += 1;
      return result;
    };
    return this.cache.through({ method, params }, load, use);
  }

  /** Whether such a request would be answered by the cache. */
  async knows(request: Partial<Asked> = {}): Promise<boolean> {
    const before = this.loads;
    await this.ask({}, request);
    return this.loads === before;
  }
}

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly use: "default" | "reload" | "none";
}

const PUBLIC = { resultType: "complete", tools: [], ttlMs: 1_000, cacheScope: "public" };
const PRIVATE = { ...PUBLIC, cacheScope: "private" };
const DAY_MS = 86_400_000;

const refuse = (): Promise<never> => Promise.reject(new ProtocolError(-32602, "refused"));
const hang = (): Promise<never> => new Promise(() => undefined);

describe("freshness", () => {
  test.each<[unknown, number]>([
    [1_000, 1_000],
    [1.9, 1],
    [DAY_MS, DAY_MS],
    [DAY_MS + 1, DAY_MS],
    [1e300, DAY_MS],
    [0, 0],
    [0.5, 0],
    [-5, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
    ["1000", 0],
    [null, 0],
    [undefined, 0],
    [[1_000], 0],
  ])("with ttlMs %j ends after %j ms", async (ttlMs, freshMs) => {
    const bench = new Bench();
    await bench.ask({ ...PUBLIC, ttlMs });
    bench.now += freshMs - 1;
    expect(await bench.knows()).toBe(freshMs > 0);
    bench.now += 1;
    expect(await bench.knows()).toBe(false);
  });

  test("is counted from the answer, not from the question", async () => {
    const bench = new Bench();
    await bench.cache.through({ method: "tools/list", params: {} }, async () => {
      bench.now += 5_000;
      return PUBLIC;
    });
    bench.now += 999;
    expect(await bench.knows()).toBe(true);
  });

  test("is none when the clock was set back", async () => {
    const bench = new Bench();
    await bench.ask(PUBLIC);
    bench.now -= 1;
    expect(await bench.knows()).toBe(false);
  });
});

describe("what is kept", () => {
  test.each([
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
  ])("is the result of %s", async (method) => {
    const bench = new Bench();
    await bench.ask(PUBLIC, { method });
    expect(await bench.knows({ method })).toBe(true);
  });

  test.each(["tools/call", "prompts/get", "completion/complete", "x/list"])("is no result of %s", async (method) => {
    const bench = new Bench();
    await bench.ask(PUBLIC, { method });
    expect(await bench.knows({ method })).toBe(false);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["an interim result", { ...PUBLIC, resultType: "input_required" }, {}],
    ["a result of unknown type", { ...PUBLIC, resultType: "task" }, {}],
    ["a result of a retry with input", PUBLIC, { inputResponses: {} }],
    ["a result of a retry with state", PUBLIC, { requestState: "s" }],
    ["a result of a million characters", { ...PUBLIC, text: "x".repeat(1_048_576) }, {}],
  ])("is not %s", async (_name, result, params) => {
    const bench = new Bench();
    await bench.ask(result, { params });
    expect(await bench.knows({ params })).toBe(false);
  });

  test("is no error, and an error takes no result away that is still fresh", async () => {
    const bench = new Bench();
    const request = { method: "tools/list", params: {} };
    await expect(bench.cache.through(request, refuse)).rejects.toThrow("refused");
    expect(await bench.knows()).toBe(false);
    await bench.ask(PUBLIC);
    await expect(bench.cache.through(request, refuse, "reload")).rejects.toThrow("refused");
    expect(await bench.knows()).toBe(true);
  });

  test("goes by method and by all parameters, in whatever order they are", async () => {
    const bench = new Bench();
    const method = "resources/read";
    await bench.ask(PUBLIC, { method, params: { uri: "a://1", more: { x: 1, y: [2, { b: 1, a: 2 }] } } });
    expect(await bench.knows({ method, params: { more: { y: [2, { a: 2, b: 1 }], x: 1 }, uri: "a://1" } })).toBe(true);
    expect(await bench.knows({ method, params: { uri: "a://1", more: { x: 1, y: [{ b: 1, a: 2 }, 2] } } })).toBe(false);
    expect(await bench.knows({ method, params: { uri: "a://1" } })).toBe(false);
    expect(await bench.knows({ method: "tools/list", params: { uri: "a://1" } })).toBe(false);
  });

  test("tells a page without cursor from the one whose cursor is empty", async () => {
    const bench = new Bench();
    await bench.ask(PUBLIC);
    expect(await bench.knows({ params: { cursor: "" } })).toBe(false);
  });

  test("cannot be changed by who was given it", async () => {
    const bench = new Bench();
    const first = await bench.ask({ ...PUBLIC, tools: [{ name: "a" }] });
    first["tools"] = "changed";
    const second = await bench.ask({});
    expect(second["tools"]).toEqual([{ name: "a" }]);
    second["tools"] = "changed";
    expect((await bench.ask({}))["tools"]).toEqual([{ name: "a" }]);
  });

  test("is asked for again on demand, and then newer", async () => {
    const bench = new Bench();
    await bench.ask({ ...PUBLIC, nth: 1 });
    await bench.ask({ ...PUBLIC, nth: 2 }, { use: "none" });
    expect((await bench.ask({}))["nth"]).toBe(1);
    await bench.ask({ ...PUBLIC, nth: 3 }, { use: "reload" });
    expect((await bench.ask({}))["nth"]).toBe(3);
  });
});

describe("private results", () => {
  test("are for whom they were made, and for nobody else", async () => {
    const bench = new Bench();
    await bench.ask(PRIVATE);
    expect(await bench.knows()).toBe(true);
    bench.principal = "bob";
    expect(await bench.knows()).toBe(false);
    bench.principal = "public";
    expect(await bench.knows()).toBe(false);
  });

  test("are dropped when their owner is gone", async () => {
    const store = memoryStore();
    const [bench, other] = [new Bench({ store }), new Bench({ store })];
    await bench.ask(PRIVATE);
    await bench.ask(PUBLIC, { method: "prompts/list" });
    other.principal = "bob";
    await other.ask(PRIVATE);
    bench.principal = "nobody";
    expect(await bench.knows()).toBe(false);
    bench.principal = "alice";
    expect(await bench.knows()).toBe(false);
    expect(await bench.knows({ method: "prompts/list" })).toBe(true);
    expect(await other.knows()).toBe(true);
  });

  test.each<[unknown]>([["Public"], [undefined], [null], [["public"]]])("are those of scope %j", async (cacheScope) => {
    const bench = new Bench();
    await bench.ask({ ...PUBLIC, cacheScope });
    bench.principal = "bob";
    expect(await bench.knows()).toBe(false);
  });

  test("are public ones not, which serve everybody", async () => {
    const bench = new Bench();
    await bench.ask(PUBLIC);
    bench.principal = "bob";
    expect(await bench.knows()).toBe(true);
  });

  test("are not kept when somebody else signed in meanwhile", async () => {
    const bench = new Bench();
    await bench.cache.through({ method: "tools/list", params: {} }, async () => {
      bench.principal = "bob";
      return PRIVATE;
    });
    expect(await bench.knows()).toBe(false);
  });

  test("are dropped on demand with all others, and so is what is still on its way", async () => {
    const bench = new Bench();
    await bench.ask(PRIVATE);
    const late = Promise.withResolvers<JsonObject>();
    const asked = bench.cache.through({ method: "resources/list", params: {} }, () => late.promise);
    await bench.cache.clear();
    late.resolve(PUBLIC);
    await asked;
    expect(await bench.knows()).toBe(false);
    expect(await bench.knows({ method: "resources/list" })).toBe(false);
  });

  test("give way to a public one that is newer, and the other way round", async () => {
    const bench = new Bench();
    await bench.ask({ ...PRIVATE, nth: 1 });
    bench.now += 1;
    await bench.ask({ ...PUBLIC, nth: 2 }, { use: "reload" });
    expect((await bench.ask({}))["nth"]).toBe(2);
    bench.now += 1;
    await bench.ask({ ...PRIVATE, nth: 3 }, { use: "reload" });
    expect((await bench.ask({}))["nth"]).toBe(3);
  });
});

const at = (value: number) => ({ random: () => value });

describe("whose results are is said", () => {
  const provider = { headers: async () => ({}), challenged: async () => false };

  test("by the provider of tokens, nobody signed in being one of them", () => {
    const alice = principalOf({ auth: { ...provider, principal: () => "alice" }, ...at(0.1) });
    const same = principalOf({ auth: { ...provider, principal: () => "alice" }, ...at(0.2) });
    const nobody = principalOf({ auth: { ...provider, principal: () => undefined }, ...at(0.1) });
    const named = principalOf({ auth: { ...provider, principal: () => "nobody" }, ...at(0.1) });
    expect(alice()).toBe(same());
    expect(new Set([alice(), nobody(), named()]).size).toBe(3);
  });

  test("by nobody where a provider does not, so that they are not kept", async () => {
    const principal = principalOf({ auth: provider, ...at(0.1) });
    expect(principal()).toBeUndefined();
    const bench = new Bench({ principal });
    await bench.ask(PRIVATE);
    expect(await bench.knows()).toBe(false);
    await bench.ask(PUBLIC);
    expect(await bench.knows()).toBe(true);
  });

  test("by nobody where none signs in, so that they stay with their client", () => {
    const auth = undefined;
    const [one, other] = [principalOf({ auth, ...at(0.1) }), principalOf({ auth, ...at(0.2) })];
    expect(one()).toBe(one());
    expect(one()).not.toBe(other());
  });
});

describe("a notification", () => {
  const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
  const FILTER = { toolsListChanged: true };

  test.each<["toolsListChanged" | "promptsListChanged" | "resourcesListChanged", string[]]>([
    ["toolsListChanged", ["tools/list"]],
    ["promptsListChanged", ["prompts/list"]],
    ["resourcesListChanged", ["resources/list", "resources/templates/list"]],
  ])("of %s empties exactly %j, all pages and whosoever", async (type, emptied) => {
    const bench = new Bench();
    for (const method of LISTS) {
      await bench.ask(PRIVATE, { method });
      await bench.ask(PUBLIC, { method, params: { cursor: "2" } });
    }
    bench.cache.heard({ type }, FILTER);
    for (const method of LISTS) {
      const kept = !emptied.includes(method);
      expect(await bench.knows({ method })).toBe(kept);
      expect(await bench.knows({ method, params: { cursor: "2" } })).toBe(kept);
    }
  });

  test("of a resource empties reads of it, of what it is a part of and of its parts", async () => {
    const bench = new Bench();
    const uris = ["board://a", "board://a/1", "board://a/1/x", "board://b", 'board://"\n'];
    for (const uri of uris) await bench.ask(PRIVATE, { method: "resources/read", params: { uri } });
    const known = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const uri of uris) if (await bench.knows({ method: "resources/read", params: { uri } })) found.push(uri);
      return found;
    };
    bench.cache.heard({ type: "resourceUpdated", uri: "board://a/1" }, FILTER);
    expect(await known()).toEqual(["board://b", 'board://"\n']);
    bench.cache.heard({ type: "resourceUpdated", uri: 'board://"\n' }, FILTER);
    expect(await known()).toEqual(["board://b"]);
  });

  test("that was missed empties all that was listened for", async () => {
    const bench = new Bench();
    const reads = ["note://a", "note://b"].map((uri) => ({ method: "resources/read", params: { uri } }));
    for (const request of [...reads, { method: "tools/list" }, { method: "prompts/list" }])
      await bench.ask(PUBLIC, request);
    bench.cache.heard({ type: "resumed" }, { toolsListChanged: true, resourceSubscriptions: ["note://a"] });
    expect(await bench.knows({ method: "tools/list" })).toBe(false);
    expect(await bench.knows({ method: "prompts/list" })).toBe(true);
    const [a, b] = reads;
    expect([await bench.knows(a), await bench.knows(b)]).toEqual([false, true]);
  });

  test("keeps an answer from being kept that was asked for before it", async () => {
    const bench = new Bench();
    const answer = Promise.withResolvers<JsonObject>();
    const asked = bench.cache.through({ method: "tools/list", params: {} }, () => answer.promise);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    bench.cache.heard({ type: "toolsListChanged" }, FILTER);
    answer.resolve(PUBLIC);
    expect(await asked).toEqual(PUBLIC);
    expect(await bench.knows()).toBe(false);
  });

  test("counts from the moment it is heard, however slow the store", async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<void>();
    const slow: CacheStore = {
      ...store,
      delete: async (matches) => {
        await gate.promise;
        return store.delete(matches);
      },
    };
    const bench = new Bench({ store: slow });
    await bench.ask(PUBLIC);
    bench.cache.heard({ type: "toolsListChanged" }, FILTER);
    const knows = bench.knows();
    gate.resolve();
    expect(await knows).toBe(false);
  });
});

test("a cursor that is refused takes the other pages with it", async () => {
  const bench = new Bench();
  await bench.ask(PUBLIC);
  await expect(bench.cache.through({ method: "tools/list", params: { cursor: "2" } }, refuse)).rejects.toThrow(
    "refused",
  );
  expect(await bench.knows()).toBe(false);
});

test("servers that share a store do not see each other's results", async () => {
  const store = memoryStore();
  const [one, other] = [new Bench({ store }), new Bench({ store, server: "https://other.test/mcp" })];
  await one.ask(PUBLIC);
  expect(await other.knows()).toBe(false);
  await other.ask(PUBLIC);
  await other.cache.clear();
  expect(await one.knows()).toBe(true);
  expect(await other.knows()).toBe(false);
});

test("clients that share a store share what is public, and what is private to the same principal", async () => {
  const store = memoryStore();
  const [one, other] = [new Bench({ store }), new Bench({ store })];
  await one.ask(PRIVATE);
  expect(await other.knows()).toBe(true);
  other.principal = "bob";
  expect(await other.knows()).toBe(false);
});

describe("a store", () => {
  test.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"at":1,"ttlMs":1e9}',
    '{"at":1,"ttlMs":1e9,"result":[]}',
    '{"at":"1","ttlMs":1e9,"result":{}}',
    '{"at":1000000,"ttlMs":"9","result":{}}',
    '{"at":1,"ttlMs":1e999,"result":{}}'.repeat(2),
  ])("that holds %j holds nothing", async (text) => {
    const store = { ...memoryStore(), get: async () => text };
    const bench = new Bench({ store });
    expect(await bench.ask(PUBLIC)).toBe(PUBLIC);
  });

  test("cannot make results last longer than a day", async () => {
    const store = { ...memoryStore(), get: async () => '{"at":1,"ttlMs":1e300,"result":{"kept":true}}' };
    const bench = new Bench({ store });
    expect(await bench.ask({})).toEqual({ kept: true });
    bench.now = DAY_MS + 1;
    expect(await bench.ask({})).toEqual({});
  });

  test("that fails makes no request fail", async () => {
    const bench = new Bench({ store: { get: refuse, set: refuse, delete: refuse, clear: refuse } });
    expect(await bench.ask(PUBLIC)).toBe(PUBLIC);
    await bench.cache.clear();
    expect(await bench.ask(PUBLIC)).toBe(PUBLIC);
  });

  test("that does not answer holds a request up for a moment only", async () => {
    const bench = new Bench({ store: { get: hang, set: hang, delete: hang, clear: hang } });
    expect(await bench.ask(PUBLIC)).toBe(PUBLIC);
  });

  test("that cannot forget is not used any more, and that is said once", async () => {
    const store = { ...memoryStore(), delete: () => Promise.reject(new Error("locked")) };
    const bench = new Bench({ store });
    await bench.ask(PUBLIC);
    expect(await bench.knows()).toBe(true);
    bench.cache.heard({ type: "promptsListChanged" }, {});
    expect(await bench.knows()).toBe(false);
    expect(await bench.knows()).toBe(false);
    bench.cache.heard({ type: "promptsListChanged" }, {});
    expect(bench.warnings).toHaveLength(1);
  });
});

test("what a request fails with comes through", async () => {
  const bench = new Bench();
  const error = new McpError("timeout", "too slow");
  await expect(bench.cache.through({ method: "tools/list", params: {} }, () => Promise.reject(error))).rejects.toBe(
    error,
  );
});

/** Case CACHE-01, the client's part: private results stay with whom they are for, whoever shares the store. */
import { describe, expect, test } from "vitest";
import type { McpClientOptions } from "../../src/client/client-options.ts";
import { McpClient } from "../../src/client/mcp-client.ts";
import { resultCache } from "../../src/client/result-cache.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { serverWith } from "../kit/serve.ts";

const URL = "https://mcp.test/mcp";
const INFO = { name: "caching", version: "1.0.0" };

/** A server whose answers say for whom they were made, and how often it was asked. */
function counter(hints: JsonObject) {
  let asked = 0;
  const answer: typeof fetch = async (_url, init) => {
    asked += 1;
    const { id, method } = JSON.parse(init?.body as string) as { id: number; method: string }; // As the client writes it.
    const whose = new Headers(init?.headers).get("authorization") ?? "nobody";
    const tools = [{ name: `tool of ${whose}`, inputSchema: { type: "object" } }];
    const called = method === "tools/call" ? { content: [] } : { tools };
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...called, ...hints } });
  };
  return { fetch: answer, asked: () => asked };
}

interface SignIn {
  principal: string | undefined;
  token: string;
}
/** One that whoever holds `who` can sign in and out. */
const providerOf = (who: SignIn) => ({
  headers: async () => ({ authorization: who.token }),
  challenged: async () => false,
  principal: () => who.principal,
});

const PRIVATE = { ttlMs: 60_000, cacheScope: "private" };
const PUBLIC = { ttlMs: 60_000, cacheScope: "public" };

async function toolOf(client: McpClient): Promise<string | undefined> {
  return (await client.listTools())[0]?.name;
}

describe("a list that is private", () => {
  test("is never another one's, and survives a new token of the same one", async () => {
    const { fetch, asked } = counter(PRIVATE);
    const cache = resultCache();
    const alice = { principal: "alice", token: "a1" };
    const one = new McpClient(URL, { info: INFO, fetch, cache, auth: providerOf(alice) });
    const other = new McpClient(URL, { info: INFO, fetch, cache, auth: providerOf({ principal: "bob", token: "b1" }) });
    expect([await toolOf(one), await toolOf(other)]).toEqual(["tool of a1", "tool of b1"]);
    alice.token = "a2";
    expect([await toolOf(one), await toolOf(other)]).toEqual(["tool of a1", "tool of b1"]);
    expect(asked()).toBe(2);
  });

  test("is gone once its owner has signed out, also for who comes next in the same client", async () => {
    const { fetch, asked } = counter(PRIVATE);
    const who: SignIn = { principal: "alice", token: "a1" };
    const client = new McpClient(URL, { info: INFO, fetch, cache: resultCache(), auth: providerOf(who) });
    await toolOf(client);
    Object.assign(who, { principal: undefined, token: "none" });
    expect(await toolOf(client)).toBe("tool of none");
    Object.assign(who, { principal: "alice", token: "a2" });
    expect(await toolOf(client)).toBe("tool of a2");
    expect(asked()).toBe(3);
  });

  test.each<[string, Partial<McpClientOptions>]>([
    ["headers of its own", { headers: { "x-api-key": "1" } }],
    ["cookies perhaps", {}],
  ])("stays in its client where there are %s", async (_name, options) => {
    const { fetch, asked } = counter(PRIVATE);
    const cache = resultCache();
    const [one, other] = [1, 2].map(() => new McpClient(URL, { info: INFO, fetch, cache, ...options }));
    for (const client of [one, one, other, other]) await client?.listTools();
    expect(asked()).toBe(2);
  });
});

test("a list that is private is not kept where nobody can say whose tokens these are", async () => {
  const { fetch, asked } = counter(PRIVATE);
  let token = "alice";
  const auth = { headers: async () => ({ authorization: token }), challenged: async () => false };
  const client = new McpClient(URL, { info: INFO, fetch, cache: resultCache(), auth });
  await toolOf(client);
  token = "bob";
  expect(await toolOf(client)).toBe("tool of bob");
  expect(asked()).toBe(2);
});

test("whose a list is, is asked once the provider has read its store", async () => {
  const { fetch } = counter(PRIVATE);
  const cache = resultCache();
  const nobody = providerOf({ principal: undefined, token: "none" });
  await toolOf(new McpClient(URL, { info: INFO, fetch, cache, auth: nobody }));
  const stored: SignIn = { principal: undefined, token: "a1" };
  const ready = async () => void (stored.principal = "alice");
  const auth = { ...providerOf(stored), principal: () => stored.principal, ready };
  expect(await toolOf(new McpClient(URL, { info: INFO, fetch, cache, auth }))).toBe("tool of a1");
});

test("a provider that cannot read its store does not keep the cache from asking", async () => {
  const { fetch } = counter(PRIVATE);
  const nobody = providerOf({ principal: undefined, token: "none" });
  const auth = { ...nobody, ready: () => Promise.reject(new Error("locked")) };
  expect(await toolOf(new McpClient(URL, { info: INFO, fetch, cache: resultCache(), auth }))).toBe("tool of none");
});

test("a list that is public serves all clients of the store", async () => {
  const { fetch, asked } = counter(PUBLIC);
  const cache = resultCache();
  for (const token of ["a", "b"]) {
    const auth = providerOf({ principal: token, token });
    expect(await toolOf(new McpClient(URL, { info: INFO, fetch, cache, auth }))).toBe("tool of a");
  }
  expect(asked()).toBe(1);
});

test.each([{ ttlMs: -5, cacheScope: "public" }, { cacheScope: "public" }, {}])(
  "a list with the hints %j is asked for each time",
  async (hints) => {
    const { fetch, asked } = counter(hints);
    const client = new McpClient(URL, { info: INFO, fetch, cache: resultCache() });
    await client.listTools();
    await client.listTools();
    expect(asked()).toBe(2);
  },
);

test("the caller may insist on a fresh answer, go without, or have all forgotten", async () => {
  const { fetch, asked } = counter(PUBLIC);
  const client = new McpClient(URL, { info: INFO, fetch, cache: resultCache() });
  const uses = [{}, {}, { cache: "reload" as const }, { cache: "none" as const }, {}];
  const counts: number[] = [];
  for (const options of uses) {
    await client.listTools(options);
    counts.push(asked());
  }
  expect(counts).toEqual([1, 1, 2, 3, 3]);
  await client.clearCache();
  await client.listTools();
  expect(asked()).toBe(4);
});

test("calls are no business of the cache", async () => {
  const { fetch, asked } = counter(PUBLIC);
  const client = new McpClient(URL, { info: INFO, fetch, cache: resultCache() });
  await client.callTool("x");
  await client.callTool("x");
  expect(asked()).toBe(2);
});

test("a resource that was read by way of a question is asked for each time", async () => {
  let reads = 0;
  const handler = serverWith((server) => {
    server.resource("note://a", { name: "a", ttlMs: 60_000, cacheScope: "public" }, async (_uri, _variables, ctx) => {
      const answer = await ctx.elicit("who", {
        message: "Who?",
        schema: { type: "object", properties: { name: { type: "string" } } },
      });
      reads += 1;
      return `for ${String(answer.content?.name)}`;
    });
  });
  let name = "Ada";
  const client = new McpClient(URL, {
    info: INFO,
    cache: resultCache(),
    input: { elicit: async () => ({ action: "accept", content: { name } }) },
    fetch: async (input, init) => handler.fetch(new Request(input, init)),
  });
  expect((await client.readResource("note://a")).contents).toMatchObject([{ text: "for Ada" }]);
  name = "Bob";
  expect((await client.readResource("note://a")).contents).toMatchObject([{ text: "for Bob" }]);
  expect(reads).toBe(2);
});

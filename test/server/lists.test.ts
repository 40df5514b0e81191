import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller, McpServer } from "../../src/core.ts";
import { post, type PostOptions } from "../kit/post.ts";
import { type Served, type ServeOptions, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, type WireObject } from "../kit/wire.ts";

type List = readonly [method: string, member: string, key: "name" | "uri" | "uriTemplate"];

const LISTS: readonly List[] = [
  ["tools/list", "tools", "name"],
  ["prompts/list", "prompts", "name"],
  ["resources/list", "resources", "uri"],
  ["resources/templates/list", "resourceTemplates", "uriTemplate"],
];

/** A server whose four lists hold these names. */
function listing(
  names: readonly string[],
  pageSize?: number,
  visibleTo?: (caller: Caller) => boolean,
): Served<unknown> {
  const options: ServeOptions<unknown> = pageSize === undefined ? {} : { server: { pageSize } };
  const limits = visibleTo === undefined ? {} : { visibleTo };
  return serverWith((server) => {
    for (const name of names) {
      server.tool(name, limits, () => "");
      server.prompt(name, limits, () => "");
      server.resource(`a:${encodeURIComponent(name)}`, { name, ...limits }, () => "");
      server.resource(`t:${encodeURIComponent(name)}/{x}`, { name, ...limits }, () => "");
    }
  }, options);
}

interface Walked {
  readonly keys: string[];
  readonly pages: WireObject[];
}

/** Follows the cursors to the end, on whatever instance `next` names. */
async function walk(next: () => Served<unknown>, [method, member, key]: List, options?: PostOptions): Promise<Walked> {
  const keys: string[] = [];
  const pages: WireObject[] = [];
  let cursor: unknown;
  do {
    const page = resultOf(await post(next(), method, cursor === undefined ? {} : { cursor }, options));
    pages.push(page);
    keys.push(...(page[member] as Record<string, string>[]).map((entry) => decodeURIComponent(entry[key] ?? "")));
    cursor = page["nextCursor"];
  } while (cursor !== undefined && pages.length < 1_000);
  return { keys, pages };
}

const NAMES = Array.from({ length: 25 }, (_, index) => `n${(index * 7) % 25}`);

describe.each(LISTS)("%s", (...list) => {
  const [method, member, key] = list;
  const prefix = { name: "", uri: "a:", uriTemplate: "t:" }[key];
  const suffix = key === "uriTemplate" ? "/{x}" : "";
  const wire = (name: string): string => `${prefix}${name}${suffix}`;
  const expected = NAMES.map(wire);

  test("gives every entry once, in the order of registration, on every walk", async () => {
    const handler = listing(NAMES, 10);
    const first = await walk(() => handler, list);
    expect(first.keys).toEqual(expected);
    expect(first.pages.map((page) => (page[member] as unknown[]).length)).toEqual([10, 10, 5]);
    expect((await walk(() => handler, list)).keys).toEqual(expected);
  });

  test("says the same of freshness on every page", async () => {
    const shared = await walk(() => listing(NAMES, 10), list);
    const restricted = await walk(() => listing(NAMES, 10, () => true), list);
    for (const page of shared.pages) expect(page).toMatchObject({ ttlMs: 300_000, cacheScope: "public" });
    for (const page of restricted.pages) expect(page).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });

  test("can be walked across instances", async () => {
    const { keys } = await walk(() => listing(NAMES, 3), list);
    expect(keys).toEqual(expected);
  });

  test("fits on one page unless there is more, and then tells no cursor", async () => {
    for (const size of [25, 26, undefined]) {
      expect(resultOf(await post(listing(NAMES, size), method))).not.toHaveProperty("nextCursor");
    }
    expect((await walk(() => listing(NAMES, 1), list)).pages).toHaveLength(25);
  });

  test("goes on after the last entry seen when others were added or taken away meanwhile", async () => {
    const { nextCursor: cursor } = resultOf(await post(listing(["a", "b", "c", "d"], 2), method));
    const after = async (names: string[]): Promise<unknown> => {
      const page = resultOf(await post(listing(names, 9), method, { cursor }));
      return (page[member] as WireObject[]).map((entry) => entry[key]);
    };
    expect(await after(["new", "a", "b", "c", "d"])).toEqual(["c", "d"].map(wire));
    expect(await after(["b", "c", "d"])).toEqual(["c", "d"].map(wire));
    expect(await after(["a", "b", "d", "new"])).toEqual(["d", "new"].map(wire));
    expect(await after(["a", "b"])).toEqual([]);
  });

  test("asks to start again when the last entry seen is gone", async () => {
    const { nextCursor: cursor } = resultOf(await post(listing(["a", "b", "c"], 2), method));
    const reply = await post(listing(["a", "c"], 2), method, { cursor });
    expect([reply.status, errorOf(reply).code]).toEqual([200, -32602]);
  });

  test.each([
    [""],
    ["x"],
    ["a b"],
    ["%%%"],
    ["10"],
    ["WyJ0b29scyIsLTEsIiJd"],
    ["bnVsbA"],
    ["e30"],
    ["A".repeat(50_000)],
    [5],
    [null],
    [{}],
  ])("refuses the cursor %j", async (cursor) => {
    const reply = await post(listing(NAMES, 10), method, { cursor });
    expect([reply.status, errorOf(reply).code]).toEqual([200, -32602]);
  });

  test("refuses the cursors of the other lists", async () => {
    const handler = listing(NAMES, 10);
    for (const [other] of LISTS.filter(([other]) => other !== method)) {
      const { nextCursor: cursor } = resultOf(await post(handler, other));
      expect(errorOf(await post(handler, method, { cursor })).code).toBe(-32602);
    }
  });
});

describe("any list, with pages of any size", () => {
  const names = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), { maxLength: 20 });

  test("gives every name once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 1, max: 25 }), async (names, pageSize) => {
        const make = (server: McpServer): void => names.forEach((name) => void server.tool(name, {}, () => ""));
        const instances = [serverWith(make, { server: { pageSize } }), serverWith(make, { server: { pageSize } })];
        let turn = 0;
        const next = (): Served<unknown> => instances[turn++ % 2] as Served<unknown>; // There are two.
        if (names.length === 0) return;
        const keys: string[] = [];
        let cursor: unknown;
        do {
          const page = resultOf(await post(next(), "tools/list", cursor === undefined ? {} : { cursor }));
          keys.push(...(page["tools"] as { name: string }[]).map(({ name }) => name));
          cursor = page["nextCursor"];
        } while (cursor !== undefined);
        expect(keys).toEqual(names);
      }),
      { numRuns: 40 },
    );
  });

  test("takes any text for a cursor without failing", async () => {
    const handler = listing(NAMES, 10);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (cursor) => {
        const reply = await post(handler, "tools/list", { cursor });
        expect([reply.status, errorOf(reply).code]).toEqual([200, -32602]);
      }),
      { numRuns: 100 },
    );
  });

  test("takes any JSON behind the encoding for a cursor without failing", async () => {
    const handler = listing(NAMES, 10);
    const inside = fc.oneof(
      fc.json(),
      fc.tuple(fc.constant("tools"), fc.double(), fc.constantFrom("n0", "zz")).map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(inside, async (json) => {
        const bytes = Array.from(new TextEncoder().encode(json), (byte) => String.fromCharCode(byte));
        const cursor = btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
        const reply = await post(handler, "tools/list", { cursor });
        expect(reply.status).toBe(200);
        expect(reply.message?.error?.code ?? -32602).toBe(-32602);
      }),
      { numRuns: 100 },
    );
  });
});

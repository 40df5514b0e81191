import { describe, expect, test } from "vitest";
import { ProtocolError } from "../../src/core.ts";
import { post, type PostOptions } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, type WireObject, type WireReply } from "../kit/wire.ts";

function read(
  handler: Served<unknown>,
  uri: unknown,
  params: WireObject = {},
  options: PostOptions = {},
): Promise<WireReply> {
  return post(handler, "resources/read", { uri, ...params }, options);
}

/** The resource `a:b` as JavaScript authors can write it. */
function returning(make: () => unknown, definition: object = {}): Served<unknown> {
  return serverWith((server) => server.resource("a:b", { name: "b", ...definition }, () => make() as string));
}

describe("contents", () => {
  const text = { uri: "a:b", text: "hi" };
  test.each<[string, unknown, unknown[]]>([
    ["a string", "hi", [text]],
    ["an empty string", "", [{ uri: "a:b", text: "" }]],
    ["bytes", new Uint8Array([0, 255]), [{ uri: "a:b", blob: "AP8=" }]],
    ["an ArrayBuffer", new Uint8Array([0, 255]).buffer, [{ uri: "a:b", blob: "AP8=" }]],
    ["part of a larger buffer", new Uint8Array([9, 0, 255, 9]).subarray(1, 3), [{ uri: "a:b", blob: "AP8=" }]],
    ["one content", { uri: "a:c", text: "hi", mimeType: "x/y" }, [{ uri: "a:c", text: "hi", mimeType: "x/y" }]],
    ["several contents", [text, { uri: "a:d", blob: "" }], [text, { uri: "a:d", blob: "" }]],
    ["a whole result", { contents: [text] }, [text]],
  ])("%s becomes contents", async (_name, value, contents) => {
    expect(
      resultOf(
        await read(
          returning(() => value),
          "a:b",
        ),
      ),
    ).toEqual({
      resultType: "complete",
      contents,
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "under-test", version: "1.2.3" } },
    });
  });

  test("carry the type of the definition", async () => {
    const handler = returning(() => "hi", { mimeType: "text/markdown" });
    expect(resultOf(await read(handler, "a:b"))["contents"]).toEqual([{ ...text, mimeType: "text/markdown" }]);
  });

  test.each([0, 1, 2, 3, 128 * 1024, 4 * 1024 * 1024])("%d bytes come back exactly", async (length) => {
    const bytes = noise(length);
    const { contents } = resultOf(
      await read(
        returning(() => bytes),
        "a:b",
      ),
    );
    const [content] = contents as { blob: string }[];
    expect(content?.blob).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
    expect((content?.blob.length ?? 0) % 4).toBe(0);
    const decoded = atob(content?.blob ?? "?");
    expect(decoded.length).toBe(length);
    expect(bytes.findIndex((byte, index) => decoded.charCodeAt(index) !== byte)).toBe(-1);
  });

  test.each<[string, unknown]>([
    ["a number", 5],
    ["an object that is no content", { text: "hi" }],
    ["a list with something else in it", [text, "hi"]],
    ["a content without text or blob", { uri: "a:b" }],
    ["contents of something else", { contents: [5] }],
  ])("%s is the author's mistake, so an internal error", async (_name, value) => {
    const handler = returning(() => value);
    expect(errorOf(await read(handler, "a:b"))).toEqual({ code: -32603, message: "Internal error" });
    expect(handler.errors).toHaveLength(1);
  });
});

const dump = (_uri: string, variables: object): string => JSON.stringify(variables);

describe("templates", () => {
  const handler = serverWith((server) => {
    server.resource("notes://fixed", { name: "fixed" }, () => "the fixed one");
    server.resource("notes://{+path}", { name: "notes" }, dump);
    server.resource("users://{name}", { name: "users" }, dump);
    server.resource("find://items{?q,limit}", { name: "find" }, dump);
    server.resource("cafe://menü/{dish}", { name: "cafe" }, dump);
    server.resource("notes://{late}", { name: "never reached" }, () => "late");
  });

  test.each([
    ["notes://a/b/c", { path: "a/b/c" }],
    ["users://ada%20l", { name: "ada l" }],
    ["find://items?q=a%26b&limit=2", { q: "a&b", limit: "2" }],
    ["find://items", {}],
    ["cafe://menü/crème", { dish: "crème" }],
    ["users://__proto__", { name: "__proto__" }],
  ])("%s gives its variables", async (uri, variables) => {
    const [content] = resultOf(await read(handler, uri))["contents"] as { uri: string; text: string }[];
    expect(content?.uri).toBe(uri);
    expect(JSON.parse(content?.text ?? "")).toEqual(variables);
  });

  test("come after fixed resources, in the order of registration", async () => {
    expect(resultOf(await read(handler, "notes://fixed"))["contents"]).toMatchObject([{ text: "the fixed one" }]);
    expect(resultOf(await read(handler, "notes://x"))["contents"]).toMatchObject([{ text: '{"path":"x"}' }]);
  });

  test("are listed as templates, fixed resources as resources", async () => {
    expect(resultOf(await post(handler, "resources/list"))["resources"]).toEqual([
      { uri: "notes://fixed", name: "fixed" },
    ]);
    const { resourceTemplates } = resultOf(await post(handler, "resources/templates/list"));
    expect((resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate)).toEqual([
      "notes://{+path}",
      "users://{name}",
      "find://items{?q,limit}",
      "cafe://menü/{dish}",
      "notes://{late}",
    ]);
  });

  test("and resources show what the author wrote, but not what steers the server", async () => {
    const shown = {
      title: "T",
      description: "D",
      mimeType: "text/plain",
      icons: [{ src: "https://icons.test/i.svg" }],
      annotations: { priority: 1, audience: ["user" as const], lastModified: "2026-11-30T00:00:00Z" },
      _meta: { "test/x": 1 },
    };
    const steering = { ttlMs: 5, cacheScope: "public" as const, visibleTo: () => true };
    const both = serverWith((server) => {
      server.resource("a:b", { name: "b", size: 3, ...shown, ...steering }, () => "");
      server.resource("a:{x}", { name: "x", ...shown, ...steering, complete: { x: () => [] } }, () => "");
    });
    expect(resultOf(await post(both, "resources/list"))["resources"]).toEqual([
      { uri: "a:b", name: "b", size: 3, ...shown },
    ]);
    expect(resultOf(await post(both, "resources/templates/list"))["resourceTemplates"]).toEqual([
      { uriTemplate: "a:{x}", name: "x", ...shown },
    ]);
  });
});

describe("what is not there", () => {
  const nothing = returning(() => undefined);

  test.each(["", "not a uri", "a:unknown", "https://elsewhere.test/", "__proto__", "a:b "])(
    "%j is not found",
    async (uri) => {
      const reply = await read(
        returning(() => "hi"),
        uri,
      );
      expect(reply.status).toBe(200);
      expect(errorOf(reply)).toEqual({ code: -32602, message: "Resource not found", data: { uri } });
    },
  );

  test("a reader that returns nothing, or an empty list, says not found", async () => {
    for (const value of [undefined, null, [], { contents: [] }]) {
      expect(
        errorOf(
          await read(
            returning(() => value),
            "a:b",
          ),
        ),
      ).toMatchObject({ code: -32602, data: { uri: "a:b" } });
    }
    expect(nothing.errors).toEqual([]);
  });

  test.each([[undefined], [null], [5], [["a:b"]], [{}]])("a uri that is %j is invalid, not unknown", async (uri) => {
    expect(errorOf(await read(nothing, uri))).toMatchObject({ code: -32602, message: expect.stringContaining("uri") });
  });

  test("a very long uri is answered briefly", async () => {
    expect((await read(nothing, `a:${"x".repeat(5_000)}`)).text.length).toBeLessThan(500);
  });
});

describe("failures", () => {
  test("a reader that throws is an internal error whose message stays here", async () => {
    const handler = returning(() => {
      throw new Error("/home/ada");
    });
    const reply = await read(handler, "a:b");
    expect([reply.status, errorOf(reply)]).toEqual([200, { code: -32603, message: "Internal error" }]);
    expect(handler.errors).toHaveLength(1);
  });

  test("a ProtocolError passes", async () => {
    const handler = returning(() => {
      throw new ProtocolError(-32602, "Sold out");
    });
    expect(errorOf(await read(handler, "a:b")).message).toBe("Sold out");
  });
});

describe("cache hints", () => {
  const cached = { ttlMs: 60_000, cacheScope: "public" as const };

  test("come from the definition, and from the result where it has its own", async () => {
    expect(
      resultOf(
        await read(
          returning(() => "hi", cached),
          "a:b",
        ),
      ),
    ).toMatchObject(cached);
    const own = { contents: [{ uri: "a:b", text: "hi" }], ttlMs: 5 };
    expect(
      resultOf(
        await read(
          returning(() => own, cached),
          "a:b",
        ),
      ),
    ).toMatchObject({ ttlMs: 5, cacheScope: "public" });
  });

  test.each([-5, 1.5, Number.NaN, "60"])(
    "a result that wants %j milliseconds does not get them onto the wire",
    async (ttlMs) => {
      const own = { contents: [{ uri: "a:b", text: "hi" }], ttlMs };
      const reply = await read(
        returning(() => own),
        "a:b",
      );
      expect(reply.message?.error?.code ?? resultOf(reply)["ttlMs"]).toSatisfy((sent) => sent === -32603 || sent === 0);
    },
  );

  test("say not to keep the result of a retry, whatever the author said", async () => {
    const retry = { inputResponses: { q: { action: "cancel" } } };
    const kept = returning(() => "hi", cached);
    const own = returning(() => ({ contents: [{ uri: "a:b", text: "hi" }], ...cached }));
    for (const handler of [kept, own]) {
      expect(resultOf(await read(handler, "a:b", retry))).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    }
  });
});

/** The same bytes for the same length, without a pattern that Base64 could hide. */
function noise(length: number): Uint8Array {
  let state = length + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/** Lists in pages, and the other reads. */
import { describe, expect, test } from "vitest";
import { against, codeOf, result, type Sent } from "./fake-fetch.ts";

const pages = (cursors: readonly unknown[]) => (sent: Sent, index: number) =>
  result(sent, { resources: [{ uri: `x://${index}`, name: String(index) }], nextCursor: cursors[index] });

describe("a list", () => {
  test("is read page by page, each asked for with the cursor of the one before", async () => {
    const { client, sent } = against(pages(["a", "", "c"]));
    expect((await client.listResources()).map(({ name }) => name)).toEqual(["0", "1", "2", "3"]);
    // An empty string is a cursor.
    expect(sent.map(({ params }) => params)).toEqual([{}, { cursor: "a" }, { cursor: "" }, { cursor: "c" }]);
  });

  test("ends where there is no cursor, or null", async () => {
    const { client, sent } = against(pages([null]));
    await client.listResources();
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["at once", ["a", "a"], 2],
    ["after a while", ["a", "b", "a"], 3],
    ["with the empty cursor", ["", ""], 2],
  ])("that goes in circles %s is given up", async (_name, cursors, requests) => {
    const { client, sent } = against(pages(cursors));
    expect(await codeOf(client.listResources())).toBe("list_loop");
    expect(sent).toHaveLength(requests);
  });

  test("that never ends is given up", async () => {
    const { client } = against((sent, index) => result(sent, { resources: [], nextCursor: String(index) }));
    expect(await codeOf(client.listResources())).toBe("list_loop");
  });

  test.each([
    ["no entries", { nextCursor: undefined }],
    ["entries that are no list", { resources: {} }],
    ["a cursor that is no string", { resources: [], nextCursor: 7 }],
  ])("with a page that has %s is invalid", async (_name, page) => {
    const { client } = against((sent) => result(sent, page));
    expect(await codeOf(client.listResources())).toBe("invalid_response");
  });

  test("of each kind is asked for by its method", async () => {
    const { client, sent } = against((request) =>
      result(request, { tools: [], resources: [], resourceTemplates: [], prompts: [] }),
    );
    await client.listTools();
    await client.listResources();
    await client.listResourceTemplates();
    await client.listPrompts();
    const methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    expect(sent.map(({ method }) => method)).toEqual(methods);
  });
});

describe("other requests", () => {
  test("for completion return what completes", async () => {
    const { client, sent } = against((request) => result(request, { completion: { values: ["a"], hasMore: false } }));
    const question = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "a" } } as const;
    expect(await client.complete(question)).toEqual({ values: ["a"], hasMore: false });
    expect(sent[0]?.params).toEqual(question);
  });

  test("of an extension may have results of types that the caller knows", async () => {
    const { client } = against((request) => result(request, { resultType: "task", id: 1 }));
    expect(await codeOf(client.request("tasks/get"))).toBe("invalid_response");
    expect(await client.request("tasks/get", {}, { resultTypes: ["task"] })).toMatchObject({ id: 1 });
  });

  test("for what the server is are asked once", async () => {
    const { client, sent } = against((request) =>
      result(request, {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        instructions: "be kind",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } },
      }),
    );
    const described = await client.discover();
    expect(described).toMatchObject({
      era: "modern",
      version: "2026-07-28",
      info: { name: "s", version: "1" },
      capabilities: { tools: {} },
      instructions: "be kind",
    });
    expect(await client.discover()).toEqual(described);
    expect(sent).toHaveLength(1);
  });

  test("for what the server is take its name for display alone, and may find none", async () => {
    const { client } = against((request) =>
      result(request, { capabilities: {}, _meta: { "io.modelcontextprotocol/serverInfo": "x" } }),
    );
    expect((await client.discover()).info).toBeUndefined();
    const malformed = against((request) => result(request, {}));
    expect(await codeOf(malformed.client.discover())).toBe("invalid_response");
  });
});

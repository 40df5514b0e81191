/** What an author says of an entry is judged and written down when it is registered. */
import { describe, expect, test } from "vitest";
import { type DynamicTool, McpServer } from "../../src/core.ts";
import { call, post } from "../kit/post.ts";
import { emptyServer, engine, serverWith } from "../kit/serve.ts";
import { resultOf, textOf } from "../kit/wire.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

const SHARED: [string, object][] = [
  ["title", { title: 5 }],
  ["description", { description: {} }],
  ["_meta", { _meta: 5 }],
  ["_meta", { _meta: [] }],
  ["icons", { icons: "no" }],
  ["icons", { icons: [{}] }],
  ["icons", { icons: [null] }],
  ["icons", { icons: [{ src: "javascript:alert(1)" }] }],
  ["icons", { icons: [{ src: 5 }] }],
  ["icons", { icons: [{ src: "https://a.test/i.png", sizes: "48x48" }] }],
  ["icons", { icons: [{ src: "https://a.test/i.png", theme: "blue" }] }],
  ["annotations", { annotations: "none" }],
  ["written as JSON", { _meta: { a: 1n } }],
  ["written as JSON", { _meta: cyclic }],
];

describe("a definition", () => {
  test.each<[string, object]>([...SHARED, ["annotations", { annotations: { readOnlyHint: "yes" } }]])(
    "of a tool is refused for its %s (row %#)",
    (field, definition) => {
      expect(() => emptyServer().tool("t", definition, () => "")).toThrow(new RegExp(`^tool "t": .*${field}`));
    },
  );

  test.each<[string, object]>([
    ...SHARED,
    ["name", { name: "" }],
    ["name", { name: undefined }],
    ["mimeType", { mimeType: 5 }],
    ["size", { size: "x" }],
    ["size", { size: -1 }],
    ["size", { size: Number.NaN }],
    ["annotations", { annotations: { audience: ["robot"] } }],
    ["annotations", { annotations: { priority: 2 } }],
    ["annotations", { annotations: { lastModified: 5 } }],
  ])("of a resource is refused for its %s (row %#)", (field, definition) => {
    const register = (): unknown => emptyServer().resource("a:b", { name: "b", ...definition }, () => "");
    expect(register).toThrow(new RegExp(`^resource "a:b": .*${field}`));
  });

  test.each<[string, object]>([
    ["title", { title: 5 }],
    ["arguments", { arguments: [{ name: "a", required: "yes" }] }],
    ["arguments", { arguments: [{ name: "a", description: 5 }] }],
  ])("of a prompt is refused for its %s (row %#)", (field, definition) => {
    expect(() => emptyServer().prompt("p", definition, () => "")).toThrow(new RegExp(`^prompt "p": .*${field}`));
  });

  test("of the server itself is no different", () => {
    const info = { name: "n", version: "1", title: 5 } as never;
    expect(() => new McpServer(info, { schemas: engine() })).toThrow(/^server: title/);
  });

  test("with everything the specification knows is served as it is", async () => {
    const shown = {
      title: "T",
      description: "d",
      icons: [
        { src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["any"], theme: "dark" as const },
        { src: "HTTPS://a.test/i" },
      ],
      _meta: { "test/x": [1] },
    };
    const annotations = { title: "A", readOnlyHint: true };
    const handler = serverWith((server) => server.tool("t", { ...shown, annotations }, () => ""));
    expect(resultOf(await post(handler, "tools/list"))["tools"]).toMatchObject([{ ...shown, annotations }]);
  });

  test("may be changed by its author without effect on lists or checks", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const definition = { inputSchema, _meta: { n: 1 } };
    const handler = serverWith((server) => server.tool("t", definition, () => "ran"));
    inputSchema.required = [];
    inputSchema.properties.a.type = "number";
    definition._meta.n = 2;
    const [tool] = resultOf(await post(handler, "tools/list"))["tools"] as Record<string, unknown>[];
    expect(tool).toMatchObject({
      inputSchema: { properties: { a: { type: "string" } }, required: ["a"] },
      _meta: { n: 1 },
    });
    expect(resultOf(await call(handler, "t", { a: 5 }))).toMatchObject({ isError: true });
    expect(textOf(await call(handler, "t", { a: "x" }))).toBe("ran");
  });

  test("of a provided entry is reported, and only that entry is left out", async () => {
    const tools = [
      { name: "bad", handler: () => "", _meta: { n: 1n } },
      { name: "good", handler: () => "" },
    ] satisfies DynamicTool[];
    const resources = [
      { uri: "a:bad", name: "b", size: -1 },
      { uri: "a:good", name: "g" },
    ];
    const handler = serverWith((server) => void server.provide({ tools: () => tools, resources: () => resources }));
    expect(resultOf(await post(handler, "tools/list"))["tools"]).toMatchObject([{ name: "good" }]);
    expect(resultOf(await post(handler, "resources/list"))["resources"]).toMatchObject([{ uri: "a:good" }]);
    expect(handler.errors.map(String)).toEqual([
      expect.stringMatching(/tool "bad": .*JSON/),
      expect.stringMatching(/"a:bad": size/),
    ]);
  });
});

/** Tools whose schemas are written with zod, valibot and arktype, from registration to result. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, post } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, textOf } from "../kit/wire.ts";

const vendors: readonly [string, Served<unknown>][] = [
  [
    "zod",
    serverWith((server) => {
      const inputSchema = z.strictObject({ board: z.string().trim().min(1), limit: z.number().int().default(10) });
      server.tool("list", { inputSchema }, ({ board, limit }) => `${board}:${limit}`);
      server.tool(
        "out",
        { inputSchema: z.object({ n: z.unknown() }), outputSchema: z.object({ n: z.number() }) },
        ({ n }) => ({ n: n as number }),
      );
    }),
  ],
  [
    "valibot",
    serverWith((server) => {
      const inputSchema = toStandardJsonSchema(
        v.strictObject({
          board: v.pipe(v.string(), v.minLength(1)),
          limit: v.optional(v.pipe(v.number(), v.integer()), 10),
        }),
      );
      const outputSchema = toStandardJsonSchema(v.object({ n: v.number() }));
      server.tool("list", { inputSchema }, ({ board, limit }) => `${board}:${limit}`);
      server.tool(
        "out",
        { inputSchema: toStandardJsonSchema(v.object({ n: v.unknown() })), outputSchema },
        ({ n }) => ({ n: n as number }),
      );
    }),
  ],
  [
    "arktype",
    serverWith((server) => {
      server.tool(
        "list",
        { inputSchema: type({ board: "string.trim", limit: "number.integer = 10", "+": "reject" }) },
        ({ board, limit }) => `${board}:${limit}`,
      );
      server.tool("out", { inputSchema: type({ n: "unknown" }), outputSchema: type({ n: "number" }) }, ({ n }) => ({
        n: n as number,
      }));
    }),
  ],
];

describe.each(vendors)("a tool described with %s", (_vendor, handler) => {
  test("gets defaults filled in", async () => {
    expect(textOf(await call(handler, "list", { board: "b" }))).toBe("b:10");
    expect(textOf(await call(handler, "list", { board: "b", limit: 3 }))).toBe("b:3");
  });

  test("refuses wrong arguments with the field's name and without the value", async () => {
    const reply = await call(handler, "list", { board: "b", limit: "hunter2" });
    expect(resultOf(reply)).toMatchObject({ isError: true });
    expect(textOf(reply)).toContain("/limit");
    expect(reply.text).not.toContain("hunter2");
    expect(resultOf(await call(handler, "list", { board: "b", more: 1 }))).toMatchObject({ isError: true });
    expect(resultOf(await call(handler, "list"))).toMatchObject({ isError: true });
  });

  test("is listed with JSON Schema that asks for what callers must send", async () => {
    const tools = resultOf(await post(handler, "tools/list"))["tools"];
    expect(tools).toMatchObject([
      { name: "list", inputSchema: { type: "object", properties: { board: { type: "string" } }, required: ["board"] } },
      { name: "out", outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    ]);
  });

  test("has its results checked", async () => {
    expect(resultOf(await call(handler, "out", { n: 1 }))["structuredContent"]).toEqual({ n: 1 });
    expect(errorOf(await call(handler, "out", { n: "1" })).code).toBe(-32603);
  });
});

describe("a validator of the author's", () => {
  test("may take its time", async () => {
    const inputSchema = z.object({
      name: z.string().refine(async (name) => Promise.resolve(name !== "taken"), "is taken"),
    });
    const handler = serverWith((server) => server.tool("t", { inputSchema }, ({ name }) => name));
    expect(textOf(await call(handler, "t", { name: "free" }))).toBe("free");
    expect(textOf(await call(handler, "t", { name: "taken" }))).toContain("/name is taken");
  });

  test("that throws refuses the call and leaks nothing", async () => {
    const inputSchema = z.object({
      name: z.string().refine(() => {
        throw new Error("connection string");
      }),
    });
    const handler = serverWith((server) => server.tool("t", { inputSchema }, () => "ran"));
    const reply = await call(handler, "t", { name: "x" });
    expect(resultOf(reply)).toMatchObject({ isError: true });
    expect(reply.text).not.toContain("connection string");
  });
});

// valibot has no JSON Schema for an action that transforms, so there such a tool is refused when it is registered.
test.each(vendors.filter(([vendor]) => vendor !== "valibot"))(
  "values arrive as %s transformed them",
  async (_vendor, handler) => {
    expect(textOf(await call(handler, "list", { board: "  b " }))).toBe("b:10");
  },
);

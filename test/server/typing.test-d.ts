/** Judged by the type check (`npm run types`), never run: what authors may and may not write. */
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { CreateMessageResult, ElicitResult, ListRootsResult, McpServer, RequestContext } from "../../src/core.ts";

declare const server: McpServer;
declare const ctx: RequestContext;

const BOARD = {
  type: "object",
  properties: { board: { type: "string" }, limit: { type: "integer" } },
  required: ["board"],
  additionalProperties: false,
} as const;

test("tool arguments have the types of the input schema", () => {
  server.tool("t", { inputSchema: BOARD }, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ board: string; limit?: number }>();
    // @ts-expect-error -- not declared
    return String(args.bord);
  });
  server.tool(
    "t",
    {
      inputSchema: {
        type: "object",
        properties: { a: { enum: ["x", "y"] } },
        required: ["a"],
        additionalProperties: false,
      },
    },
    ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<"x" | "y">();
      return a;
    },
  );
  server.tool("t", { inputSchema: z.object({ n: z.string().transform(Number) }) }, ({ n }) => {
    expectTypeOf(n).toBeNumber();
    return "";
  });
});

test("a tool without a schema has no arguments", () => {
  // @ts-expect-error -- nothing was declared
  server.tool("t", {}, ({ board }) => String(board.length));
});

test("a tool returns what its output schema says", () => {
  const outputSchema = {
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
    additionalProperties: false,
  } as const;
  server.tool("t", { outputSchema }, () => ({ n: 1 }));
  server.tool("t", { outputSchema }, () => ({ content: [], structuredContent: { n: 1 } }));
  server.tool("t", { outputSchema }, async () => Promise.resolve({ isError: true, content: [] }));
  // @ts-expect-error -- the wrong type
  server.tool("t", { outputSchema }, () => ({ n: "1" }));
  // @ts-expect-error -- text is not what the schema calls for
  server.tool("t", { outputSchema }, () => "1");
  // @ts-expect-error -- the wrong type inside a complete result
  server.tool("t", { outputSchema }, () => ({ content: [], structuredContent: { n: "1" } }));
});

test("a tool without an output schema returns text or content", () => {
  server.tool("t", {}, () => undefined);
  server.tool("t", {}, () => [{ type: "text", text: "" }]);
  // @ts-expect-error -- a value needs an outputSchema
  server.tool("t", {}, () => 5);
  // @ts-expect-error -- no such block
  server.tool("t", {}, () => ({ type: "video", data: "" }));
});

test("readers get the variables of their template", () => {
  server.resource("note://{board}/{id}", { name: "n" }, (_uri, variables) => {
    expectTypeOf(variables.board).toEqualTypeOf<string>();
    // @ts-expect-error -- no such variable
    return String(variables.page);
  });
  server.resource("find://items{?q}", { name: "f" }, (_uri, { q }) => {
    expectTypeOf(q).toEqualTypeOf<string | undefined>();
    return "";
  });
  server.resource("a:{list*}", { name: "l" }, (_uri, { list }) => {
    expectTypeOf(list).toEqualTypeOf<string[]>();
    return "";
  });
  // @ts-expect-error -- a fixed URI has none
  server.resource("a:b", { name: "b" }, (_uri, { x }) => String(x));
  // @ts-expect-error -- a resource needs a name
  server.resource("a:b", {}, () => "");
  // @ts-expect-error -- a number is no content
  server.resource("a:b", { name: "b" }, () => 5);
});

test("completers are typed where they are written", () => {
  server.resource(
    "a:{x}",
    { name: "a", complete: { x: (value, { arguments: settled }) => [value, settled["y"] ?? ""] } },
    () => "",
  );
  server.prompt(
    "p",
    { arguments: [{ name: "a", complete: (value, _context, ctx) => [value, ctx.auth?.subject ?? ""] }] },
    () => "",
  );
  // @ts-expect-error -- numbers are no suggestions
  server.prompt("p", { arguments: [{ name: "a", complete: () => [1] }] }, () => "");
});

test("prompt handlers get the declared arguments, required ones for certain", () => {
  server.prompt(
    "p",
    {
      arguments: [
        { name: "a", required: true },
        { name: "b", complete: (value) => [value] },
      ],
    },
    (args) => {
      expectTypeOf(args.a).toEqualTypeOf<string>();
      expectTypeOf(args.b).toEqualTypeOf<string | undefined>();
      // @ts-expect-error -- not declared
      return args.c;
    },
  );
  // @ts-expect-error -- a number is no message
  server.prompt("p", {}, () => 5);
});

test("answers have the types of the form", async () => {
  const schema = {
    type: "object",
    properties: { n: { type: "number" }, ok: { type: "boolean" }, size: { type: "string", enum: ["s", "m"] } },
    required: ["n"],
  } as const;
  const answer = await ctx.elicit("q", { message: "?", schema });
  expectTypeOf(answer).toEqualTypeOf<ElicitResult<{ n: number; ok?: boolean; size?: "s" | "m" }>>();
  expectTypeOf(answer.content?.n).toEqualTypeOf<number | undefined>();
  // @ts-expect-error -- content is absent unless the form was accepted
  void answer.content.n;
  // @ts-expect-error -- not a field
  void answer.content?.m;
  // @ts-expect-error -- a form is flat
  await ctx.elicit("q", { message: "?", schema: { type: "object", properties: { o: { type: "object" } } } });
  // @ts-expect-error -- somebody has to read why
  await ctx.elicit("q", { schema });
  // @ts-expect-error -- neither a form nor a page
  await ctx.elicit("q", { message: "?" });
});

test("several questions have an answer each", async () => {
  const answers = await ctx.input({
    form: { message: "?", schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    page: { message: "?", url: "https://a.test" },
    model: { messages: [], maxTokens: 1 },
    dirs: { roots: true },
  });
  expectTypeOf(answers.form.content).toEqualTypeOf<{ a: string } | undefined>();
  expectTypeOf(answers.page.action).toEqualTypeOf<"accept" | "decline" | "cancel">();
  expectTypeOf(answers.model).toEqualTypeOf<CreateMessageResult>();
  expectTypeOf(answers.dirs).toEqualTypeOf<ListRootsResult>();
  // @ts-expect-error -- not asked
  void answers.other;
});

test("the environment has the server's type", () => {
  const typed = server as unknown as McpServer<{ db: string }>;
  typed.tool("t", {}, (_args, { env }) => env.db);
  // @ts-expect-error -- no such binding
  typed.tool("t", { visibleTo: ({ env }) => env.cache }, () => "");
  // @ts-expect-error -- a promise is no permission
  typed.tool("t", { visibleTo: async () => true }, () => "");
});

test("steps, logs and progress take what the wire can carry", async () => {
  expectTypeOf(await ctx.step("k", () => 1)).toEqualTypeOf<number>();
  expectTypeOf(await ctx.step("k", async () => "x")).toEqualTypeOf<string>();
  // @ts-expect-error -- no such level
  ctx.log("loud", "x");
  // @ts-expect-error -- a number
  ctx.progress("50%");
});

import { describe, expect, test } from "vitest";
import { type Completer, ProtocolError } from "../../src/core.ts";
import { post, type PostOptions } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, type WireReply } from "../kit/wire.ts";

const PROMPT = { type: "ref/prompt", name: "p" };

interface Asked {
  ref?: unknown;
  argument?: unknown;
  context?: unknown;
}

function complete(handler: Served<unknown>, asked: Asked = {}, options: PostOptions = {}): Promise<WireReply> {
  return post(handler, "completion/complete", { ref: PROMPT, argument: { name: "a", value: "" }, ...asked }, options);
}

/** The prompt `p` with the argument `a`, completed, and `bare`, which is not. */
function completing(complete: Completer): Served<unknown> {
  return serverWith((server) => {
    server.prompt("p", { arguments: [{ name: "a", complete }, { name: "bare" }] }, () => "");
    server.resource("n:{x}/{y}", { name: "n", complete: { x: complete } }, () => "");
  });
}

async function completionOf(reply: Promise<WireReply>): Promise<unknown> {
  return resultOf(await reply)["completion"];
}

describe("values", () => {
  test("come in the completer's order", async () => {
    const handler = completing((value) => [`${value}z`, `${value}a`]);
    const argument = { name: "a", value: "py" };
    expect(await completionOf(complete(handler, { argument }))).toEqual({
      values: ["pyz", "pya"],
      total: 2,
      hasMore: false,
    });
  });

  test("beyond 100 are cut, and their number is told", async () => {
    const many = Array.from({ length: 250 }, (_, index) => `v${index}`);
    const handler = completing(() => many);
    expect(await completionOf(complete(handler))).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true });
    const exact = completing(() => many.slice(0, 100));
    expect(await completionOf(complete(exact))).toEqual({ values: many.slice(0, 100), total: 100, hasMore: false });
  });

  test("may say themselves how many more there are", async () => {
    const some = completing(() => ({ values: ["a"], total: 7 }));
    expect(await completionOf(complete(some))).toEqual({ values: ["a"], total: 7, hasMore: true });
    const unknown = completing(() => ({ values: ["a"], hasMore: true }));
    expect(await completionOf(complete(unknown))).toEqual({ values: ["a"], hasMore: true });
    const cut = completing(() => ({ values: Array.from({ length: 101 }, () => "v"), hasMore: false }));
    expect(await completionOf(complete(cut))).toMatchObject({ hasMore: true });
  });

  test("may be none", async () => {
    expect(await completionOf(complete(completing(() => [])))).toEqual({ values: [], total: 0, hasMore: false });
  });

  test("of an argument without a completer are none", async () => {
    const handler = completing(() => ["x"]);
    expect(await completionOf(complete(handler, { argument: { name: "bare", value: "" } }))).toMatchObject({
      values: [],
    });
  });
});

describe("what a completer learns", () => {
  test("is the value so far, the settled arguments and the caller", async () => {
    const handler = completing((value, { arguments: settled }, ctx) => [
      value,
      JSON.stringify(settled),
      ctx.client.info?.name ?? "",
    ]);
    const asked = {
      argument: { name: "a", value: "x" },
      context: { arguments: { language: "py", ["__proto__"]: "p" } },
    };
    const context = JSON.parse('{"arguments":{"language":"py","__proto__":"p"}}') as object;
    const reply = complete(handler, { ...asked, context }, { clientInfo: { name: "c", version: "1" } });
    expect(await completionOf(reply)).toMatchObject({ values: ["x", '{"language":"py","__proto__":"p"}', "c"] });
  });

  test.each([[undefined], [{}], [{ arguments: {} }]])("is no settled argument for the context %j", async (context) => {
    const handler = completing((_value, { arguments: settled }) => Object.keys(settled));
    expect(await completionOf(complete(handler, { context }))).toMatchObject({ values: [] });
  });
});

describe("templates", () => {
  const handler = completing(() => ["found"]);
  const ref = { type: "ref/resource", uri: "n:{x}/{y}" };

  test("are found by their text, and completed by variable", async () => {
    expect(await completionOf(complete(handler, { ref, argument: { name: "x", value: "" } }))).toMatchObject({
      values: ["found"],
    });
    expect(await completionOf(complete(handler, { ref, argument: { name: "y", value: "" } }))).toMatchObject({
      values: [],
    });
  });

  test.each(["z", "constructor", "__proto__", "toString"])("have no variable %s", async (name) => {
    expect(errorOf(await complete(handler, { ref, argument: { name, value: "" } }))).toMatchObject({ code: -32602 });
  });

  test("are not found by a uri they match", async () => {
    const reply = await complete(handler, {
      ref: { type: "ref/resource", uri: "n:1/2" },
      argument: { name: "x", value: "" },
    });
    expect(errorOf(reply)).toMatchObject({ code: -32602, data: { uri: "n:1/2" } });
  });
});

describe("bad requests", () => {
  const handler = completing(() => []);
  test.each<[string, Asked]>([
    ["an unknown prompt", { ref: { type: "ref/prompt", name: "nope" } }],
    ["a prototype's member", { ref: { type: "ref/prompt", name: "__proto__" } }],
    ["an unknown argument", { argument: { name: "nope", value: "" } }],
    ["another kind of reference", { ref: { type: "ref/tool", name: "p" } }],
    ["a reference without a name", { ref: { type: "ref/prompt" } }],
    ["no reference", { ref: undefined }],
    ["a reference that is text", { ref: "p" }],
    ["no argument", { argument: undefined }],
    ["an argument without a value", { argument: { name: "a" } }],
    ["a value that is no string", { argument: { name: "a", value: 5 } }],
    ["a context that is text", { context: "x" }],
    ["settled arguments that are a list", { context: { arguments: [] } }],
    ["a settled argument that is no string", { context: { arguments: { b: 5 } } }],
  ])("%s is invalid params", async (_name, asked) => {
    const reply = await complete(handler, asked);
    expect([reply.status, errorOf(reply).code]).toEqual([200, -32602]);
  });
});

describe("servers", () => {
  test("without a completer have neither the capability nor the method", async () => {
    const handler = serverWith((server) => {
      server.prompt("p", { arguments: [{ name: "a" }] }, () => "");
      server.resource("n:{x}", { name: "n" }, () => "");
    });
    expect(resultOf(await post(handler, "server/discover"))["capabilities"]).not.toHaveProperty("completions");
    const reply = await complete(handler);
    expect([reply.status, errorOf(reply).code]).toEqual([404, -32601]);
  });

  test("keep hidden prompts and templates to themselves", async () => {
    const handler = serverWith((server) => {
      server.prompt("p", { visibleTo: () => false, arguments: [{ name: "a", complete: () => ["secret"] }] }, () => "");
      server.resource("n:{x}", { name: "n", visibleTo: () => false, complete: { x: () => ["secret"] } }, () => "");
    });
    expect(errorOf(await complete(handler)).message).toBe("Unknown prompt: p");
    const ref = { type: "ref/resource", uri: "n:{x}" };
    expect(errorOf(await complete(handler, { ref, argument: { name: "x", value: "" } })).message).toBe(
      "Resource not found",
    );
  });
});

describe("completers that fail", () => {
  test("are internal errors with a fixed message", async () => {
    const handler = completing(() => {
      throw new Error("/home/ada");
    });
    const reply = await complete(handler);
    expect([reply.status, errorOf(reply)]).toEqual([200, { code: -32603, message: "Internal error" }]);
    expect(handler.errors).toHaveLength(1);
  });

  test("may choose a ProtocolError", async () => {
    const handler = completing(() => {
      throw new ProtocolError(-32602, "No such board");
    });
    expect(errorOf(await complete(handler)).message).toBe("No such board");
  });

  test("because they ask for input, which completion cannot, are internal errors whatever the client can do", async () => {
    const handler = completing(async (_value, _context, ctx) => {
      const { action } = await ctx.elicit("q", { message: "?", schema: { type: "object", properties: {} } });
      return [action];
    });
    for (const capabilities of [{}, { elicitation: {} }]) {
      expect(errorOf(await complete(handler, {}, { capabilities })).code).toBe(-32603);
    }
  });

  test("by returning something else are internal errors", async () => {
    for (const value of [undefined, null, 5, { values: "x" }, [1, 2]]) {
      const handler = completing(() => value as unknown as string[]);
      expect(errorOf(await complete(handler)).code).toBe(-32603);
    }
  });
});

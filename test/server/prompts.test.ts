import { describe, expect, test } from "vitest";
import { ProtocolError } from "../../src/core.ts";
import { post } from "../kit/post.ts";
import { type Served, serverWith } from "../kit/serve.ts";
import { errorOf, resultOf, type WireReply } from "../kit/wire.ts";

function get(handler: Served<unknown>, name: unknown, args?: unknown): Promise<WireReply> {
  return post(handler, "prompts/get", args === undefined ? { name } : { name, arguments: args });
}

const greet = serverWith((server) => {
  const definition = {
    arguments: [{ name: "name", required: true }, { name: "style" }, { name: "constructor" }],
  } as const;
  server.prompt("greet", definition, (args) => JSON.stringify(args));
  server.prompt("plain", { description: "Says it." }, () => "Hello.");
});

describe("arguments", () => {
  test("reach the handler as they were sent", async () => {
    const { messages } = resultOf(await get(greet, "greet", { name: "Ada", style: "warm" }));
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: '{"name":"Ada","style":"warm"}' } }]);
  });

  test("may be absent where none is required", async () => {
    expect(resultOf(await get(greet, "plain"))["messages"]).toMatchObject([{ content: { text: "Hello." } }]);
    expect(resultOf(await get(greet, "plain", {}))["messages"]).toHaveLength(1);
  });

  test("that are empty strings are present", async () => {
    expect(resultOf(await get(greet, "greet", { name: "" }))["messages"]).toMatchObject([
      { content: { text: '{"name":""}' } },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["missing", {}, "name"],
    ["a number", { name: 5 }, "name"],
    ["null", { name: null }, "name"],
    ["a list", { name: ["Ada"] }, "name"],
    ["optional and a boolean", { name: "Ada", style: true }, "style"],
    ["not declared", { name: "Ada", mood: "good" }, "mood"],
    ["not declared, and a prototype's", JSON.parse('{"name":"Ada","__proto__":"x"}'), "__proto__"],
  ])("that are %s are invalid params with the argument named", async (_name, args, named) => {
    const reply = await get(greet, "greet", args);
    expect(reply.status).toBe(200);
    expect(errorOf(reply)).toMatchObject({ code: -32602, message: expect.stringContaining(JSON.stringify(named)) });
  });

  test.each([[null], ["{}"], [[]], [5]])("that are %j as a whole are invalid params", async (args) => {
    const reply = await post(greet, "prompts/get", { name: "plain", arguments: args });
    expect(errorOf(reply)).toMatchObject({ code: -32602, message: expect.stringContaining("arguments") });
  });

  test("named like a prototype's member are arguments like any other", async () => {
    const { messages } = resultOf(await get(greet, "greet", { name: "Ada", constructor: "C" }));
    expect(messages).toMatchObject([{ content: { text: '{"name":"Ada","constructor":"C"}' } }]);
  });
});

describe("names", () => {
  test.each(["nope", "__proto__", "toString", ""])("%j is unknown", async (name) => {
    expect(errorOf(await get(greet, name))).toMatchObject({ code: -32602, message: `Unknown prompt: ${name}` });
  });

  test.each([[undefined], [null], [5], [{}]])("%j is no name", async (name) => {
    expect(errorOf(await get(greet, name))).toMatchObject({ code: -32602, message: expect.stringContaining("name") });
  });
});

function returning(make: () => unknown): Served<unknown> {
  return serverWith((server) => server.prompt("p", { description: "From the definition." }, () => make() as string));
}

describe("results", () => {
  const message = { role: "assistant", content: { type: "image", data: "AA==", mimeType: "image/png" } };

  test.each<[string, unknown, unknown[]]>([
    ["a string", "hi", [{ role: "user", content: { type: "text", text: "hi" } }]],
    ["one message", message, [message]],
    ["several messages", [message, message], [message, message]],
    ["no messages", [], []],
    ["a whole result", { messages: [message] }, [message]],
  ])("%s becomes messages", async (_name, value, messages) => {
    const result = resultOf(
      await get(
        returning(() => value),
        "p",
      ),
    );
    expect(result).toMatchObject({ resultType: "complete", messages, description: "From the definition." });
    expect(result).not.toHaveProperty("ttlMs");
  });

  test("may describe themselves", async () => {
    const result = resultOf(
      await get(
        returning(() => ({ messages: [], description: "Own.", _meta: { "test/x": 1 } })),
        "p",
      ),
    );
    expect(result).toMatchObject({ description: "Own.", _meta: { "test/x": 1 } });
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["messages that are none", { messages: ["hi"] }],
    ["a message without a role", { content: { type: "text", text: "" } }],
  ])("%s is the author's mistake, so an internal error", async (_name, value) => {
    const handler = returning(() => value);
    expect(errorOf(await get(handler, "p"))).toEqual({ code: -32603, message: "Internal error" });
    expect(handler.errors).toHaveLength(1);
  });

  test("what a handler throws stays here unless it is a ProtocolError", async () => {
    const failing = returning(() => {
      throw new Error("/home/ada");
    });
    const reply = await get(failing, "p");
    expect([reply.status, errorOf(reply)]).toEqual([200, { code: -32603, message: "Internal error" }]);
    const passing = returning(() => {
      throw new ProtocolError(-32602, "No such person");
    });
    expect(errorOf(await get(passing, "p")).message).toBe("No such person");
  });
});

describe("prompts/list", () => {
  test("shows what the author wrote, without completers and conditions", async () => {
    const described = {
      title: "T",
      description: "D",
      icons: [{ src: "https://icons.test/i.svg" }],
      _meta: { "test/x": 1 },
    };
    const handler = serverWith((server) => {
      const name = { name: "name", title: "Name", description: "Whose", required: true, complete: () => [] };
      server.prompt("z", { ...described, visibleTo: () => true, arguments: [name, { name: "style" }] }, () => "");
      server.prompt("a", { arguments: [] }, () => "");
    });
    expect(resultOf(await post(handler, "prompts/list"))["prompts"]).toEqual([
      {
        name: "z",
        ...described,
        arguments: [{ name: "name", title: "Name", description: "Whose", required: true }, { name: "style" }],
      },
      { name: "a" },
    ]);
  });
});

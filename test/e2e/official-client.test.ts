/**
 * The official client, pinned to revision 2026-07-28, as a peer that was written without this code: against the pinboard
 * on workerd, and against a small server behind `node:http` for what the pinboard has no use for.
 */
import { Client, ProtocolError, SdkError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const PORT = 8851;

type Answer = {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
};
type Asked = Record<string, unknown>;

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A connected client, and the questions it was asked. Without an `answer` it declares that it takes none. */
async function connect(url: string, answer?: (params: Asked) => Answer): Promise<{ client: Client; asked: Asked[] }> {
  const asked: Asked[] = [];
  const client = new Client(
    { name: "official", version: "2.4.0" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      capabilities: answer === undefined ? {} : { elicitation: { form: {}, url: {} } },
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push({ ...params });
      return answer({ ...params });
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  clients.push(client);
  return { client, asked };
}

const textsOf = ({ content }: { content: { type: string }[] }): unknown[] =>
  content.flatMap((block) => ("text" in block ? [block.text] : []));

describe("with the pinboard on workerd", () => {
  let worker: RunningWorker | undefined;
  const at = (): string => worker?.url ?? "";
  beforeAll(async () => {
    worker = await startWrangler("wrangler.toml", { port: PORT, vars: { STATE_KEY: "7c".repeat(32) } });
  });
  afterAll(() => worker?.stop());

  const add = async (board: string, ...texts: string[]): Promise<void> => {
    const { client } = await connect(at());
    for (const text of texts) await client.callTool({ name: "add_note", arguments: { board, text } });
  };

  test("the client settles on the modern era and learns what the server is", async () => {
    const { client } = await connect(at());
    expect(client.getProtocolEra()).toBe("modern");
    expect(client.getServerVersion()).toMatchObject({ name: "pinboard" });
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} });
    expect(client.getInstructions()).toContain("board");
  });

  test("it lists the tools, and takes every one of them", async () => {
    const { client } = await connect(at());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      "add_note",
      "board_stats",
      "delete_note",
      "draw_board",
      "edit_note",
      "import_notes",
      "search_notes",
    ]);
  });

  test("it calls a tool whose argument is mirrored in a header, plain and encoded", async () => {
    await add("Köln", "Dom");
    await add("plain", "one");
    const { client } = await connect(at());
    await client.listTools(); // Where it learns which arguments to mirror.
    for (const board of ["Köln", "plain"]) {
      const found = await client.callTool({ name: "search_notes", arguments: { board } });
      expect(found.isError).toBeUndefined();
      expect(String(textsOf(found)[0])).toContain(`“${board}”`);
    }
  });

  test("it gets structured content that satisfies the schema, and an image", async () => {
    await add("stats", "two words");
    const { client } = await connect(at());
    await client.listTools(); // Where it learns the output schemas that it checks results against.
    const stats = await client.callTool({ name: "board_stats", arguments: { board: "stats" } });
    expect(stats.structuredContent).toMatchObject({ board: "stats", notes: 1, words: 2 });
    const drawn = await client.callTool({ name: "draw_board", arguments: { board: "stats" } });
    expect(drawn.content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
  });

  test("it sees progress while a call runs", async () => {
    const { client } = await connect(at());
    const seen: number[] = [];
    const notes = Array.from({ length: 20 }, (_, index) => `note ${index}`);
    const imported = await client.callTool(
      { name: "import_notes", arguments: { board: "imported", notes } },
      { onprogress: ({ progress, total }) => seen.push(progress / (total ?? 1)) },
    );
    expect(textsOf(imported)).toEqual(["Pinned 20 notes to “imported”."]);
    expect(seen).toEqual(notes.map((_, index) => (index + 1) / 20));
  });

  test("it sees what went wrong as an error for the model", async () => {
    const { client } = await connect(at());
    const missing = await client.callTool({ name: "board_stats", arguments: { board: "no such board" } });
    expect(missing.isError).toBe(true);
    expect(String(textsOf(missing)[0])).toContain("no such board");
    const malformed = await client.callTool({ name: "add_note", arguments: { board: "x" } });
    expect(malformed.isError).toBe(true);
    expect(String(textsOf(malformed)[0])).toContain("text");
  });

  test("it sees an unknown tool as an error of the protocol", async () => {
    const { client } = await connect(at());
    const failure: unknown = await client.callTool({ name: "no_such_tool" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(failure).toMatchObject({ code: -32602 });
  });

  test("it answers the question of a tool, and the tool acts on the answer", async () => {
    await add("questions", "to be deleted");
    const deletion = { name: "delete_note", arguments: { board: "questions", id: 1 } };
    const declining = await connect(at(), () => ({ action: "decline" }));
    expect(textsOf(await declining.client.callTool(deletion))).toEqual(["Note 1 stays on “questions”."]);
    const agreeing = await connect(at(), () => ({ action: "accept", content: { confirm: true } }));
    expect(textsOf(await agreeing.client.callTool(deletion))).toEqual(["Deleted note 1 from “questions”."]);
    expect(agreeing.asked).toHaveLength(1);
    expect(agreeing.asked[0]).toMatchObject({
      message: expect.stringContaining("to be deleted") as unknown,
      requestedSchema: { properties: { confirm: { type: "boolean" } } },
    });
  });

  test("a client that takes no questions is told so, and nothing is deleted", async () => {
    await add("unasked", "stays");
    const { client } = await connect(at());
    const deletion = client.callTool({ name: "delete_note", arguments: { board: "unasked", id: 1 } });
    await expect(deletion).rejects.toMatchObject({ code: -32021 });
    const found = await client.callTool({ name: "search_notes", arguments: { board: "unasked" } });
    expect(String(textsOf(found)[0])).toContain("stays");
  });

  test("it lists and reads resources and templates", async () => {
    await add("reading", "first", "second");
    const { client } = await connect(at());
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("board://reading");
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["board://{board}", "note://{board}/{id}"]);
    const note = await client.readResource({ uri: "note://reading/2" });
    expect(note.contents).toEqual([{ uri: "note://reading/2", mimeType: "text/plain", text: "second" }]);
    const board = await client.readResource({ uri: "board://reading" });
    expect(board.contents).toMatchObject([
      { uri: "board://reading", text: expect.stringContaining("first") as unknown },
    ]);
    await expect(client.readResource({ uri: "note://reading/3" })).rejects.toMatchObject({ code: -32602 });
  });

  test("it lists and gets prompts, and is told which argument is missing", async () => {
    await add("prompting", "a thought");
    const { client } = await connect(at());
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["summarise_board", "brainstorm"]);
    const { messages } = await client.getPrompt({ name: "summarise_board", arguments: { board: "prompting" } });
    expect(JSON.stringify(messages)).toContain("a thought");
    await expect(client.getPrompt({ name: "summarise_board" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("board") as unknown,
    });
  });

  test("it completes arguments of prompts and variables of templates", async () => {
    await add("completing", "one");
    const { client } = await connect(at());
    const boards = await client.complete({
      ref: { type: "ref/prompt", name: "summarise_board" },
      argument: { name: "board", value: "COMPLET" },
    });
    expect(boards.completion.values).toEqual(["completing"]);
    const notes = await client.complete({
      ref: { type: "ref/resource", uri: "note://{board}/{id}" },
      argument: { name: "id", value: "" },
      context: { arguments: { board: "completing" } },
    });
    expect(notes.completion.values).toEqual(["1"]);
  });

  test("it cancels a call, which stops the work", async () => {
    const { client } = await connect(at());
    const controller = new AbortController();
    const notes = Array.from({ length: 500 }, (_, index) => `note ${index}`);
    const call = client.callTool(
      { name: "import_notes", arguments: { board: "cancelled", notes } },
      { signal: controller.signal, onprogress: () => controller.abort("enough") },
    );
    await expect(call).rejects.toThrow();
    const count = async (): Promise<number> => {
      const stats = await client.callTool({ name: "board_stats", arguments: { board: "cancelled" } });
      return (stats.structuredContent as { notes: number }).notes; // As its outputSchema says.
    };
    // Once two looks agree, nobody is importing any more.
    let before = -1;
    await expect.poll(async () => before === (before = await count()), { interval: 200, timeout: 10_000 }).toBe(true);
    expect(before).toBeLessThan(500);
  });

  test("several clients at once get each their own answers", async () => {
    await add("shared", "one");
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { client } = await connect(at());
        return textsOf(
          await client.callTool({ name: "search_notes", arguments: { board: "shared", query: `q${index}` } }),
        );
      }),
    );
    expect(answers.map(([text]) => /q\d+/.exec(String(text))?.[0])).toEqual(answers.map((_, index) => `q${index}`));
  });
});

describe("with a small server on node:http", () => {
  let aborted: (() => void) | undefined;
  const server = new McpServer({ name: "small", version: "1.0.0" }, { pageSize: 2 });
  server.tool("wait", {}, async (_args, ctx) => {
    await new Promise<void>((resolve) => {
      ctx.signal.addEventListener("abort", () => {
        aborted?.();
        resolve();
      });
    });
    return "never read";
  });
  server.tool("log", {}, async (_args, ctx) => {
    ctx.log("debug", "too mild");
    ctx.log("error", { seen: true }, "small");
    await Promise.resolve();
    return "logged";
  });
  server.tool("two_questions", {}, async (_args, ctx) => {
    const first = await ctx.elicit("first", {
      message: "Price?",
      schema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
    });
    const second = await ctx.elicit("second", { message: "Sign here", url: "https://sign.test/" });
    return `${first.content?.price} ${second.action}`;
  });
  server.tool("none", {}, () => undefined);
  server.tool("null", { outputSchema: { type: "null" } }, () => null);

  let running: RunningServer | undefined;
  const at = (): string => running?.url ?? "";
  beforeAll(async () => {
    running = await serve(createFetchHandler(server, { stateKeys: ["7c".repeat(32)], openAfterMs: 20 }));
  });
  afterAll(() => running?.close());

  test("the client collects all pages of a list", async () => {
    const { client } = await connect(at());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["wait", "log", "two_questions", "none", "null"]);
  });

  test("it answers one question after the other within one call, a fraction among the answers", async () => {
    const { client, asked } = await connect(at(), ({ mode }) =>
      mode === "url" ? { action: "accept" } : { action: "accept", content: { price: 3.5 } },
    );
    expect(textsOf(await client.callTool({ name: "two_questions" }))).toEqual(["3.5 accept"]);
    expect(asked.map(({ mode }) => mode)).toEqual(["form", "url"]);
  });

  test("it gets the log messages that it asked for, and no others", async () => {
    const { client } = await connect(at());
    const heard: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params));
    await client.callTool({ name: "log" });
    expect(heard).toEqual([]);
    await client.callTool({ name: "log", _meta: { "io.modelcontextprotocol/logLevel": "warning" } });
    expect(heard).toMatchObject([{ level: "error", logger: "small", data: { seen: true } }]);
  });

  test("it takes results without content, and null as a structured value", async () => {
    const { client } = await connect(at());
    await client.listTools();
    expect(await client.callTool({ name: "none" })).toMatchObject({ content: [] });
    expect(await client.callTool({ name: "null" })).toMatchObject({ structuredContent: null });
  });

  test("giving up on a silent call reaches the handler", async () => {
    const reached = new Promise<void>((resolve) => (aborted = resolve));
    const { client } = await connect(at());
    const controller = new AbortController();
    const call = client.callTool({ name: "wait" }, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 50);
    await expect(call).rejects.toThrow();
    await reached;
  });

  test("a time-out of the client reaches the handler too", async () => {
    const reached = new Promise<void>((resolve) => (aborted = resolve));
    const { client } = await connect(at());
    await expect(client.callTool({ name: "wait" }, { timeout: 50 })).rejects.toBeInstanceOf(SdkError);
    await reached;
  });

  test("asking for a method that is not there is an error, and the next call is served", async () => {
    const { client } = await connect(at());
    await expect(client.getPrompt({ name: "x" })).rejects.toThrow();
    expect(textsOf(await client.callTool({ name: "log" }))).toEqual(["logged"]);
  });
});

/**
 * The client against servers that were written without it: the official package in both eras, the reference server
 * "everything" over both legacy transports, and our own Workers on workerd. Everything over sockets.
 */
import { resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  isPendingInput,
  McpClient,
  type InputHandlers,
  type JsonObject,
  type ListenEvent,
  type McpClientOptions,
  type Progress,
  type SubscriptionFilter,
} from "../../src/client.ts";
import { legacyFallback } from "../../src/client-legacy.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { type OfficialPeer, officialPeer } from "../kit/official-peer.ts";
import { startSupervised, type Supervised } from "./supervised.ts";
import { findFreePort, type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EVERYTHING = `${ROOT}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
/** Tells an end from a hang. */
const POLLING = { timeout: 30_000 };

const clients: McpClient[] = [];
let warnings: string[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  expect(warnings.splice(0)).toEqual([]);
});

function connect(url: string, options: Partial<McpClientOptions> = {}): McpClient {
  const client = new McpClient(url, {
    info: { name: "peers", version: "1.0.0" },
    legacy: legacyFallback(),
    schemas: interpreterEngine(),
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  clients.push(client);
  return client;
}

const MODEL_ANSWER = { role: "assistant", content: { type: "text", text: "Something" }, model: "stub" };
const HANDLERS: InputHandlers = {
  elicit: (params) =>
    Promise.resolve(params.mode === "url" ? { action: "accept" } : { action: "accept", content: { sure: true } }),
  sample: () => Promise.resolve(MODEL_ANSWER),
  roots: () => Promise.resolve({ roots: [{ uri: "file:///home/ada", name: "home" }] }),
};

function accepting(content: JsonObject): InputHandlers {
  return { elicit: () => Promise.resolve({ action: "accept", content }) };
}

const names = (entries: readonly { name: string }[]): string[] => entries.map(({ name }) => name);

const textOf = ({ content }: { content: readonly { type: string }[] }): string =>
  content.map((block) => ("text" in block ? String(block.text) : block.type)).join("\n");

async function callText(client: McpClient, name: string, args = {}): Promise<string> {
  return textOf(await client.callTool(name, args));
}

/** Listens, and resolves once the server has granted something. */
async function listenTo(
  client: McpClient,
  filter: SubscriptionFilter,
): Promise<{ granted: SubscriptionFilter; heard: string[]; close(): void }> {
  const heard: string[] = [];
  const onEvent = (event: ListenEvent): void => void heard.push("uri" in event ? event.uri : event.type);
  const listening = client.listen(filter, { onEvent });
  return { granted: await listening.joined(), heard, close: () => listening.close() };
}

describe.each([
  { era: "modern", version: "2026-07-28" },
  { era: "legacy", version: "2025-11-25" },
] as const)("with the official server in its $era era, the client", ({ era, version }) => {
  let peer: OfficialPeer;
  beforeAll(async () => {
    peer = await officialPeer(era);
  });
  afterAll(() => peer?.close());

  test("learns what the server is", async () => {
    expect(await connect(peer.url).discover()).toMatchObject({
      era,
      version,
      info: { name: "official", version: "1.0.0" },
      instructions: "Be brief.",
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {} },
    });
  });

  test("lists everything there is", async () => {
    const client = connect(peer.url);
    expect(names(await client.listTools())).toEqual([
      "add",
      "letters",
      "count",
      "log",
      "fail",
      "where",
      "confirm",
      "everything",
    ]);
    expect(names(await client.listResources())).toEqual(["first"]);
    expect(names(await client.listResourceTemplates())).toEqual(["memos"]);
    expect(names(await client.listPrompts())).toEqual(["cheer"]);
  });

  test("gets structured content, and finds it right by the schema", async () => {
    const client = connect(peer.url);
    await client.listTools();
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 }, issues: [] });
    const wrapped = era === "modern" ? ["a", "b"] : { result: ["a", "b"] };
    expect(await client.callTool("letters")).toMatchObject({ structuredContent: wrapped, issues: [] });
  });

  test("hears of progress when it asks for it, and else does not ask", async () => {
    const client = connect(peer.url);
    const seen: Progress[] = [];
    expect(textOf(await client.callTool("count", {}, { onProgress: (step) => seen.push(step) }))).toBe("counted");
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
    expect(await callText(client, "count")).toBe("nobody counts");
  });

  test("hears the log messages it asks for", async () => {
    const seen: unknown[] = [];
    const onLog = ({ data }: { data: unknown }): void => void seen.push(data);
    await connect(peer.url).callTool("log", {}, { onLog, logLevel: "warning" });
    expect(seen).toEqual(["loud"]);
  });

  test("tells a tool's failure from the protocol's", async () => {
    const client = connect(peer.url);
    const failed = await client.callTool("fail");
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain("out of paper");
    expect(await client.callTool("add", { a: "one" })).toMatchObject({ isError: true });
    await expect(client.readResource("memo://nowhere")).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("no/such/method")).rejects.toMatchObject({ code: -32601 });
  });

  test("calls a tool whose argument is mirrored, whether it was listed or not", async () => {
    const mirrored: (string | null)[] = [];
    const recording: typeof fetch = (target, init) => {
      mirrored.push(new Headers(init?.headers).get("mcp-param-region"));
      return fetch(target, init);
    };
    const unlisted = connect(peer.url, { fetch: recording });
    expect(await callText(unlisted, "where", { region: "Köln" })).toBe("Köln");
    // Discovered, called, listed because a header was missing, and called again.
    if (era === "modern") expect(mirrored).toEqual([null, null, null, "=?base64?S8O2bG4=?="]);
    const listed = connect(peer.url, { fetch: recording });
    await listed.listTools();
    expect(await callText(listed, "where", { region: "north" })).toBe("north");
    expect(mirrored.at(-1)).toBe(era === "modern" ? "north" : null);
  });

  test("answers questions, and says no", async () => {
    expect(await callText(connect(peer.url, { input: HANDLERS }), "confirm")).toBe('{"sure":true}');
    const declining = connect(peer.url, { input: { elicit: () => Promise.resolve({ action: "decline" }) } });
    expect(await callText(declining, "confirm")).toBe("decline");
  });

  test("opens a page, asks a model and names its roots in one call", async () => {
    const client = connect(peer.url, { input: HANDLERS });
    expect(await callText(client, "everything")).toBe("accept stub file:///home/ada");
  });

  test("reads resources, fixed and by template", async () => {
    const client = connect(peer.url);
    expect(await client.readResource("memo://first")).toMatchObject({
      contents: [{ uri: "memo://first", mimeType: "text/plain", text: "the first memo" }],
    });
    expect(await client.readResource("memo://by/Ada")).toMatchObject({ contents: [{ text: "by Ada" }] });
  });

  test("gets prompts, and completes their arguments and those of templates", async () => {
    const client = connect(peer.url);
    const { messages } = await client.getPrompt("cheer", { team: "red", member: "Ann" });
    expect(messages).toMatchObject([{ role: "user", content: { type: "text", text: "Go, red, go, Ann!" } }]);
    const cheer = { type: "ref/prompt", name: "cheer" } as const;
    expect(await client.complete({ ref: cheer, argument: { name: "team", value: "g" } })).toMatchObject({
      values: ["green"],
    });
    const argument = { name: "member", value: "" };
    expect(await client.complete({ ref: cheer, argument, context: { arguments: { team: "red" } } })).toMatchObject({
      values: ["red one"],
    });
    const memos = { type: "ref/resource", uri: "memo://by/{author}" } as const;
    expect(await client.complete({ ref: memos, argument: { name: "author", value: "A" } })).toMatchObject({
      values: ["Ada", "Alan"],
    });
  });

  test("listens for changes, and hears no others", async () => {
    const client = connect(peer.url);
    const ear = await listenTo(client, { toolsListChanged: true, resourceSubscriptions: ["memo://first"] });
    expect(ear.granted).toEqual({ toolsListChanged: true, resourceSubscriptions: ["memo://first"] });
    await peer.change("memo://first");
    await expect.poll(() => ear.heard, POLLING).toEqual(["memo://first", "toolsListChanged"]);
    ear.close();
    const other = await listenTo(client, { toolsListChanged: true });
    await peer.change("memo://first");
    await expect.poll(() => other.heard, POLLING).toEqual(["toolsListChanged"]);
    expect(ear.heard).toHaveLength(2);
  });
});

describe.each([
  { transport: "streamableHttp", path: "/mcp" },
  { transport: "sse", path: "/sse" },
])("with the reference server over $transport, the client", ({ transport, path }) => {
  let port: number;
  let url: string;
  let program: Supervised;
  const start = async (): Promise<void> => {
    program = startSupervised(EVERYTHING, [transport], { cwd: ROOT, env: { PORT: String(port) } });
    await vi.waitFor(() => expect(program.output()).toContain(`port ${port}`), POLLING);
  };
  beforeAll(async () => {
    port = await findFreePort();
    url = `http://127.0.0.1:${port}${path}`;
    await start();
  });
  afterAll(() => program?.stop());

  test("learns what the server is", async () => {
    const { era, version, info, capabilities } = await connect(url).discover();
    expect({ era, version, name: info?.name }).toEqual({
      era: "legacy",
      version: "2025-11-25",
      name: "mcp-servers/everything",
    });
    expect(capabilities).toMatchObject({ resources: { subscribe: true }, logging: {}, completions: {} });
  });

  test("lists everything there is", async () => {
    const client = connect(url);
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]));
    expect(await client.listPrompts()).toContainEqual(expect.objectContaining({ name: "completable-prompt" }));
    expect((await client.listResources()).length).toBeGreaterThan(0);
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toContain(
      "demo://resource/dynamic/text/{resourceId}",
    );
  });

  test("calls tools, for text, images, structured content and errors", async () => {
    const client = connect(url);
    await client.listTools();
    expect(await callText(client, "echo", { message: "grüß" })).toBe("Echo: grüß");
    expect(await callText(client, "get-sum", { a: 2, b: 3 })).toBe("The sum of 2 and 3 is 5.");
    expect((await client.callTool("get-tiny-image")).content).toContainEqual(
      expect.objectContaining({ type: "image", mimeType: "image/png" }),
    );
    const weather = await client.callTool("get-structured-content", { location: "Chicago" });
    expect(weather).toMatchObject({ structuredContent: { temperature: 36 }, issues: [] });
    expect(await client.callTool("echo", {})).toMatchObject({ isError: true });
    expect(await client.callTool("no-such-tool")).toMatchObject({ isError: true });
  });

  test("hears of progress", async () => {
    const seen: Progress[] = [];
    const args = { duration: 0.3, steps: 3 };
    const onProgress = (step: Progress): void => void seen.push(step);
    await connect(url).callTool("trigger-long-running-operation", args, { onProgress });
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test("answers a form with its defaults filled in, and says no", async () => {
    const willing = connect(url, { input: accepting({ name: "Ada" }) });
    const said = await callText(willing, "trigger-elicitation-request");
    expect(said).toContain('"name": "Ada"');
    expect(said).toContain('"integer": 42');
    const declining = connect(url, { input: { elicit: () => Promise.resolve({ action: "decline" }) } });
    expect(await callText(declining, "trigger-elicitation-request")).toContain('"action": "decline"');
  });

  test("opens a page when asked to, and hands on the error that asks for one", async () => {
    const client = connect(url, { input: HANDLERS });
    const visit = { url: "https://sign.test/in" };
    expect(await callText(client, "trigger-url-elicitation", visit)).toContain("User completed");
    await expect(client.callTool("trigger-url-elicitation", { ...visit, errorPath: true })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: "url" }] },
    });
  });

  test("asks a model for the server, and names its roots", async () => {
    const client = connect(url, { input: HANDLERS });
    const asked = await callText(client, "trigger-sampling-request", { prompt: "Say something", maxTokens: 10 });
    expect(asked).toContain('"model": "stub"');
    expect(await callText(client, "get-roots-list")).toContain("file:///home/ada");
  });

  test("is offered no question that it has no handler for", async () => {
    const tools = await connect(url).listTools();
    expect(tools.filter(({ name }) => /elicitation|sampling|roots/.test(name))).toEqual([]);
  });

  test("reads resources, and hears of the changes of those it listens for alone", async () => {
    const client = connect(url);
    const uri = "demo://resource/dynamic/text/1";
    expect(await client.readResource(uri)).toMatchObject({ contents: [{ uri }] });
    const ear = await listenTo(client, { resourceSubscriptions: [uri] });
    expect(ear.granted).toEqual({ resourceSubscriptions: [uri] });
    await client.callTool("toggle-subscriber-updates");
    await expect.poll(() => ear.heard, POLLING).toContain(uri);
    await client.callTool("toggle-subscriber-updates");
    expect(new Set(ear.heard)).toEqual(new Set([uri]));
  });

  test("goes on after the server was restarted, and says that changes may have been missed", async () => {
    const client = connect(url);
    const uri = "demo://resource/dynamic/text/2";
    const ear = await listenTo(client, { resourceSubscriptions: [uri] });
    await program.stop();
    await start();
    await expect.poll(() => ear.heard, POLLING).toEqual(["resumed"]);
    expect(await callText(client, "echo", { message: "again" })).toBe("Echo: again");
    await client.callTool("toggle-subscriber-updates");
    await expect.poll(() => ear.heard, POLLING).toContain(uri);
  });

  test("calls a server that was restarted since the last call", async () => {
    const client = connect(url);
    expect(await callText(client, "echo", { message: "before" })).toBe("Echo: before");
    await program.stop();
    await start();
    // Its word that it does not know the session is no proof that it did not run the call, which may have been a write; so
    // that is said, unless the stream for its own messages has brought the news before the call was sent.
    const first = await callText(client, "echo", { message: "first" }).catch((error: unknown) => String(error));
    expect(first).toMatch(/^Echo: first$|No valid session ID/);
    expect(await callText(client, "echo", { message: "second" })).toBe("Echo: second");
  });

  test("reads from a server that was restarted as if nothing had been", async () => {
    const client = connect(url);
    await client.listTools();
    await program.stop();
    await start();
    expect((await client.listTools()).length).toBeGreaterThan(0);
  });

  test("gives up a call without giving up the others", async () => {
    const client = connect(url);
    const giving = new AbortController();
    const long = client.callTool("trigger-long-running-operation", { duration: 30 }, { signal: giving.signal });
    const others = Array.from({ length: 20 }, (_, n) => callText(client, "echo", { message: String(n) }));
    expect(await Promise.all(others)).toEqual(others.map((_, n) => `Echo: ${n}`));
    giving.abort();
    await expect(long).rejects.toMatchObject({ code: "aborted" });
    expect(await callText(client, "echo", { message: "on" })).toBe("Echo: on");
  });

  test("gets prompts, and completes their arguments by what was chosen before", async () => {
    const client = connect(url);
    const { messages } = await client.getPrompt("args-prompt", { city: "Berlin" });
    expect(JSON.stringify(messages)).toContain("Berlin");
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    expect(await client.complete({ ref, argument: { name: "department", value: "S" } })).toMatchObject({
      values: ["Sales", "Support"],
    });
    const context = { arguments: { department: "Sales" } };
    expect(await client.complete({ ref, argument: { name: "name", value: "E" }, context })).toMatchObject({
      values: ["Eve"],
    });
  });
});

describe("with our own Workers on workerd, the client", () => {
  const workers: RunningWorker[] = [];
  let board: string;
  let field: string;
  let lab: string;
  beforeAll(async () => {
    workers.push(await startWrangler("wrangler.toml", { vars: { STATE_KEY: "7c".repeat(32) } }));
    workers.push(await startWrangler("test/field/wrangler.toml"));
    board = `${workers[0]?.url}/mcp`;
    field = `${workers[1]?.url}/api/mcp`;
    lab = `${workers[1]?.url}/lab/mcp`;
  });
  afterAll(() => Promise.all(workers.map((worker) => worker.stop())));

  test("pins notes, counts them and sees them drawn", async () => {
    const client = connect(board);
    expect(await client.discover()).toMatchObject({ era: "modern", info: { name: "pinboard" } });
    expect(await client.listTools()).toHaveLength(7);
    await client.callTool("add_note", { board: "Köln", text: "two words" });
    expect(await callText(client, "search_notes", { board: "Köln" })).toContain("two words");
    const stats = await client.callTool("board_stats", { board: "Köln" });
    expect(stats).toMatchObject({ structuredContent: { notes: 1, words: 2 }, issues: [] });
    expect((await client.callTool("draw_board", { board: "Köln" })).content).toContainEqual(
      expect.objectContaining({ type: "image", mimeType: "image/png" }),
    );
    expect(await client.readResource("note://K%C3%B6ln/1")).toMatchObject({ contents: [{ text: "two words" }] });
  });

  test("sees progress, and stops what it gives up", async () => {
    const client = connect(board);
    const seen: number[] = [];
    const onProgress = ({ progress }: Progress): void => void seen.push(progress);
    await client.callTool("import_notes", { board: "in", notes: ["a", "b", "c"] }, { onProgress });
    expect(seen).toEqual([1, 2, 3]);
    const giving = new AbortController();
    const notes = Array.from({ length: 500 }, (_, index) => `note ${index}`);
    const options = { signal: giving.signal, onProgress: () => giving.abort() };
    const call = client.callTool("import_notes", { board: "given-up", notes }, options);
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });

  test("confirms a deletion, by a handler, and by hand in another client", async () => {
    const asking = connect(board, { input: accepting({ confirm: true }) });
    await asking.callTool("add_note", { board: "ask", text: "one" });
    await asking.callTool("add_note", { board: "ask", text: "two" });
    await asking.callTool("add_note", { board: "ask", text: "three" });
    expect(await callText(asking, "delete_note", { board: "ask", id: 1 })).toContain("Deleted note 1");
    const byHand = { capabilities: { elicitation: { form: {} } } };
    const pending = await connect(board, byHand).callTool("delete_note", { board: "ask", id: 2 }, { input: "manual" });
    if (!isPendingInput(pending)) throw new Error("It did not ask");
    const stored = JSON.parse(JSON.stringify(pending)) as typeof pending; // As over a reload.
    const answers = Object.fromEntries(
      Object.keys(stored.inputRequests).map((name) => [name, { action: "accept", content: { confirm: true } }]),
    );
    expect(textOf(await connect(board, byHand).resume(stored, answers))).toContain("Deleted note 2");
    await expect(connect(board).callTool("delete_note", { board: "ask", id: 3 })).rejects.toMatchObject({
      code: -32021,
    });
  });

  test("hears of what another client changes, wherever that is served", async () => {
    const client = connect(board);
    const ear = await listenTo(client, { resourcesListChanged: true, resourceSubscriptions: ["board://ears"] });
    await connect(board).callTool("add_note", { board: "ears", text: "one" });
    await expect.poll(() => ear.heard.toSorted(), POLLING).toEqual(["board://ears", "resourcesListChanged"]);
  });

  test("joins again after the server's end, when told to, and only then", async () => {
    const states: string[] = [];
    const onState = ({ phase }: { phase: string }): void => void states.push(phase);
    const client = connect(lab);
    const once = client.listen({ toolsListChanged: true });
    const heard: string[] = [];
    const on = client.listen(
      { toolsListChanged: true },
      { rejoinAfterEnd: true, onState, onEvent: ({ type }) => heard.push(type) },
    );
    for await (const event of once) expect(event).toBeUndefined(); // It ends within five seconds, without events.
    expect(once.state).toEqual({ phase: "ended", error: undefined });
    await expect.poll(() => heard, POLLING).toContain("resumed");
    await client.callTool("notify", { kind: "tools" });
    await expect.poll(() => heard, POLLING).toContain("toolsListChanged");
    expect(states.slice(0, 4)).toEqual(["connecting", "live", "waiting", "connecting"]);
    on.close();
  });

  test("mirrors arguments of every type that headers can hold, and nested ones", async () => {
    const args = { region: "日本 ", n: -9_007_199_254_740_991, b: false, opt: "", loc: { city: "=?base64?eA==?=" } };
    const client = connect(field);
    expect(await client.callTool("geo", args)).toMatchObject({ structuredContent: args });
    expect(await client.callTool("geo", { region: "eu", n: 0, b: true })).toMatchObject({
      structuredContent: { region: "eu", n: 0, b: true },
    });
  });

  test("asks a model, names its roots and answers what a resource asks", async () => {
    const client = connect(lab, { input: { ...HANDLERS, ...accepting({ text: "so" }) } });
    expect(await callText(client, "ask_model")).toBe("stub");
    expect(await callText(client, "ask_roots")).toBe("1");
    expect(await client.readResource("asks://why")).toMatchObject({ contents: [{ text: "asks://why: accept" }] });
  });

  test("reads bytes, lists in pages and completes", async () => {
    const { contents } = await connect(field).readResource("bin://blob");
    const blob = contents.map((part) => ("blob" in part ? part.blob.length : 0));
    expect(blob).toEqual([Math.ceil((128 * 1024) / 3) * 4]);
    const tools = await connect(lab).listTools();
    expect(tools.length).toBeGreaterThan(20);
    const completion = await connect(field).complete({
      ref: { type: "ref/resource", uri: "users://{name}" },
      argument: { name: "name", value: "user-1" },
    });
    expect(completion).toMatchObject({ total: 100, hasMore: false });
    expect(completion.values).toHaveLength(100);
  });

  test("is told of a failure in the server's words and no others", async () => {
    const failed = await connect(field).callTool("fail");
    expect(failed).toMatchObject({ isError: true });
    expect(JSON.stringify(failed)).not.toContain("secret");
    await expect(connect(field).callTool("nothing")).rejects.toMatchObject({ code: -32602 });
  });
});

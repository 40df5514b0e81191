/**
 * The wire section: what a person sees of requests, responses, streams and failures, and what they take away.
 *
 * The page is the real one; its client is called through a door that only these tests have, so that they need no other
 * section. Odd servers are played by this file.
 */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import type { Download, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { harFaults } from "../web/wire-har-faults.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

type Json = Record<string, unknown>;
type Answer = (message: Json, response: ServerResponse, request: IncomingMessage) => void;

const WEB = join(import.meta.dirname, "../../web");
const SECRET = "Zq7-very-secret-0123456789";

let running: RunningPage;
let script: string;
let peer: Server;
let peerUrl: string;
let answer: Answer;
let tab: Tab;
let page: Page;
/** Complaints of the browser that belong to the test: it notes by itself what a server refuses. */
let expected: RegExp | undefined;

beforeAll(async () => {
  peer = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
  peerUrl = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/mcp`; // It listens on a port, so it is no string.
  [script, running] = await Promise.all([bundled(), startPage({ peer: true })]);
});

afterAll(async () => {
  peer?.closeAllConnections();
  peer?.close();
  await running?.stop();
});

beforeEach(async () => {
  expected = undefined;
  tab = await openTab(running.browser, { permissions: ["clipboard-read", "clipboard-write"] });
  page = tab.page;
  await page.route(`${running.url}/app.js`, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints.filter((each) => expected?.test(each) !== true)).toEqual([]);
});

/** The page as it is, with a door to its parts. */
async function bundled(): Promise<string> {
  const main = await readFile(join(WEB, "main.ts"), "utf8");
  const contents = main.replace("startShell(app);", "$& Object.assign(globalThis, { app });");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: WEB, loader: "ts" },
    bundle: true,
    format: "esm",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
  response.setHeader("access-control-expose-headers", "mcp-session-id");
  if (request.method === "OPTIONS") return void response.end();
  const body = await text(request);
  answer(body === "" ? {} : (JSON.parse(body) as Json), response, request); // A client sends objects.
}

function respond(response: ServerResponse, { id }: Json, result: Json, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...("error" in result ? result : { result }) }));
}

function discovered(message: Json, response: ServerResponse): boolean {
  if (message["method"] !== "server/discover") return false;
  const capabilities = { tools: {} };
  respond(response, message, {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities,
    ttlMs: 0,
    cacheScope: "private",
  });
  return true;
}

/** Runs `client.…` in the page. What it ends with is seen on the wire, not here. */
async function client(call: string): Promise<void> {
  await page.evaluate(`app.current.value.client.${call}.then(() => undefined, () => undefined)`);
}

async function open(server?: string): Promise<void> {
  const at = `#/wire`;
  await page.goto(server === undefined ? `${running.url}/${at}` : withServer(running.url, server, at));
  await rows().first().waitFor();
}

const list = (): Locator => page.locator(".list");
const rows = (): Locator => list().getByRole("link");
const row = (name: string | RegExp): Locator => rows().filter({ hasText: name });
const detail = (): Locator => page.getByRole("article");
/** The line of a header, of whichever side. */
async function header(name: string): Promise<string> {
  const lines = (await detail().locator("pre").allInnerTexts()).join("\n").split("\n");
  return lines.find((line) => line.startsWith(`${name}: `)) ?? "";
}
const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
const titles = (): Promise<string[]> =>
  list()
    .locator("a .title")
    .evaluateAll((all) => all.map(({ textContent }) => textContent?.split(" ")[0] ?? ""));
const copied = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");

async function saved(name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), press(name)]);
  return contentOf(download);
}

async function contentOf(download: Download): Promise<string> {
  return readFile(await download.path(), "utf8");
}

describe("a request", () => {
  test("is there with its response, headers and time, and one goes back from it", async () => {
    await open();
    await row("server/discover").click();
    await page.getByRole("heading", { level: 2, name: "server/discover" }).waitFor();
    expect(await detail().getByRole("status").innerText()).toMatch(/^HTTP 200 (?:OK )?· complete · \d+ ms$/);
    expect(await header("mcp-method")).toBe("mcp-method: server/discover");
    expect(await header("mcp-protocol-version")).toBe("mcp-protocol-version: 2026-07-28");
    expect(await detail().locator("pre b").allInnerTexts()).toEqual(["mcp-method", "mcp-protocol-version"]);
    expect(await header("content-type")).toContain("application/json");
    expect(await detail().innerText()).toContain('"supportedVersions"');
    expect(await row("server/discover").getAttribute("aria-current")).toBe("page");
    await page.goBack();
    await page.getByText("Choose a request").waitFor();
  });

  test("of a tool: a header in Base64 is decoded, next to what went over the wire", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("search_notes", { board: "küche", query: "x" })`);
    await row(/search_notes/).click();
    await detail().waitFor();
    expect(await header("mcp-param-board")).toBe("mcp-param-board: =?base64?a8O8Y2hl?= = küche");
    expect(await header("mcp-name")).toBe("mcp-name: search_notes");
  });

  test("on a phone is shown in place of the list, without anything wider than the screen", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await open();
    await row("server/discover").click();
    await detail().waitFor();
    expect(await list().isVisible()).toBe(false);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await page.getByRole("main").getByRole("link", { name: "Wire" }).click();
    await row("server/discover").waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
  });

  test("that is not kept any more is said to be so", async () => {
    await open();
    await page.goto(`${page.url().split("#")[0]}#/wire/77`);
    await page.getByText("“77” is not there.").waitFor();
  });

  test("can be reached and left by keyboard, and a row keeps the focus while others come", async () => {
    await open();
    await row("server/discover").focus();
    await client(`listTools()`);
    await row("tools/list").waitFor();
    await row(/tools\/list[^]* ms$/).waitFor();
    expect(await page.locator(":focus").innerText()).toContain("server/discover");
    await page.keyboard.press("Enter");
    await detail().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("Copy as curl");
  });
});

describe("a stream", () => {
  test("shows each event with its time and what it is, while it comes", async () => {
    let goOn: (() => void) | undefined;
    answer = (message, response) => {
      if (discovered(message, response)) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (value: Json): void =>
        void response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...value })}\n\n`);
      send({ method: "notifications/progress", params: { progressToken: 1, progress: 1, message: "half way" } });
      send({ method: "notifications/message", params: { level: "info", data: "a line" } });
      response.write("event: other\ndata: no JSON\n\n");
      goOn = () => send({ id: message["id"], result: { resultType: "complete", content: [] } });
    };
    await open(peerUrl);
    await page.evaluate(`void app.current.value.client.callTool("slow", {})`);
    await row("slow").click();
    await detail().getByText("not JSON-RPC").waitFor();
    expect(await detail().getByRole("status").innerText()).toMatch(/· open$/);
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual(["progress", "message", "not JSON-RPC"]);
    await detail().locator("summary", { hasText: "progress" }).first().click();
    await detail().getByText('"half way"').waitFor();
    goOn?.();
    await detail().getByRole("status").getByText("closed").waitFor();
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual([
      "progress",
      "message",
      "not JSON-RPC",
      "response",
    ]);
    expect(
      await detail()
        .locator("summary", { has: page.locator(".chip") })
        .last()
        .innerText(),
    ).toMatch(/response \+\d+ ms/);
    // What was open stayed open.
    expect(await detail().getByText('"half way"').isVisible()).toBe(true);
  });

  test("that breaks off is shown as far as it came, and why", async () => {
    answer = (message, response) => {
      if (discovered(message, response)) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "last words" } })}\n\n`,
      );
      setTimeout(() => response.destroy(), 100);
    };
    expected = /ERR_INCOMPLETE_CHUNKED_ENCODING/;
    await open(peerUrl);
    await client(`callTool("x", {})`);
    await row(/tools\/call.*200 stream ended/s).click();
    expect(await detail().getByRole("status").innerText()).toContain("stream ended");
    await detail()
      .getByText(/^stream.ended$/)
      .waitFor();
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual(["message"]);
  });
});

describe("a failure", () => {
  test("of the protocol is explained by its code", async () => {
    answer = (message, response) =>
      void (
        discovered(message, response) ||
        respond(response, message, { error: { code: -32020, message: "Mcp-Name is wrong", data: { want: "y" } } }, 400)
      );
    expected = /400/;
    await open(peerUrl);
    await client(`callTool("x", {})`);
    const failed = row("tools/call").first();
    await failed.waitFor();
    expect(await failed.innerText()).toContain("400 -32020");
    await failed.click();
    await detail()
      .getByText(/^Header mismatch/)
      .waitFor();
    expect(await detail().innerText()).toContain("Mcp-Name is wrong");
    expect(await detail().innerText()).toContain("HTTP 400");
  });

  test("of HTTP alone, and of the connection, are told apart", async () => {
    answer = (message, response) => {
      if (discovered(message, response)) return;
      if (JSON.stringify(message).includes("gone")) return void response.destroy();
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
    };
    expected = /502|ERR_EMPTY_RESPONSE/;
    await open(peerUrl);
    await client(`callTool("bad", {})`);
    await row("bad").first().click();
    await detail()
      .getByText(/^http.error$/)
      .waitFor();
    await detail().getByText("<h1>Bad gateway</h1>").waitFor();
    await client(`callTool("gone", {})`);
    await row("gone").first().click();
    await detail().getByText("or does not allow this page (CORS)").waitFor();
    expect(await detail().getByRole("status").innerText()).toMatch(/^connection failed/);
  });
});

describe("what belongs together", () => {
  test("the rounds of a call that asks are one, each request with its response", async () => {
    const board = `wire ${Date.now()}`;
    await open();
    await client(`callTool("add_note", { board: ${JSON.stringify(board)}, text: "a" })`);
    const call = `callTool("delete_note", { board: ${JSON.stringify(board)}, id: 1 }, { input: "manual" })`;
    const resume = `app.current.value.client.resume(pending, Object.fromEntries(Object.keys(pending.inputRequests).map((key) => [key, { action: "decline" }])))`;
    await client(`${call}.then((pending) => ${resume})`);
    await row(/delete_note[^]*2 requests/).click();
    await detail().locator("summary > .chip", { hasText: "response" }).waitFor();
    expect(await detail().getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
      expect.stringMatching(/^#\d+ POST .*\/mcp$/),
      expect.stringMatching(/^#\d+ POST .*\/mcp$/),
    ]);
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual(["input required", "response"]);
    expect(await row("delete_note").count()).toBe(1);
    // The number of any of them leads to all.
    const [, second = ""] = await detail().getByRole("heading", { level: 3 }).allInnerTexts();
    await page.goto(`${page.url().split("#")[0]}#/wire/${/\d+/.exec(second)?.[0]}`);
    await detail().getByText("input required").waitFor();
  });
});

test("a question that an older server asks is shown with its answer, in the call that they belong to", async () => {
  let finish: (() => void) | undefined;
  answer = (message, response, request) => {
    const { id, method } = message;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (method === "server/discover") return respond(response, message, { error: { code: -32601, message: "?" } }, 400);
    if (method === "initialize") {
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      };
      return respond(response, message, result);
    }
    if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"jsonrpc":"2.0","id":"q1","method":"ping"}\n\n');
      finish = () => response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`);
      return;
    }
    response.writeHead(202).end();
    if (id === "q1") finish?.();
  };
  expected = /40[05]/;
  await open(peerUrl);
  await row("notifications/initialized").waitFor();
  await client(`callTool("asks", {})`);
  await row("asks").click();
  await detail().locator("summary > .chip", { hasText: "request ping" }).waitFor();
  // The answer went in a request of its own.
  await expect.poll(() => detail().getByRole("heading", { level: 3 }).count()).toBe(2);
  await detail().getByText("HTTP 202").waitFor();
  await row(/asks[^]*2 requests/).waitFor();
});

describe("the list", () => {
  test("can be filtered by what is in it, and cleared", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("board_stats", { board: "nowhere at all" })`);
    await client(`getPrompt("no such prompt")`);
    await row("prompts/get").waitFor();
    const all = await titles();
    expect(all).toEqual(expect.arrayContaining(["prompts/get", "tools/call", "tools/list", "server/discover"]));
    const filter = page.getByRole("searchbox", { name: "Search wire" });
    await filter.fill("NOWHERE at");
    expect(await titles()).toEqual(["tools/call"]);
    await filter.fill("no exchange has this");
    await page.getByText("Nothing matches.").waitFor();
    await filter.fill("tools/list");
    expect(new Set(await titles())).toEqual(new Set(["tools/list"]));
    await filter.fill("-32602");
    expect(await titles()).toEqual(["prompts/get"]);
    await filter.fill("");
    await press("Clear");
    await page.getByText("Nothing was sent yet.").waitFor();
    expected = /404|400/;
  });

  test("stays within bounds after 1,000 quick requests, and the page goes on", async () => {
    answer = (message, response) =>
      void (discovered(message, response) || respond(response, message, { resultType: "complete", content: [] }));
    await open(peerUrl);
    await page.evaluate(`(async () => {
      const { client } = app.current.value;
      for (let n = 0; n < 100; n++) await Promise.all(Array.from({ length: 10 }, () => client.callTool("quick", {})));
    })()`);
    await row("#1001").waitFor();
    await expect.poll(() => rows().count()).toBe(300);
    await rows().first().click();
    await detail().getByText("mcp-method").first().waitFor();
  });
});

describe("to take away", () => {
  test("one exchange as a command, all of them as files that others can read", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("import_notes", { board: "wire import", notes: ["a", "b"] })`);
    await row("import_notes").first().click();
    await press("Copy as curl");
    expect(await copied()).toMatch(
      /^curl -gN -X POST '.*\/mcp' \\\n {2}-H [^]*-H 'mcp-name: import_notes'[^]*--data-raw '\{"jsonrpc":"2.0"/,
    );
    const har: unknown = JSON.parse(await saved("Save HAR"));
    expect(harFaults(har)).toEqual([]);
    expect(har).toMatchObject({
      log: { version: "1.2", entries: expect.arrayContaining([expect.objectContaining({ time: expect.any(Number) })]) },
    });
    const lines = (await saved("Save JSONL"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Json); // Lines of this page's.
    const sent = lines
      .filter(({ direction }) => direction === "sent")
      .map(({ message }) => (message as Json)["method"]);
    expect(sent).toEqual(expect.arrayContaining(["server/discover", "tools/list", "tools/call"]));
    expect(lines.every(({ time, exchange }) => typeof time === "string" && typeof exchange === "number")).toBe(true);
  });

  test("secrets are in nothing of it: not on the page, in files, copies or what the browser keeps", async () => {
    answer = (message, response) =>
      void (
        discovered(message, response) ||
        respond(response, message, { resultType: "complete", content: [], structuredContent: { access_token: SECRET } })
      );
    await open(peerUrl);
    const headers = { Authorization: `Bearer ${SECRET}`, "X-Api-Key": SECRET };
    await page.evaluate(`app.open(${JSON.stringify({ url: `${peerUrl}?token=${SECRET}`, headers })}) && undefined`);
    await row("server/discover").first().waitFor();
    await client(`callTool("x", { password: "${SECRET}" })`);
    await row("tools/call").first().click();
    expect(await header("authorization")).toBe("authorization: Bearer •••• (26 characters)");
    expect(await header("x-api-key")).toContain("••••");
    await press("Copy as curl");
    const texts = [await copied()];
    texts.push(await saved("Save HAR"), await saved("Save JSONL"));
    texts.push(await page.getByRole("main").evaluate((main) => main.outerHTML));
    texts.push(await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"));
    for (const each of texts) expect(each).not.toContain(SECRET);
    expect(texts[0]).toContain("authorization: Bearer ••••");
  });
});

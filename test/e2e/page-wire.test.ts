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
const header = (name: string): Locator =>
  detail().locator("dl > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}: $`) }) });
const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
const titles = (): Promise<string[]> =>
  list()
    .locator("a:visible .title")
    .evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent ?? ""));
const copied = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");

async function saved(name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), press(name)]);
  return contentOf(download);
}

async function contentOf(download: Download): Promise<string> {
  return readFile(await download.path(), "utf8");
}

describe("a request", () => {
  test("is there with its response, headers, times and what agrees, and one goes back from it", async () => {
    await open();
    await row("server/discover").click();
    await page.getByRole("heading", { level: 2, name: "server/discover" }).waitFor();
    expect(await detail().getByRole("status").innerText()).toBe("complete");
    expect(await detail().innerText()).toMatch(
      /JSON · [\d.]+ k?B?.*headers after \d+ ms · first byte after \d+ ms · end after \d+ ms/,
    );
    expect(await header("mcp-method").innerText()).toMatch(/server\/discover\s+as in the body/);
    expect(await header("mcp-protocol-version").innerText()).toMatch(/2026-07-28\s+as in the body/);
    expect(await detail().innerText()).toContain("HTTP 200");
    expect(await detail().innerText()).toContain('"supportedVersions"');
    expect(await row("server/discover").getAttribute("aria-current")).toBe("page");
    await page.goBack();
    await page.getByText("Choose an exchange").waitFor();
  });

  test("of a tool: a header in Base64 is decoded, next to what went over the wire", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("search_notes", { board: "küche", query: "x" })`);
    await row(/search_notes/).click();
    const board = await header("mcp-param-board").innerText();
    expect(board).toContain("=?base64?a8O8Y2hl?=");
    expect(board).toMatch(/= küche\s+as in the body/);
    expect(await header("mcp-name").innerText()).toContain("search_notes");
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
    await page.getByText("Exchange 77 is not kept").waitFor();
  });

  test("can be reached and left by keyboard, and a row keeps the focus while others come", async () => {
    await open();
    await row("server/discover").focus();
    await client(`listTools()`);
    await row("tools/list").waitFor();
    expect(await row("server/discover").evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
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
    expect(await detail().getByRole("status").innerText()).toBe("open");
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual(["progress", "log", "not JSON-RPC"]);
    await detail().locator("summary", { hasText: "progress" }).first().click();
    await detail().getByText('"half way"').waitFor();
    goOn?.();
    await detail().getByRole("status").getByText("answered, then closed").waitFor();
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual([
      "progress",
      "log",
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
    expect(await row("slow").innerText()).toContain("SSE, 4 events");
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
    await row(/tools\/call.*broke off/s).click();
    expect(await detail().getByRole("status").innerText()).toBe("broke off");
    await detail()
      .getByText(/^stream.ended$/)
      .waitFor();
    expect(await detail().locator("summary > .chip").allInnerTexts()).toEqual(["log"]);
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
    expect(await failed.innerText()).toContain("400 error -32020");
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
    expect(await detail().getByRole("status").innerText()).toBe("failed");
  });
});

describe("what belongs together", () => {
  test("the rounds of a call that asks are one group, and name each other", async () => {
    const board = `wire ${Date.now()}`;
    await open();
    await client(`callTool("add_note", { board: ${JSON.stringify(board)}, text: "a" })`);
    const call = `callTool("delete_note", { board: ${JSON.stringify(board)}, id: 1 }, { input: "manual" })`;
    const resume = `app.current.value.client.resume(pending, Object.fromEntries(Object.keys(pending.inputRequests).map((key) => [key, { action: "decline" }])))`;
    await client(`${call}.then((pending) => ${resume})`);
    const group = list()
      .getByRole("listitem")
      .filter({ has: page.getByRole("list", { name: "Further rounds" }) });
    await group.waitFor();
    const [first, second] = await group.getByRole("link").allInnerTexts();
    expect(first).toMatch(/tools\/call delete_note[^]*round 1/);
    expect(second).toMatch(/tools\/call delete_note[^]*round 2/);
    await group.getByRole("link").first().click();
    await detail().locator("summary > .chip", { hasText: "input required" }).waitFor();
    await group.getByRole("link").last().click();
    await detail()
      .getByRole("link", { name: /^Round 2 of the call that began in #\d+$/ })
      .click();
    await detail().getByText("input required").first().waitFor();
  });
});

test("a question that an older server asks is shown with its answer, each naming the other", async () => {
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
  await detail()
    .getByRole("link", { name: /^ping was answered in #\d+$/ })
    .click();
  await page.getByRole("heading", { level: 2, name: "response to ping" }).waitFor();
  await detail()
    .getByRole("link", { name: /^ping was asked in #\d+$/ })
    .click();
  await page.getByRole("heading", { level: 2, name: "tools/call asks" }).waitFor();
});

describe("the list", () => {
  test("can be filtered by text, by method and to errors, paused and cleared", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("board_stats", { board: "nowhere at all" })`);
    await client(`getPrompt("no such prompt")`);
    await row("prompts/get").waitFor();
    const all = await titles();
    expect(all).toEqual(expect.arrayContaining(["prompts/get", "tools/call", "tools/list", "server/discover"]));
    await page.getByLabel("Filter").fill("NOWHERE at");
    expect(await titles()).toEqual(["tools/call"]);
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByLabel("Filter").fill("no exchange has this");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByLabel("Filter").fill("");
    await page.getByLabel("Kind").selectOption("tools/list");
    expect(new Set(await titles())).toEqual(new Set(["tools/list"]));
    await page.getByLabel("Kind").selectOption("Errors only");
    expect(await titles()).toContain("prompts/get");
    expect(await titles()).not.toContain("tools/list");
    await page.getByLabel("Kind").selectOption("All kinds");
    await press("Pause");
    expect(await page.getByRole("button", { name: "Pause" }).getAttribute("aria-pressed")).toBe("true");
    await client(`callTool("board_stats", { board: "while paused" })`);
    await press("Pause");
    await client(`callTool("board_stats", { board: "afterwards" })`);
    await page.getByLabel("Filter").fill("afterwards");
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByLabel("Filter").fill("while paused");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByLabel("Filter").fill("");
    await press("Clear");
    await page.getByText("Nothing was sent yet.").waitFor();
    await press("Save HAR");
    await page.getByText("There is nothing to save.").waitFor();
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
    await page.getByText("300 kept").waitFor();
    expect(await rows().count()).toBe(300);
    await rows().first().click();
    await detail().getByText("as in the body").first().waitFor();
  });
});

describe("to take away", () => {
  test("one exchange as a command and as it was, all of them as files that others can read", async () => {
    await open();
    await client(`listTools()`);
    await client(`callTool("import_notes", { board: "wire import", notes: ["a", "b"] })`);
    await row("import_notes").first().click();
    await press("Copy as curl");
    expect(await copied()).toMatch(
      /^curl -N -X POST '.*\/mcp' \\\n {2}-H [^]*-H 'mcp-name: import_notes'[^]*--data-raw '\{"jsonrpc":"2.0"/,
    );
    await press("Copy raw");
    expect(await copied()).toMatch(/^POST http[^]*\n\n\{[^]*HTTP 200/);
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
    await page.getByLabel("Filter").fill("import_notes");
    await page.getByLabel("Kind").selectOption("tools/call");
    expect((JSON.parse(await saved("Save HAR")) as { log: { entries: unknown[] } }).log.entries.length).toBe(1);
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
    expect((await header("authorization").innerText()).trim()).toBe("authorization: Bearer •••• (26 characters)");
    expect(await header("x-api-key").innerText()).toContain("••••");
    await press("Copy as curl");
    const texts = [await copied()];
    await press("Copy raw");
    texts.push(await copied(), await saved("Save HAR"), await saved("Save JSONL"));
    texts.push(await page.getByRole("main").evaluate((main) => main.outerHTML));
    texts.push(await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"));
    for (const each of texts) expect(each).not.toContain(SECRET);
    expect(texts[0]).toContain("authorization: Bearer ••••");
  });
});

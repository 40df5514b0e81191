/**
 * The client in Chromium, in a page whose Content-Security-Policy lets nothing in, talking to a server of another origin.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { McpClient } from "../../src/client.ts";
import type { FetchHandler } from "../../src/core.ts";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import { BEHAVIOUR } from "../client/behaviour.ts";
import { behaviourServer } from "../client/behaviour-server.ts";
import { STORE_CASES } from "../client/store-contract.ts";
import { launchChromium } from "./chromium.ts";

/** Tells an end from a hang. */
const POLLING = { timeout: 60_000 };
const PAGE = join(import.meta.dirname, "../client-page");

let pages: Server;
let pageUrl: string;
let handler: FetchHandler;
let mcp: RunningServer;
let browser: Browser;
let context: BrowserContext;
let tab: Page;
/** Console errors and uncaught exceptions. */
let complaints: string[];

beforeAll(async () => {
  pages = createServer();
  pages.listen(0, "127.0.0.1");
  await once(pages, "listening");
  pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`; // A string only for pipes.
  handler = behaviourServer({ allowedOrigins: [pageUrl] });
  mcp = await serve(handler);
  const [app, html] = await Promise.all([bundled(), readFile(join(PAGE, "index.html"))]);
  const files = new Map([
    ["/", { type: "text/html", body: html }],
    ["/app.js", { type: "text/javascript", body: app }],
  ]);
  pages.on("request", ({ url = "" }, outgoing) => {
    const file = files.get(url);
    const policy = `default-src 'self'; connect-src ${mcp.url}`;
    if (file === undefined) outgoing.writeHead(204).end();
    else outgoing.writeHead(200, { "content-type": file.type, "content-security-policy": policy }).end(file.body);
  });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await mcp?.close();
  pages?.closeAllConnections();
  pages?.close();
});

beforeEach(async () => {
  complaints = [];
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  tab = await context.newPage();
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  tab.on("pageerror", (error) => complaints.push(error.message));
  await load();
});

afterEach(async () => {
  await context.close();
});

async function bundled(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGE, "page.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: ["chrome120", "firefox121", "safari17.4"],
    logLevel: "silent",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

async function load(): Promise<void> {
  await tab.goto(pageUrl); // Module scripts have run by the time of "load".
}

/** Runs one of the commands in test/client-page/page.ts. */
function run(...command: readonly string[]): Promise<unknown> {
  return tab.evaluate(`clientPage.run(...${JSON.stringify(command)})`);
}

const violations = (): Promise<unknown> => tab.evaluate("clientPage.violations");

describe("in a page, the client", () => {
  test.each(BEHAVIOUR)("$title", async ({ title }) => {
    await run("behaviour", title, `${mcp.url}/mcp`);
    expect(await violations()).toEqual([]);
  });

  test("keeps results over a reload, private ones for their owner alone", async () => {
    const url = `${mcp.url}/mcp`;
    expect(await run("useCache", url, "alice")).toBe(4);
    expect(await run("useCache", url, "alice")).toBe(0);
    await load();
    expect(await run("useCache", url, "alice")).toBe(0);
    expect(await run("useCache", url, "bob")).toBe(1);
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("goes on after a reload with what was asked before it", async () => {
    const url = `${mcp.url}/mcp`;
    await run("ask", url);
    await load();
    expect(await run("answer", url, "Grace")).toBe("Hello Grace");
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("listens on after the server was away, and says that it was", async () => {
    const url = `${mcp.url}/mcp`;
    const touch = () => new McpClient(url, { info: { name: "other", version: "1.0.0" } }).callTool("touch");
    await run("listen", url);
    await touch();
    await expect.poll(() => run("heard"), POLLING).toBe("toolsListChanged");
    await mcp.close();
    mcp = await serve(handler, { port: Number(new URL(url).port) });
    await expect.poll(() => run("heard"), POLLING).toBe("toolsListChanged,resumed");
    await touch();
    await expect.poll(() => run("heard"), POLLING).toBe("toolsListChanged,resumed,toolsListChanged");
    expect(await violations()).toEqual([]);
  });

  test("shares what is kept with other tabs", async () => {
    const url = `${mcp.url}/mcp`;
    expect(await run("useCache", url, "alice")).toBe(4);
    tab = await context.newPage();
    await load();
    expect(await run("useCache", url, "alice")).toBe(0);
  });
});

describe("a store in IndexedDB", () => {
  test.each(STORE_CASES)("$title", async ({ title }) => {
    await run("store", title);
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

test("the page's policy is in force, and what breaks it is noticed", async () => {
  expect(await run("generateCode")).toBe("EvalError");
  await expect.poll(violations).toEqual(["script-src eval"]);
});

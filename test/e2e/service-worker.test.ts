/** The core in a service worker, under a policy that forbids code generation: a server inside the page's own browser. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../kit/source-files.ts";
import { launchChromium } from "./chromium.ts";

const WORKER = `
  import { createFetchHandler, McpServer } from "./src/core.ts";
  import { interpreterEngine } from "./src/schema/interpreter.ts";
  const server = new McpServer({ name: "in-browser", version: "1.0.0" }, { schemas: interpreterEngine() });
  const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  server.tool("greet", { inputSchema }, async ({ name }, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return "Hello, " + name + "!";
  });
  const handler = createFetchHandler(server);
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("fetch", (event) => {
    if (new URL(event.request.url).pathname === "/mcp") event.respondWith(handler.fetch(event.request));
  });
`;

const CALL = `(async () => {
  const { serviceWorker } = navigator;
  await serviceWorker.register("/worker.js");
  if (!serviceWorker.controller) await new Promise((done) => serviceWorker.addEventListener("controllerchange", done));
  const meta = {
    progressToken: 0,
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const reply = await fetch("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "greet",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "tools/call",
      params: { name: "greet", arguments: { name: "Ada" }, _meta: meta },
    }),
  });
  return reply.text();
})()`;

let server: Server | undefined;
let browser: Browser | undefined;
let url = "";

beforeAll(async () => {
  const stdin = { contents: WORKER, resolveDir: ROOT, loader: "ts" as const };
  const { outputFiles } = await build({ stdin, bundle: true, format: "iife", write: false });
  const script = outputFiles[0]?.text ?? "";
  server = createServer((request, response) => {
    const isWorker = request.url === "/worker.js";
    response.setHeader("content-security-policy", "default-src 'self'");
    response.setHeader("content-type", isWorker ? "text/javascript" : "text/html");
    response.end(isWorker ? script : "<!doctype html><title>page</title>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A string only for pipes.
  url = `http://127.0.0.1:${port}/`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

it("serves a page of its own browser, with progress in a stream", async () => {
  const page = await browser?.newPage();
  await page?.goto(url);
  const events = String(await page?.evaluate(CALL))
    .trim()
    .split("\n\n");
  expect(events.map((event): unknown => JSON.parse(event.replace(/^data: /, "")))).toMatchObject([
    { method: "notifications/progress", params: { progressToken: 0, progress: 1 } },
    { id: 0, result: { content: [{ type: "text", text: "Hello, Ada!" }] } },
  ]);
});

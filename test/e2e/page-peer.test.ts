/**
 * The page against servers of every kind, friendly and not: what it makes of schemas, and what it does with replies that it
 * must not trust. The page and its peer are both answered from here, so each test decides what comes over the wire.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";

const ORIGIN = "http://page.test";
const DIST = join(import.meta.dirname, "../../dist/web");
const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

type Json = Record<string, unknown>;
/** What the peer answers a `tools/call` with: the body, and the media type when it is not JSON. */
type CallAnswer = (params: Json, request: Request) => { body: unknown; type?: string; status?: number };

let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  await import("../../web/build.ts");
  browser = await launchChromium();
});

afterAll(() => browser?.close());

beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(10_000);
  page = await context.newPage();
  complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

/** Serves the page and one tool, and opens it. @returns the params of each call, as they come */
async function open(tool: Json, answer: CallAnswer = () => ({ body: text("ok") })): Promise<Json[]> {
  const calls: Json[] = [];
  const policy = /Content-Security-Policy: (.*)/.exec(await readFile(join(DIST, "_headers"), "utf8"))?.[1] ?? "";
  await page.route(`${ORIGIN}/**`, async (route, request) => {
    const path = new URL(request.url()).pathname;
    if (path !== "/mcp") {
      const name = path === "/" ? "index.html" : path.slice(1);
      const headers = { "content-type": TYPES[name.split(".").at(-1) ?? ""] ?? "", "content-security-policy": policy };
      return route.fulfill({ body: await readFile(join(DIST, name)), headers });
    }
    const { id, method, params } = request.postDataJSON() as { id: number; method: string; params: Json };
    const respond = (result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result });
    if (method === "server/discover") {
      const info = { name: "peer", version: "1", icons: [{ src: "https://elsewhere.test/i.png" }] };
      return route.fulfill({
        contentType: "application/json",
        body: respond({ _meta: { "io.modelcontextprotocol/serverInfo": info } }),
      });
    }
    if (method === "tools/list")
      return route.fulfill({ contentType: "application/json", body: respond({ tools: [tool] }) });
    calls.push(params);
    const { body, type = "application/json", status = 200 } = answer(params, request);
    return route.fulfill({
      status,
      contentType: type,
      body: typeof body === "string" ? body.replaceAll("@id", String(id)) : respond(body),
    });
  });
  await page.goto(`${ORIGIN}/#/t`);
  await page.locator(".tool-head code").waitFor();
  return calls;
}

function text(line: string): Json {
  return { content: [{ type: "text", text: line }] };
}

async function call(): Promise<void> {
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.locator(".run:not([data-tone=running]):not([data-tone=idle])").waitFor();
}

const state = (): Promise<string> => page.getByRole("status").innerText();
const result = (): Promise<string> => page.locator(".result").innerText();

/** A question that sends the person to a page. */
function asked(url: string): Json {
  return { method: "elicitation/create", params: { mode: "url", message: "Sign in", url } };
}

describe("forms", () => {
  test("every kind of field ends up in the arguments as what the schema calls for", async () => {
    const calls = await open({
      name: "t",
      inputSchema: {
        type: "object",
        required: ["name", "sure", "point"],
        properties: {
          name: { type: "string" },
          n: { type: "integer", minimum: 1 },
          x: { type: ["number", "null"] },
          sure: { type: "boolean" },
          maybe: { type: "boolean" },
          size: { enum: [1, 2, "big", null] },
          pick: {
            oneOf: [
              { const: "a", title: "Option A" },
              { const: "b", title: "Option B" },
            ],
          },
          tags: { type: "array", items: { type: "string" } },
          days: { type: "array", items: { type: "string", enum: ["mon", "tue", "wed"] } },
          point: {
            type: "object",
            properties: { lat: { type: "number" }, label: { type: "string", default: "here" } },
          },
          extra: { type: "object", properties: { a: { type: "string" } } },
          raw: { type: "array", items: { type: "number" } },
        },
      },
    });
    await page.getByLabel(/^name/).fill("Ada\nLovelace");
    await page.getByLabel(/^n\s/).fill("3");
    await page.getByLabel(/^x\s/).fill("-0.5");
    await page.getByLabel(/^sure/).check();
    await page.getByLabel(/^maybe/).selectOption({ label: "No" });
    await page.getByLabel(/^size/).selectOption({ label: "2" });
    await page.getByLabel(/^pick/).selectOption({ label: "Option B" });
    await page.getByLabel("tags, entry 1").fill("red");
    await page.keyboard.press("Enter");
    await page.keyboard.type("green");
    await page.getByRole("button", { name: "Add an entry" }).click();
    await page.keyboard.type("gone");
    await page.getByRole("button", { name: "Remove this entry" }).last().click();
    await page.getByLabel("mon").check();
    await page.getByLabel("wed").check();
    await page.getByLabel(/^lat/).fill("47.5");
    await page.getByLabel(/^raw/).fill("[1, 2.5]");
    await call();
    expect(calls[0]?.["arguments"]).toEqual({
      name: "Ada\nLovelace",
      n: 3,
      x: -0.5,
      sure: true,
      maybe: false,
      size: 2,
      pick: "b",
      tags: ["red", "green"],
      days: ["mon", "wed"],
      point: { lat: 47.5, label: "here" },
      raw: [1, 2.5],
    });
  });

  test("defaults are filled in, and optional fields that stay empty are left out", async () => {
    const calls = await open({
      name: "t",
      inputSchema: {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "string", default: "x" },
          c: { type: "integer" },
          d: { type: "boolean", default: true },
          e: { enum: ["p", "q"], default: "q" },
          f: { type: "array", items: { type: "string" } },
          g: {
            type: "object",
            properties: { h: { type: "string" }, i: { type: "integer", default: 1 } },
            required: ["h"],
          },
        },
      },
    });
    await call();
    expect(calls[0]?.["arguments"]).toEqual({ b: "x", d: true, e: "q" });
  });

  test("a schema beyond fields gets a box for JSON, which insists on an object", async () => {
    const calls = await open({
      name: "t",
      inputSchema: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: {}, b: {} } },
    });
    const box = page.getByLabel(/^Arguments/);
    for (const wrong of ["[1]", "{", "5"]) {
      await box.fill(wrong);
      await page.getByRole("button", { name: "Call", exact: true }).click();
      expect(await page.locator("textarea:invalid").count()).toBe(1);
    }
    await box.fill('{"a": [1], "__proto__": 1}');
    await call();
    expect(calls).toHaveLength(1);
    expect(Object.keys(calls[0]?.["arguments"] as Json)).toEqual(["a", "__proto__"]);
  });

  test("properties named like members of Object stay what they are", async () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') as Json;
    const calls = await open({ name: "t", inputSchema: { type: "object", properties } });
    await page.getByLabel(/^__proto__/).fill("a");
    await page.getByLabel(/^constructor/).fill("b");
    await call();
    expect(JSON.stringify(calls[0]?.["arguments"])).toBe('{"__proto__":"a","constructor":"b"}');
  });

  test("nested, mirrored arguments go into headers, and absent ones do not", async () => {
    let headers: Record<string, string> = {};
    await open(
      {
        name: "grüße",
        inputSchema: {
          type: "object",
          properties: {
            loc: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
            n: { type: "integer", "x-mcp-header": "N" },
            b: { type: "boolean", "x-mcp-header": "B" },
          },
        },
      },
      (_params, request) => {
        headers = request.headers();
        return { body: text("ok") };
      },
    );
    await page.getByLabel(/^city/).fill("Zürich");
    await page.getByLabel(/^n\s/).fill("7");
    await call();
    expect(headers["mcp-name"]).toBe("=?base64?Z3LDvMOfZQ==?=");
    expect(headers["mcp-param-city"]).toBe("=?base64?WsO8cmljaA==?=");
    expect(headers["mcp-param-n"]).toBe("7");
    expect(headers).not.toHaveProperty("mcp-param-b");
  });

  test("a tool that breaks the rules for mirrored arguments is shown, but cannot be called", async () => {
    await open({
      name: "t",
      inputSchema: { type: "object", properties: { x: { type: "number", "x-mcp-header": "X" } } },
    });
    expect(await page.locator(".tool .failure").innerText()).toContain("x-mcp-header");
    expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /unusable/ }).count()).toBe(1);
  });
});

describe("replies that are not to be trusted", () => {
  test("links lead to http and https only, images come from image blocks only, nothing is fetched from elsewhere", async () => {
    const foreign: string[] = [];
    page.on(
      "request",
      (request) =>
        !request.url().startsWith(ORIGIN) && !request.url().startsWith("data:") && foreign.push(request.url()),
    );
    await open({ name: "t", icons: [{ src: "https://elsewhere.test/t.png" }] }, () => ({
      body: {
        content: [
          { type: "resource_link", uri: "javascript:alert(1)", name: "script" },
          {
            type: "resource_link",
            uri: "https://example.test/a",
            name: "page",
            icons: [{ src: "https://elsewhere.test/l.png" }],
          },
          { type: "image", mimeType: "text/html", data: "PGI+" },
          { type: "image", mimeType: "image/png", data: '"><script>' },
          {
            type: "image",
            mimeType: "image/svg+xml",
            data: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
          },
          { type: "resource", resource: { uri: "data:text/html,x", text: "<b>bold</b>" } },
          { type: "holo", data: 1 },
        ],
      },
    }));
    await call();
    expect(await page.locator(".result a").count()).toBe(1);
    expect(await page.locator(".result a").getAttribute("href")).toBe("https://example.test/a");
    expect(await page.locator(".result img").count()).toBe(1);
    expect(await result()).toContain("<b>bold</b>");
    expect(await result()).toContain('"holo"');
    expect(foreign).toEqual([]);
  });

  test.each([
    ["an unknown kind of result", { resultType: "partial", content: [] }, "unknown type"],
    ["HTML", "<h1>hi</h1>", "not a JSON-RPC response"],
    ["JSON that is no response", "[]", "not a JSON-RPC response"],
  ])("%s is not taken for success", async (_name, body, reason) => {
    await open({ name: "t" }, () => ({
      body,
      ...(typeof body === "string" && body.startsWith("<") && { type: "text/html" }),
    }));
    await call();
    expect(await state()).toBe("No answer");
    expect(await result()).toContain(reason);
  });

  test("a stream that ends without the response is said to have done so", async () => {
    await open({ name: "t" }, () => ({ body: ": hello\n\ndata: {\n\n", type: "text/event-stream" }));
    await call();
    expect(await result()).toContain("the stream ended before the response came");
  });

  test("a response in a stream counts only under its own id, whatever surrounds it", async () => {
    const frames = [
      'data: {"jsonrpc":"2.0","id":"@id","result":{"content":[{"type":"text","text":"forged"}]}}',
      "data: not json",
      'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":1}}',
      'event: message\rdata: {"jsonrpc":"2.0","id":@id,\rdata: "result":{"content":[{"type":"text","text":"genuine"}]}}',
    ];
    await open({ name: "t" }, () => ({
      body: `\ufeff${frames.join("\n\n")}\n\n`,
      type: "Text/Event-Stream; charset=utf-8",
    }));
    await call();
    expect(await result()).toBe("genuine");
  });

  test("protocol errors are shown by code and name, with their data", async () => {
    const error =
      '{"jsonrpc":"2.0","id":@id,"error":{"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{}}}}}';
    await open({ name: "t" }, () => ({ body: error, status: 400 }));
    await call();
    expect(await state()).toBe("Error -32021");
    expect(await result()).toContain("Missing client capability");
    expect(await result()).toContain('"sampling"');
    complaints = complaints.filter((line) => !line.includes("400")); // The browser's own note of the answer.
  });

  test("questions this page cannot ask end the call instead of being answered wrongly", async () => {
    const calls = await open({ name: "t" }, () => ({
      body: { resultType: "input_required", inputRequests: { m: { method: "sampling/createMessage", params: {} } } },
    }));
    await call();
    expect(await state()).toBe("No answer");
    expect(calls).toHaveLength(1);
  });
});

describe("questions", () => {
  test("a form of every kind of field is answered, and the state goes back as it came", async () => {
    const requestedSchema = {
      type: "object",
      required: ["mail"],
      properties: {
        mail: { type: "string", format: "email" },
        level: { type: "string", oneOf: [{ const: "hi", title: "High" }] },
        days: {
          type: "array",
          items: {
            anyOf: [
              { const: "m", title: "Monday" },
              { const: "t", title: "Tuesday" },
            ],
          },
        },
        score: { type: "number", maximum: 1 },
      },
    };
    const question = { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } };
    const calls = await open({ name: "t" }, ({ inputResponses }) => ({
      body: inputResponses
        ? text("thanks")
        : { resultType: "input_required", inputRequests: { who: question }, requestState: "s\u0000é" },
    }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^mail/).fill("not an address");
    await dialog.getByRole("button", { name: "Send" }).click();
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel(/^mail/).fill("a@b.example");
    await dialog.getByLabel(/^level/).selectOption({ label: "High" });
    await dialog.getByLabel("Tuesday").check();
    await dialog.getByLabel(/^score/).fill("0.25");
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").getByText("Done").waitFor();
    expect(calls[1]).toMatchObject({
      inputResponses: {
        who: { action: "accept", content: { mail: "a@b.example", level: "hi", days: ["t"], score: 0.25 } },
      },
      requestState: "s\u0000é",
    });
  });

  test("a page to visit is shown with its whole address, unless it is none to open", async () => {
    const urls = ["https://login.test/path?x=1", "javascript:alert(1)"];
    await open({ name: "t" }, ({ inputResponses }) => ({
      body: inputResponses
        ? text("in")
        : { resultType: "input_required", inputRequests: { a: asked(urls[0] ?? ""), b: asked(urls[1] ?? "") } },
    }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("link").getAttribute("href")).toBe(urls[0]);
    await dialog.getByRole("button", { name: "I have done it" }).click();
    await dialog.getByText("no address that is safe to open").waitFor();
    expect(await dialog.getByRole("link").count()).toBe(0);
    await dialog.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("status").getByText("Done").waitFor();
  });

  test("a result with state alone is retried at once", async () => {
    const calls = await open({ name: "t" }, ({ requestState }) => ({
      body: requestState === undefined ? { resultType: "input_required", requestState: "more" } : text("done"),
    }));
    await call();
    expect(await result()).toBe("done");
    expect(calls[1]?.["requestState"]).toBe("more");
  });
});

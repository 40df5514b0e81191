/**
 * Servers: who one is, the way to others, what is remembered, and what is said when it fails.
 */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Locator, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

const SECRET = "very-secret-value";

let running: RunningPage;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  running = await startPage({ peer: true });
});

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser);
  page = tab.page;
});

afterEach(async () => {
  await tab.context.close();
  // What a server refuses, or does not allow, the browser notes by itself.
  const own = /^Failed to load resource|has been blocked by CORS policy/;
  expect(tab.complaints.filter((text) => !own.test(text))).toEqual([]);
});

const servers = (query = ""): Promise<unknown> => page.goto(`${running.url}/${query}#/servers`);
const form = (): Locator => page.locator("form", { hasText: "Connect to a server" });
const rowOf = (name: string | RegExp): Locator => page.locator(".servers-list li", { hasText: name });
const stored = (): Promise<string> => page.evaluate("JSON.stringify({ ...localStorage })");

const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent");

async function connect(url: string, arrange: () => Promise<void> = async () => {}): Promise<void> {
  await form().getByLabel("URL").fill(url);
  await arrange();
  await form().getByRole("button", { name: "Connect", exact: true }).click();
}

async function connectToPeer(arrange?: () => Promise<void>): Promise<void> {
  await servers();
  await connect(running.peer, arrange);
  await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
}

async function addSecret(): Promise<void> {
  await form().getByRole("textbox", { name: "Headers" }).fill(`\nAuthorization: ${SECRET}\n`);
}

async function keep(): Promise<void> {
  await servers();
  await connect(running.peer, async () => {
    await addSecret();
    await form().getByLabel("Remember in this browser").check();
  });
  await expect.poll(stored).toContain(SECRET);
}

function idOf(route: Route): unknown {
  const { id } = route.request().postDataJSON() as { id?: unknown };
  return id;
}

function refuses(status: number, code: number, message: string, data?: object) {
  return (route: Route) =>
    route.fulfill({ status, json: { jsonrpc: "2.0", id: idOf(route), error: { code, message, data } } });
}

test("the server says who it is: version, era, revision, capabilities, instructions", async () => {
  await servers();
  const card = page.locator(".servers .card").first();
  await card.getByText("revision 2026-07-28").waitFor();
  for (const text of ["Boards of notes", "modern era", "completions"]) expect(await card.innerText()).toContain(text);
  await page.getByRole("banner").getByRole("heading", { level: 1, name: "Pinboard" }).waitFor();
  await page.getByRole("banner").getByText(`${running.url}/mcp · 0.1.0`).waitFor();
  await card.getByText("Instructions for the model").click();
  expect(await card.locator(".block").first().innerText()).not.toBe("");
  await card.getByText("All that it says").click();
  await card.getByText('"capabilities"').first().waitFor();
});

describe("another server", () => {
  test("is connected to from the form, is in the address, and one can go back and forth", async () => {
    await connectToPeer();
    expect(new URL(page.url()).searchParams.get("server")).toBe(running.peer);
    await rowOf(`${running.url}/mcp`)
      .getByRole("button", { name: /Switch to/ })
      .click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("server")).toBeNull();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
  });

  test("goes by its name in the list once it has said it, beside the one that the page came from", async () => {
    await page.goto(withServer(running.url, running.peer, "#/servers"));
    await rowOf(running.peer).getByText("mcp-edge-conformance").waitFor();
    await rowOf(`${running.url}/mcp`).getByRole("button", { name: /^Open/ }).click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    expect(await focused()).toBe("Servers"); // The button is gone.
    await page.getByRole("button", { name: "Reconnect" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(await focused()).toBe("Reconnect");
  });

  test("is as it was after Back and Forward: with its headers, and its calls", async () => {
    await connectToPeer(addSecret);
    await rowOf(`${running.url}/mcp`)
      .getByRole("button", { name: /Switch to/ })
      .click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url() === running.peer && request.method() === "POST") sent.push(request.headers()["authorization"]);
    });
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
    await page.getByRole("link", { name: "Tools" }).click();
    await page.getByRole("link", { name: /test_simple_text/ }).waitFor();
    expect(new Set(sent)).toEqual(new Set([SECRET]));
  });

  test("is left, and the one before is shown", async () => {
    await connectToPeer();
    await rowOf("current").getByRole("button", { name: /Leave/ }).click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    expect(await rowOf(running.peer).count()).toBe(0);
  });

  test("gets the headers that were entered, which nothing keeps unasked", async () => {
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => void sent.push(request.headers()["authorization"]));
    await connectToPeer(addSecret);
    expect(sent).toContain(SECRET);
    expect(await stored()).not.toContain(SECRET);
  });

  test("is remembered where somebody says so, over a reload; edited; and forgotten", async () => {
    await servers();
    await connect(running.peer, async () => {
      await addSecret();
      await form().getByLabel("Remember in this browser").check();
    });
    await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
    expect(await stored()).toContain(SECRET);
    await servers();
    await page.reload();
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => void sent.push(request.headers()["authorization"]));
    await rowOf(running.peer).getByRole("button", { name: /Open/ }).click();
    await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
    await expect.poll(() => sent).toContain(SECRET);
    await rowOf(running.peer).getByRole("button", { name: /Edit/ }).click();
    const headers = form().getByRole("textbox", { name: "Headers" });
    expect(await headers.inputValue()).toBe(`authorization: ${SECRET}`);
    await headers.fill("Authorization: another");
    await form().getByRole("button", { name: "Connect", exact: true }).click();
    await expect.poll(() => sent).toContain("another");
    expect(await stored()).not.toContain(SECRET);
    expect(await stored()).toContain("another");
    await rowOf(running.peer)
      .getByRole("button", { name: /Forget/ })
      .click();
    expect(await stored()).not.toContain("another");
    expect(await focused()).toBe("Servers"); // The button is gone.
  });

  test.each([
    ["ftp://example.test/mcp", "https: only"],
    ["http://ada:secret@127.0.0.1:9999/mcp", "no URL that has a password"],
    ["http://192.168.77.1/mcp", "http: at localhost and 127.0.0.1"],
  ])("at %s is refused before anything is sent", async (url, words) => {
    await servers();
    await connect(url);
    await page.getByRole("alert").getByText(words).waitFor();
    expect(page.url()).not.toContain("server=");
  });

  test.each(["not a name: 1", "no-colon", ": no name", "Authorization: \u{1f511}"])(
    "is not called with the header %j",
    async (header) => {
      await servers();
      await connect(running.peer, () => form().getByRole("textbox", { name: "Headers" }).fill(header));
      await page.getByRole("alert").getByText("Failed to construct 'Headers'").waitFor();
      expect(page.url()).not.toContain("server=");
    },
  );
});

const answers =
  (status: number, body = "", contentType = "text/plain") =>
  (route: Route) =>
    route.fulfill({ status, body, contentType });

describe("a server that is not reached", () => {
  test.each([
    ["nobody listens", (route: Route) => route.abort(), "Nothing answers there"],
    ["it answers 401 without a way to sign in", answers(401), "Authorization header"],
    ["it answers 403", answers(403), "Let the server allow the origin"],
    ["its path is another one", answers(404), "/mcp"],
    ["it takes no POST", answers(405), "/mcp"],
    ["it refuses this origin in JSON-RPC", refuses(403, -32_000, "Invalid Origin"), "Let the server allow the origin"],
    ["it speaks revisions of another time", refuses(400, -32_022, "No", { supported: ["2099-01-01"] }), "2099-01-01"],
    ["it is somewhere else", (route: Route) => route.fulfill({ status: 307, headers: { location: "/" } }), "leads"],
    ["it is a web page", answers(200, "<!doctype html><p>Hello", "text/html"), "no MCP server"],
  ])("because %s: is explained, and can be tried again", async (_why, answer, words) => {
    await page.route("**/mcp-fake", answer);
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`));
    await page.getByRole("heading", { name: "No connection" }).waitFor();
    await page.locator("article").getByText(words).first().waitFor();
    await page.unroute("**/mcp-fake");
    await page.route("**/mcp-fake", (route) => {
      const id = idOf(route);
      const result = {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        ttlMs: 0,
        cacheScope: "private",
      };
      return route.fulfill({ json: { jsonrpc: "2.0", id, result } });
    });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Connected", { exact: true }).waitFor();
  });

  test.each([
    ["http://192.168.77.1:9/mcp", "http: at localhost and 127.0.0.1"],
    ["http://ada:secret@127.0.0.1:9/mcp", "no URL that has a password"],
  ])("because its address is %s: is explained, and the page goes on", async (url, words) => {
    await page.goto(withServer(running.url, url));
    await page.locator("article").getByText(words).waitFor();
    await servers(`?server=${encodeURIComponent(url)}`);
    await page.locator(".servers").getByText(words).waitFor();
    await rowOf(`${running.url}/mcp`).getByRole("button", { name: /^Open/ }).click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    // The browser notes what the page's own policy keeps it from.
    expect(tab.complaints.splice(0).filter((text) => !text.includes("Content Security Policy"))).toEqual([]);
  });

  test("is explained where it was entered, too", async () => {
    await page.route("**/mcp-fake", answers(404));
    await servers();
    await connect(`${running.url}/mcp-fake`);
    await page.locator(".servers article").getByText("Most servers answer at /mcp").waitFor();
  });

  describe("because of CORS", () => {
    let silent: Server;
    let url: string;
    /** What is added to each response. */
    let headers: Record<string, string> = {};
    beforeAll(async () => {
      silent = createServer((request, response) => void answer(request, response, headers));
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const address = silent.address();
      url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/mcp`;
    });
    afterAll(() => void silent?.close());

    test("is told from one that is not there, with the headers that it needs, which are enough", async () => {
      await page.goto(withServer(running.url, url));
      const advice = page.locator("article pre");
      await advice.waitFor();
      const advised = await advice.innerText();
      expect(advised).toContain(`Access-Control-Allow-Origin: ${new URL(running.url).origin}`);
      headers = Object.fromEntries(advised.split("\n").map((line) => line.split(": ") as [string, string]));
      await servers(`?server=${encodeURIComponent(url)}`);
      await connect(url, addSecret);
      await page.getByText("Connected", { exact: true }).waitFor();
    });
  });
});

async function answer(request: IncomingMessage, response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  const body = await text(request);
  response.writeHead(200, { "content-type": "application/json", ...headers });
  if (body === "") return void response.end();
  const { id } = JSON.parse(body) as { id?: number };
  const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 0 };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, cacheScope: "private" } }));
}

describe("what the browser keeps", () => {
  test("can be taken along, without what is secret", async () => {
    await keep();
    await connect(`${running.peer}?api_key=${SECRET}`);
    await expect.poll(stored).toContain("api_key");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export local data" }).click(),
    ]);
    const exported = await readFile(await download.path(), "utf8");
    expect(JSON.parse(exported)).toMatchObject({
      servers: [{ url: running.peer }, { url: `${running.peer}?api_key=…` }],
    });
    expect(exported).not.toContain(SECRET);
  });

  test("can be cleared, once that was confirmed", async () => {
    await keep();
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("button", { name: "Clear local data" }).click();
    expect(await stored()).toContain(SECRET);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Clear local data" }).click();
    await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
    expect(await stored()).toBe("{}");
  });

  test("that others wrote there breaks nothing", async () => {
    await servers();
    await page.evaluate(`localStorage.setItem("mcp-edge:servers", '[{"url":7},null,{"url":"no"},{"url":"${running.peer}","headers":{"a":1}}]');
      localStorage.setItem("mcp-edge:approved", "[]"); localStorage.setItem("mcp-edge:chat-model", "7")`);
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "Servers" }).waitFor();
    expect(await page.locator(".servers-list li").count()).toBe(1);
  });
});

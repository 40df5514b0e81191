/**
 * Tools on the page, in Chromium: found, filled in, asked about, called, watched, cancelled, and called again.
 */
import type { Dialog, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/protocol/types.ts";
import { call as callAside } from "../kit/post.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

let running: RunningPage;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  running = await startPage({ peer: true });
});

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser, { permissions: ["clipboard-read", "clipboard-write"] });
  page = tab.page;
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints).toEqual([]);
});

const LINES = Array.from({ length: 400 }, (_, n) => `thought ${n + 1}`).join("\n");

/** Calls that were made, whether the list is open or not. */
const rows = (): Locator => page.locator(".history li");

/** A board that no other test writes to, nor an earlier run. */
let boards = 0;
const freshBoard = (): string => `tool ${++boards} of ${Date.now()}`;

async function onTheServer(name: string, args: JsonObject): Promise<string> {
  const fetcher = { fetch: (request: Request) => fetch(request) };
  return (await callAside(fetcher, name, args, { url: `${running.url}/mcp` })).text;
}

const list = (): Locator => page.getByRole("navigation", { name: "Tools" });
const article = (): Locator => page.getByRole("article");
const dialog = (): Locator => page.getByRole("dialog");
const field = (label: string): Locator => article().getByLabel(new RegExp(`^${label}`));
const button = (name: string, within: Locator = article()): Locator =>
  within.getByRole("button", { name, exact: true });
const result = (): Locator => article().getByRole("region", { name: "Result" });
const ended = (verdict: string): Promise<void> =>
  result().getByRole("status").getByText(verdict, { exact: true }).waitFor();
const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent");
const copied = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");

async function open(name: string, server = ""): Promise<void> {
  const fragment = `#/tools/${encodeURIComponent(name)}`;
  await page.goto(server === "" ? `${running.url}/${fragment}` : withServer(running.url, server, fragment));
  await article().locator("header code").getByText(name, { exact: true }).waitFor();
}

async function fillNote(board: string, text = "milk"): Promise<void> {
  await field("Board").fill(board);
  await field("Text").fill(text);
}

const agree = (): Promise<void> => button("Call", dialog()).click();

/** Calls the tool that is open, and wants not to be asked of it again. */
async function callForGood(): Promise<void> {
  await button("Call").click();
  await dialog()
    .getByLabel(/^Do not ask again/)
    .check();
  await agree();
  await ended("Done");
}

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** All that the page asks the server at this path from here on. */
function requestsTo(path: string): Asked[] {
  const asked: Asked[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname !== path || request.method() !== "POST") return;
    const { method, params } = request.postDataJSON() as { method: string; params: JsonObject }; // As the page sends it.
    asked.push({ method, params, headers: request.headers() });
  });
  return asked;
}

const callsIn = (asked: readonly Asked[]): unknown[] =>
  asked.flatMap(({ method, params }) => (method === "tools/call" ? [params["arguments"]] : []));

describe("the list", () => {
  test("has each tool with what the server says of it; searching narrows it, and choosing one opens it", async () => {
    await page.goto(running.url);
    await list().getByRole("link").first().waitFor();
    expect(await list().getByRole("link").count()).toBe(7);
    expect(await list().getByRole("link", { name: "Search notes" }).innerText()).toContain("read only");
    expect(await list().getByRole("link", { name: "Delete a note" }).innerText()).toContain("destructive");
    await page.keyboard.press("/");
    await page.keyboard.type("BOARD_st");
    await expect.poll(() => list().getByRole("link").count()).toBe(1);
    await list().getByRole("searchbox").fill("off a board for good");
    await list().getByRole("link", { name: "Delete a note" }).waitFor();
    await list().getByRole("searchbox").fill("no tool has this");
    await list().getByText("Nothing matches.").waitFor();
    await list().getByRole("searchbox").fill("count");
    await list().getByRole("link", { name: "Count a board" }).click();
    await page.getByRole("heading", { name: "Count a board", level: 2 }).waitFor();
    await expect.poll(focused).toBe("Count a board");
    expect(new URL(page.url()).hash).toBe("#/tools/board_stats");
    expect(await list().locator("[aria-current=page]").innerText()).toContain("Count a board");
    expect(await article().getByText("read only").getAttribute("title")).toContain("The server says so");
  });

  test("says so of a tool that is not in it", async () => {
    await page.goto(`${running.url}/#/tools/${encodeURIComponent("<b>no such</b>")}`);
    await page.getByText("“<b>no such</b>” is not there.").waitFor();
    expect(await article().count()).toBe(0);
  });

  test("that is empty says so; one that fails says why, and can be asked for again by keyboard", async () => {
    const server = await fake({ tools: [] });
    server.fails = { code: -32603, message: "Out of paper" };
    await page.goto(server.page());
    await list().getByText("Out of paper").waitFor();
    server.fails = undefined;
    await button("Try again", list()).focus();
    await page.keyboard.press("Enter");
    await list().getByText("This server offers no tools.").waitFor();
    expect(await focused()).toBe("Tools");
  });

  test("leaves out tools that break the rules, and says which", async () => {
    const inputSchema = { type: "object", properties: { x: { type: "number", "x-mcp-header": "X" } } };
    const server = await fake({ tools: [{ name: "bad", inputSchema }, tool("good")] });
    await page.goto(server.page());
    await list().getByRole("link", { name: "good" }).waitFor();
    expect(await list().getByRole("link").count()).toBe(1);
    await page.getByText(/Tool "bad": it was left out of the list/).waitFor();
  });

  test("is brought up to date in place: the focus, the form and what was typed stay", async () => {
    await page.clock.install();
    const server = await fake({ tools: [tool("one"), tool("two")], listens: true });
    const changeTo = async (...tools: JsonObject[]): Promise<void> => {
      server.tools = tools;
      await page.clock.fastForward(60_000); // Past the wait before it joins again.
    };
    await page.goto(server.page("one"));
    await field("text").fill("half a sente");
    await list().getByRole("link", { name: "two" }).focus();
    await changeTo(tool("zero"), tool("one"), tool("two"));
    await list().getByRole("link", { name: "zero" }).waitFor();
    expect(await focused()).toContain("two");
    await field("text").focus();
    await changeTo(tool("one"), tool("two"), tool("three"));
    await list().getByRole("link", { name: "three" }).waitFor();
    await page.keyboard.type("nce");
    expect(await field("text").inputValue()).toBe("half a sentence");
    // Described differently, it is another tool.
    await changeTo({ ...tool("one"), title: "One, improved" }, tool("two"));
    await page.getByRole("heading", { name: "One, improved" }).waitFor();
    await changeTo(tool("two"));
    await page.getByText("“one” is not there.").waitFor();
  });

  test("and the tool take turns on a small screen, and nothing is wider than the screen", async () => {
    const overflow = (): Promise<unknown> =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(running.url);
    await list().getByRole("link", { name: "Count a board" }).click();
    await field("Board").fill("x".repeat(40));
    await button("Call").click();
    await ended("Tool error");
    expect(await list().isVisible()).toBe(false);
    await article().getByText("Code and schemas").click();
    expect(await overflow()).toBe(0);
    await page.getByRole("link", { name: "All tools" }).click();
    await list().waitFor();
    expect(await article().isVisible()).toBe(false);
    await page.getByText("History", { exact: true }).click();
    await page.getByRole("button", { name: "Run board_stats again" }).waitFor();
    expect(await overflow()).toBe(0);
  });
});

describe("a call", () => {
  test("of a tool that only reads asks nothing, shows its result and how long it took", async () => {
    const board = freshBoard();
    await onTheServer("add_note", { board, text: "two words" });
    await open("board_stats");
    await field("Board").fill(board);
    await button("Call").click();
    await ended("Done");
    expect(await dialog().count()).toBe(0);
    expect(await result().innerText()).toMatch(/\d\.\d\d s/);
    await result().getByText("Matches the output schema").waitFor();
    await article().getByText("Code and schemas").click();
    await article().getByText('"outputSchema"').waitFor();
    // It is still there for who looks elsewhere in between.
    await page.getByRole("link", { name: "Wire" }).click();
    await page.goBack();
    await ended("Done");
  });

  test("that the server refuses is an error of the tool, and one that it does not know an error of the protocol", async () => {
    await open("delete_note");
    await field("Board").fill(freshBoard());
    await field("Note").fill("1");
    await button("Call").click();
    await agree();
    await ended("Tool error");
    const server = await fake({
      tools: [tool("gone")],
      answer: () => ({ error: { code: -32602, message: "Unknown" } }),
    });
    await page.goto(server.page("gone"));
    await button("Call").click();
    await agree();
    await ended("Failed");
    await result().getByText("Error -32602").waitFor();
  });

  test("shows how far it is and, cancelled, stops on the server", async () => {
    const board = freshBoard();
    await open("import_notes");
    await field("Board").fill(board);
    await field("Lines").fill(LINES);
    await button("Call").click();
    await agree();
    await result()
      .getByText(/^\d+ of 400: thought \d+$/)
      .waitFor();
    const bar = result().getByRole("progressbar", { name: "Progress" });
    expect(Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await button("Cancel").click();
    await ended("Cancelled");
    await result().getByText("What was done by then stays done.").waitFor();
    expect(await result().innerText()).not.toContain("signal");
    expect(await bar.isVisible()).toBe(false);
    const notes = async (): Promise<number> =>
      Number(/"notes":\s*(\d+)/.exec(await onTheServer("board_stats", { board }))?.[1]);
    const pinned = await notes();
    expect(pinned).toBeGreaterThan(0);
    expect(pinned).toBeLessThan(400);
    // The button that was pressed still has the focus, and does nothing more.
    expect(await focused()).toBe("Cancel");
    expect(await button("Cancel").getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    await ended("Cancelled");
    expect(await notes()).toBe(pinned);
  });

  test("under way is no wider than the page", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const answer = async (): Promise<JsonObject> => {
      await released;
      return { result: { content: [] } };
    };
    const server = await fake({ tools: [reader("one")], answer });
    await page.goto(server.page("one"));
    await button("Call").click();
    const bar = result().getByRole("progressbar");
    await bar.waitFor();
    const [inner, outer] = [await bar.boundingBox(), await result().boundingBox()];
    const heading = await result().getByRole("heading").boundingBox();
    expect((inner?.x ?? 0) + (inner?.width ?? Infinity)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
    expect(inner?.y).toBeGreaterThanOrEqual((heading?.y ?? Infinity) + (heading?.height ?? 0));
    release();
    await ended("Done");
  });

  test("goes on while one looks at another tool and calls that", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await fake({
      tools: [reader("slow"), reader("quick")],
      answer: async ({ name }) => {
        if (name === "slow") await released;
        return { result: { content: [{ type: "text", text: `from ${String(name)}` }] } };
      },
    });
    await page.goto(server.page("slow"));
    await field("text").fill("kept");
    await button("Call").click();
    await ended("Running");
    await list().getByRole("link", { name: "quick" }).click();
    await page.getByRole("heading", { name: "quick" }).waitFor();
    await button("Call").click();
    await ended("Done");
    await result().getByText("from quick").waitFor();
    await list().getByRole("link", { name: "slow" }).click();
    await ended("Running");
    release();
    await result().getByText("from slow").waitFor();
    expect(await field("text").inputValue()).toBe("kept");
  });

  test("mirrors arguments into headers as the form says, whatever script they are in", async () => {
    const asked = requestsTo("/mcp");
    await open("search_notes");
    await field("Board").fill("заметки");
    const shown = await article()
      .getByText(/^mcp-param-board: /)
      .innerText();
    expect(shown).toBe("mcp-param-board: =?base64?0LfQsNC80LXRgtC60Lg=?=");
    await field("Board").fill("kitchen");
    await article().getByText("mcp-param-board: kitchen").waitFor();
    await field("Board").fill("заметки");
    await button("Call").click();
    await result()
      .getByRole("status")
      .getByText(/Done|Tool error/)
      .waitFor();
    const sent = asked.find(({ method }) => method === "tools/call")?.headers;
    expect(`mcp-param-board: ${sent?.["mcp-param-board"]}`).toBe(shown);
    expect(sent).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "search_notes" });
  });

  test("with wrong arguments is held back with the reason and the focus at the field, and sent anyway on demand", async () => {
    const asked = requestsTo("/mcp");
    await open("search_notes");
    await field("At most").fill("1000");
    await button("Call").click();
    const warning = article().getByText("Not what the schema says. Call again to send it anyway.");
    await warning.waitFor();
    expect(await page.evaluate("document.activeElement === document.querySelector('[aria-invalid]')")).toBe(true);
    expect(callsIn(asked)).toEqual([]);
    await button("Call").click();
    await ended("Tool error");
    expect(callsIn(asked)).toEqual([{ limit: 1000 }]);
    // Who changes something is told again.
    await field("Board").fill("kitchen");
    await expect.poll(() => warning.count()).toBe(0);
    await button("Call").click();
    await warning.waitFor();
    expect(callsIn(asked)).toHaveLength(1);
  });

  test("of a tool that asks back is answered in a dialog, and goes on", async () => {
    const board = freshBoard();
    await onTheServer("add_note", { board, text: "precious" });
    await open("delete_note");
    await field("Board").fill(board);
    await field("Note").fill("1");
    await button("Call").click();
    await agree();
    await dialog().getByText("precious").waitFor();
    await dialog().getByRole("combobox").selectOption({ label: "Yes" });
    await button("Send", dialog()).click();
    await ended("Done");
    await result()
      .getByText(/^Deleted note 1/)
      .waitFor();
  });
});

describe("approval", () => {
  test("shows exactly what will be sent, and sends that", async () => {
    const asked = requestsTo(new URL(running.peer).pathname);
    await open("test_region_header", running.peer);
    await field("region").fill("Zürich");
    await button("Call").click();
    const text = await dialog().innerText();
    for (const part of ["You · ", "Call test_region_header?", running.peer, '"region": "Zürich"', "server's own"])
      expect(text).toContain(part);
    const header = await dialog()
      .getByText(/^mcp-param-region: /)
      .innerText();
    expect(callsIn(asked)).toEqual([]);
    await agree();
    await ended("Done");
    const sent = asked.find(({ method }) => method === "tools/call");
    expect(sent?.params["arguments"]).toEqual({ region: "Zürich" });
    expect(`mcp-param-region: ${sent?.headers["mcp-param-region"]}`).toBe(header);
  });

  test("refused, or left by Escape, sends nothing, and gives the focus back", async () => {
    const asked = requestsTo("/mcp");
    await open("add_note");
    await fillNote(freshBoard());
    for (const leave of [() => button("Do not call", dialog()).click(), () => page.keyboard.press("Escape")]) {
      await button("Call").click();
      await dialog().waitFor();
      await leave();
      await dialog().waitFor({ state: "detached" });
      await expect.poll(focused).toBe("Call");
      await expect.poll(() => button("Call").getAttribute("aria-disabled")).toBe("false");
    }
    expect(await result().getByRole("status").innerText()).toBe("Not called yet");
    expect(callsIn(asked)).toEqual([]);
  });

  test("is remembered on demand for this tool of this server, over a reload, until its description changes", async () => {
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: [tool("one"), tool("two")] });
    await page.goto(server.page("one"));
    await callForGood();
    await page.reload();
    await button("Call").click();
    await ended("Done");
    expect(callsIn(asked)).toHaveLength(2);
    // Another tool of the server.
    await list().getByRole("link", { name: "two" }).click();
    await page.getByRole("heading", { name: "two" }).waitFor();
    await button("Call").click();
    await button("Do not call", dialog()).click();
    // The same name at another server.
    await page.goto(withServer(running.url, `${running.url}/mcp-fake?other`, "#/tools/one"));
    await button("Call").click();
    await button("Do not call", dialog()).click();
    // The same tool, with one hint more.
    server.tools = [{ ...tool("one"), annotations: { idempotentHint: true } }];
    await page.goto(server.page("one"));
    await article().locator(".chip").getByText("idempotent").waitFor();
    await button("Call").click();
    await button("Do not call", dialog()).click();
    expect(callsIn(asked)).toHaveLength(2);
  });

  test("asks about a tool that was described differently while it ran", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const answer = async (): Promise<JsonObject> => {
      await released;
      return { result: { content: [] } };
    };
    const server = await fake({ tools: [reader("one")], answer, listens: true });
    await page.goto(server.page("one"));
    await button("Call").click();
    await ended("Running");
    server.tools = [{ ...tool("one"), title: "Now it writes" }];
    await list().getByRole("link", { name: "Now it writes" }).waitFor();
    release();
    await ended("Done");
    await page.getByRole("heading", { name: "Now it writes" }).waitFor();
    await button("Call").click();
    await dialog().getByText("Call Now it writes?").waitFor();
  });

  test("asks again about a tool that is described differently while the question stands", async () => {
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: [tool("one")], listens: true });
    await page.goto(server.page("one"));
    await button("Call").click();
    await dialog().getByText("Call one?").waitFor();
    server.tools = [{ ...tool("one"), title: "Deletes everything" }];
    await list().getByText("Deletes everything").waitFor();
    await agree();
    await dialog().getByText("Call Deletes everything?").waitFor();
    await button("Do not call", dialog()).click();
    expect(callsIn(asked)).toEqual([]);
  });

  test("asks again where other headers are sent from now on", async () => {
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: [tool("one")] });
    await page.goto(server.page("one"));
    await callForGood();
    await page.evaluate("location.hash = '#/servers'");
    await page.getByLabel("URL", { exact: true }).fill(`${running.url}/mcp-fake`);
    await page.getByLabel(/^Headers/).fill("Authorization: Bearer admin");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.evaluate("location.hash = '#/tools/one'");
    await button("Call").click();
    await dialog().getByText("Call one?").waitFor();
    expect(callsIn(asked)).toHaveLength(1);
  });

  test("is not given by keys that were meant for the form", async () => {
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: [tool("one")] });
    await page.goto(server.page("one"));
    await button("Call").click();
    await dialog().waitFor();
    for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(callsIn(asked)).toEqual([]);
  });

  test("does not take a key that is held down, or typed as the question opens, for an answer", async () => {
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: [tool("one")] });
    await page.goto(server.page("one"));
    await button("Call").focus();
    for (let press = 0; press < 5; press++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await dialog().waitFor();
    await page.keyboard.type(" yes ");
    await page.keyboard.press("Enter");
    expect(await dialog().isVisible()).toBe(true);
    expect(callsIn(asked)).toEqual([]);
  });

  test("shows all that will be sent, and to whom, however long it is", async () => {
    const args = Object.fromEntries(Array.from({ length: 61 }, (_, index) => [`field${index}`, "x".repeat(40)]));
    const name = "n".repeat(300);
    const server = await fake({ tools: [{ name, inputSchema: { type: "object" } }] });
    await page.goto(server.page(name));
    await article()
      .getByRole("textbox")
      .fill(JSON.stringify({ ...args, bcc: "eve@evil.test", text: "y".repeat(1_500) + " rm -rf" }));
    await button("Call").click();
    const shown = await dialog().innerText();
    for (const part of ["eve@evil.test", "rm -rf", `${running.url}/mcp-fake`]) expect(shown).toContain(part);
    const wider = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog'))";
    expect(await page.evaluate(wider)).toBeLessThanOrEqual(0);
  });

  test.each([[null], ["yes"], [{ readOnlyHint: "true" }], [{ readOnlyHint: 1 }], [[true]]])(
    "is asked for where the annotations are %j",
    async (annotations) => {
      const server = await fake({ tools: [{ ...tool("one"), annotations }] });
      await page.goto(server.page("one"));
      await button("Call").click();
      await button("Do not call", dialog()).click();
    },
  );
});

describe("history", () => {
  test("fills in and runs again, and is forgotten with the page", async () => {
    const asked = requestsTo("/mcp");
    await open("search_notes");
    for (const board of ["first", "second"]) {
      await field("Board").fill(board);
      await button("Call").click();
      await expect.poll(() => rows().count()).toBe(board === "first" ? 1 : 2);
    }
    await list().getByRole("link", { name: "Add a note" }).click();
    await page.getByRole("heading", { name: "Add a note" }).waitFor();
    await page.getByText("History", { exact: true }).click();
    expect(await rows().first().innerText()).toMatch(/(Tool error|Done), \d\.\d\d s · \{"board":"second"/);
    await rows().last().getByRole("button", { name: "search_notes", exact: true }).click();
    await page.getByRole("heading", { name: "Search notes" }).waitFor();
    expect(await field("Board").inputValue()).toBe("first");
    expect(callsIn(asked)).toHaveLength(2);
    await rows().last().getByRole("button", { name: "Run search_notes again" }).click();
    await expect.poll(() => rows().count()).toBe(3);
    expect(callsIn(asked)[2]).toEqual(callsIn(asked)[0]);
    await page.reload();
    await button("Call").waitFor();
    expect(await rows().count()).toBe(0);
  });

  test("of a tool that changes things asks again, and of one that is gone says so", async () => {
    const server = await fake({ tools: [tool("one"), tool("two")], listens: true });
    await page.goto(server.page("one"));
    await field("text").fill("x");
    await button("Call").click();
    await agree();
    await page.getByText("History", { exact: true }).click();
    await page.getByRole("button", { name: "Run one again" }).click();
    expect(await dialog().innerText()).toContain('"text": "x"');
    await page.keyboard.press("Escape");
    server.tools = [tool("two")];
    await page.getByText("“one” is not there.").waitFor();
    await page.getByRole("button", { name: "Run one again" }).click();
    await page.getByText("This tool is gone.").waitFor();
  });

  test("what is filled in is copied as code, in three languages", async () => {
    await open("search_notes");
    await article().getByText("Code and schemas").click();
    await field("Board").fill("it's");
    await button("Copy as curl").click();
    await expect.poll(copied).toContain(`-H 'mcp-param-board: it'\\''s'`);
    expect(await copied()).toContain(`curl -gN -X POST '${running.url}/mcp'`);
    await button("Copy as fetch").click();
    await expect.poll(copied).toContain('"mcp-param-board": "it\'s"');
    // It is what a page can run.
    await page.evaluate(`(async () => { ${(await copied()).replace("console.log", "globalThis.answer = ")} })()`);
    expect(await page.evaluate("globalThis.answer")).toContain('"jsonrpc":"2.0"');
    await button("Copy as client code").click();
    await expect.poll(copied).toContain('callTool("search_notes", {');
  });
});

describe("whatever a server says", () => {
  const NAMES = ["<img src=x onerror=alert(1)>", "../../?a#b%2f", "__proto__", "\u202eevil", "n".repeat(3_000), ""];

  test("tools with hostile names are listed, opened, asked about and called under those names", async () => {
    const popped: Dialog[] = [];
    page.on("dialog", (popup) => popped.push(popup));
    const asked = requestsTo("/mcp-fake");
    const server = await fake({ tools: NAMES.map((name) => ({ ...tool(name), title: 7, description: { a: 1 } })) });
    await page.goto(server.page());
    await list().getByRole("link").first().waitFor();
    for (const [index, name] of NAMES.entries()) {
      await list().getByRole("link").nth(index).click();
      await expect.poll(() => article().locator("header code").textContent()).toBe(name);
      await field("text").fill(String(index));
      await button("Call").click();
      await agree();
      await ended("Done");
    }
    expect(asked.flatMap(({ method, params }) => (method === "tools/call" ? [params["name"]] : []))).toEqual(NAMES);
    expect(popped).toEqual([]);
    expect(await article().locator("img").count()).toBe(0);
  });

  test("a tool that is nested beyond what can be written is shown, and asked about each time", async () => {
    const deep = `${'{"properties":{"a":'.repeat(30_000)}{}${"}}".repeat(30_000)}`;
    const server = await fake({ tools: [tool("shallow")] });
    server.rawTools = `{"name":"deep","inputSchema":${deep}},${JSON.stringify(tool("shallow"))}`;
    await page.goto(server.page());
    await list().getByRole("link", { name: "shallow" }).click();
    await page.getByRole("heading", { name: "shallow" }).waitFor();
    await list().getByRole("link", { name: "deep" }).click();
    await page.getByRole("heading", { name: "deep" }).waitFor();
    for (const calls of [1, 2]) {
      await button("Call").click();
      await dialog()
        .getByLabel(/^Do not ask again/)
        .check();
      await agree();
      await expect.poll(() => rows().count()).toBe(calls);
    }
  });

  test("progress of any kind, and logs that nobody asked for, leave the call as it is", async () => {
    const progress = [{ progress: 5, total: 3 }, { progress: -1, total: -2 }, { progress: 1e308 }, { progress: "x" }];
    const server = await fake({
      tools: [reader("one")],
      answer: () => ({ result: { content: [{ type: "text", text: "fine" }] } }),
      reports: [
        ...progress.map((each) => ["progress", { ...each, message: { not: "text" } }] as const),
        ["message", { level: "loud", data: 1 }],
        ["message", { level: "error", logger: { toString: 1 }, data: { toString: 1 } }],
      ],
    });
    await page.goto(server.page("one"));
    await button("Call").click();
    await ended("Done");
    await result().getByText("fine").waitFor();
  });
});

describe("by keyboard alone", () => {
  test("a tool is found, filled in, asked about, called, and looked at", async () => {
    const board = freshBoard();
    await page.goto(running.url);
    await list().getByRole("link").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("add a");
    await expect.poll(() => list().getByRole("link").count()).toBe(1);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Add a note");
    await field("Board").focus();
    await page.keyboard.type(board);
    await page.keyboard.press("Tab");
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Control+Enter");
    await dialog().waitFor();
    await expect.poll(focused).toBe("Call Add a note?");
    // Past what will be sent.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    expect(await dialog().getByRole("checkbox").isChecked()).toBe(true);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Do not call");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Call");
    await page.keyboard.press("Enter");
    await ended("Done");
    await result().getByText("Pinned note 1", { exact: false }).waitFor();
    // Back where it was called from, and not asked again.
    expect(await page.evaluate("document.activeElement.value")).toBe("by keyboard");
    await page.keyboard.press("Control+Enter");
    await result().getByText("Pinned note 2", { exact: false }).waitFor();
  });
});

function tool(name: string): JsonObject {
  return { name, inputSchema: { type: "object", properties: { text: { type: "string" } } } };
}

/** One that says that it only reads. */
function reader(name: string): JsonObject {
  return { ...tool(name), annotations: { readOnlyHint: true } };
}

interface FakeOptions {
  readonly tools: JsonObject[];
  /** Default: no content. */
  readonly answer?: (params: JsonObject) => JsonObject | Promise<JsonObject>;
  /** What each call is told beforehand: the last part of the method, and params. */
  readonly reports?: readonly (readonly [string, JsonObject])[];
  /** Whether it can be listened to: it ends that at once, so that the page joins again and looks at the list. */
  readonly listens?: boolean;
}

interface Fake {
  tools: JsonObject[];
  /** In place of `tools`, as JSON without the brackets. */
  rawTools?: string;
  /** The error of the list. */
  fails?: JsonObject | undefined;
  page(tool?: string): string;
}

function notify(name: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", method: `notifications/${name}`, params });
}

/** A server at `/mcp-fake` that says what it is told to. */
async function fake({ tools, answer, reports = [], listens = false }: FakeOptions): Promise<Fake> {
  const server: Fake = {
    tools,
    page: (name) =>
      withServer(
        running.url,
        `${running.url}/mcp-fake`,
        name === undefined ? "" : `#/tools/${encodeURIComponent(name)}`,
      ),
  };
  await page.route(/\/mcp-fake(\?other)?$/, async (route) => {
    // As the page sends it.
    const { id, method, params } = route.request().postDataJSON() as { id: number; method: string; params: JsonObject };
    const reply = (said: JsonObject): string => JSON.stringify({ jsonrpc: "2.0", id, ...said });
    const stream = (messages: readonly string[]) =>
      route.fulfill({ contentType: "text/event-stream", body: messages.map((each) => `data: ${each}\n\n`).join("") });
    switch (method) {
      case "server/discover": {
        const capabilities = { tools: { listChanged: listens } };
        const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities };
        return route.fulfill({ contentType: "application/json", body: reply({ result }) });
      }
      case "tools/list": {
        const { rawTools, fails } = server;
        const body = reply(fails ? { error: fails } : { result: { resultType: "complete", tools: server.tools } });
        const raw = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","tools":[${rawTools}]}}`;
        return route.fulfill({ contentType: "application/json", body: rawTools === undefined ? body : raw });
      }
      case "subscriptions/listen": {
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        const granted = { _meta, notifications: { toolsListChanged: true } };
        return stream([notify("subscriptions/acknowledged", granted), notify("tools/list_changed", { _meta })]);
      }
      default: {
        const { progressToken } = params["_meta"] as JsonObject;
        const said = (await answer?.(params)) ?? { result: { resultType: "complete", content: [] } };
        const before = reports.map(([name, about]) => notify(name, { progressToken, ...about }));
        return stream([...before, reply(said)]);
      }
    }
  });
  return server;
}

/**
 * The page kept up to date, in Chromium, against the deployable Worker: what one tab does shows in another, and what
 * happened while there was no connection shows once there is one again.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Fetcher, post } from "../kit/post.ts";
import { launchChromium } from "./chromium.ts";
import { findFreePort, type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const VARS = { ALLOWED_HOSTS: "loopback" };
const NETWORK: Fetcher = { fetch: (request) => fetch(request) };

let worker: RunningWorker;
let browser: Browser;
let context: BrowserContext;
/** Console errors, refused by the CSP or not, and uncaught exceptions. */
let complaints: string[];

beforeAll(async () => {
  [worker, browser] = await Promise.all([startWrangler("wrangler.toml", { vars: VARS }), launchChromium()]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), worker?.stop()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(60_000);
  complaints = [];
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

/** A board that no other test writes to. */
let boards = 0;
const freshBoard = (): string => `live ${++boards}`;
const boardHash = (board: string): string =>
  `#/resources/${encodeURIComponent(`board://${encodeURIComponent(board)}`)}`;

/** A tab that shows this, live. */
async function openTab(hash: string, url = worker.url): Promise<Page> {
  const tab = await context.newPage();
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  tab.on("pageerror", (error) => complaints.push(error.message));
  await tab.goto(`${url}/${hash}`);
  await said(tab, "Live");
  // Gone after a reload.
  await tab.evaluate("globalThis.notReloaded = true");
  return tab;
}

const resources = (tab: Page): Locator => tab.getByRole("navigation", { name: "Resources" });
const listed = (tab: Page, board: string): Locator => resources(tab).getByRole("link", { name: board });
const contents = (tab: Page): Locator => tab.getByRole("region", { name: "Contents" });
const field = (tab: Page, label: string): Locator => tab.getByLabel(new RegExp(`^${label}`));

async function said(tab: Page, state: string): Promise<void> {
  await resources(tab).getByText(state, { exact: true }).waitFor();
}

/** Calls a tool by its form. */
async function fillIn(tab: Page, tool: string, fields: Record<string, string>): Promise<void> {
  await tab.goto(`${worker.url}/#/${tool}`);
  await tab.locator(".tool-head code", { hasText: tool }).waitFor();
  for (const [label, value] of Object.entries(fields)) await field(tab, label).fill(value);
  await tab.getByRole("button", { name: "Call", exact: true }).click();
}

const done = (tab: Page): Promise<void> => tab.getByRole("status").getByText("Done", { exact: true }).waitFor();

async function pin(board: string, text: string): Promise<void> {
  const reply = await call(NETWORK, "add_note", { board, text }, { url: `${worker.url}/mcp` });
  expect(reply.text).toContain("Pinned note");
}

/** Deletes the first note of a board, and agrees to it. */
async function unpin(board: string): Promise<void> {
  const options = { url: `${worker.url}/mcp`, capabilities: { elicitation: { form: {} } } };
  const asked = { name: "delete_note", arguments: { board, id: 1 } };
  const { message } = await post(NETWORK, "tools/call", asked, options);
  const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
  const answered = { ...asked, inputResponses, requestState: message?.result?.["requestState"] };
  const reply = await post(NETWORK, "tools/call", answered, options);
  expect(reply.text).toContain("Deleted note 1");
}

const notReloaded = (tab: Page): Promise<unknown> => tab.evaluate("globalThis.notReloaded");

describe("two tabs", () => {
  test("a board and its notes, added from the form in one, show in the other", async () => {
    const board = freshBoard();
    const watching = await openTab("");
    const writing = await openTab("#/add_note");
    await fillIn(writing, "add_note", { Board: board, Text: "Water the plants" });
    await listed(watching, board).click();
    await contents(watching).getByText("Water the plants").waitFor();
    await said(watching, "Live");
    await fillIn(writing, "add_note", { Board: board, Text: "Feed the cat" });
    await contents(watching).getByText("Feed the cat").waitFor();
    expect(await contents(watching).innerText()).toMatch(/Changed at/);
    // What is new is marked, and what was there is not.
    expect(await contents(watching).locator("mark").allInnerTexts()).toEqual([expect.stringContaining("Feed the cat")]);
    expect(await notReloaded(watching)).toBe(true);
  });

  test("an edit in one shows in the other, on the board and on the note", async () => {
    const board = freshBoard();
    await pin(board, "first thought");
    const note = `#/resources/${encodeURIComponent(`note://${encodeURIComponent(board)}/1`)}`;
    const [onBoard, onNote] = [await openTab(boardHash(board)), await openTab(note)];
    await contents(onBoard).getByText("first thought").waitFor();
    await contents(onNote).getByText("first thought").waitFor();
    const writing = await openTab("#/edit_note");
    await fillIn(writing, "edit_note", { Board: board, Note: "1", Text: "second thought" });
    await contents(onBoard).getByText("second thought").waitFor();
    await contents(onNote).getByText("second thought").waitFor();
    expect(await contents(onNote).innerText()).not.toContain("first thought");
    expect([await notReloaded(onBoard), await notReloaded(onNote)]).toEqual([true, true]);
  });

  test("a board whose last note is deleted disappears, and is said to be gone where it is open", async () => {
    const board = freshBoard();
    await pin(board, "only thought");
    const [listing, reading] = [await openTab("#/add_note"), await openTab(boardHash(board))];
    await listed(listing, board).waitFor();
    const writing = await openTab("#/delete_note");
    await fillIn(writing, "delete_note", { Board: board, Note: "1" });
    await writing.getByRole("dialog").getByRole("checkbox").check();
    await writing.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    await done(writing);
    await listed(listing, board).waitFor({ state: "detached" });
    await contents(reading).getByText("Resource not found").waitFor();
    await listed(reading, board).waitFor({ state: "detached" });
    // It is still listened for.
    await pin(board, "anew");
    await contents(reading).getByText("anew").waitFor();
  });

  test("a note that one has just added is a click away, and kept up to date there", async () => {
    const board = freshBoard();
    const tab = await openTab("#/add_note");
    await fillIn(tab, "add_note", { Board: board, Text: "to be continued" });
    await tab.getByRole("link", { name: `note://${encodeURIComponent(board)}/1` }).click();
    await contents(tab).getByText("to be continued").waitFor();
    await said(tab, "Live");
    await call(NETWORK, "edit_note", { board, id: 1, text: "continued" }, { url: `${worker.url}/mcp` });
    await contents(tab).getByText("continued", { exact: true }).waitFor();
    await tab.goBack();
    await tab.getByRole("heading", { name: "Add a note" }).waitFor();
  });

  test("text that looks like markup stays text", async () => {
    const board = freshBoard();
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await pin(board, "harmless");
    const tab = await openTab(boardHash(board));
    await pin(board, hostile);
    await contents(tab).getByText(hostile).waitFor();
    expect(await contents(tab).locator("img, script").count()).toBe(0);
    expect(await tab.title()).not.toBe("owned");
  });

  test("the focus stays on a board of the list while others come", async () => {
    const board = freshBoard();
    await pin(board, "x");
    const tab = await openTab(boardHash(board));
    await listed(tab, board).focus();
    // Both before and after it.
    for (const other of [`${board} after`, `before ${board}`]) {
      await pin(other, "x");
      await listed(tab, other).waitFor();
    }
    expect(await tab.evaluate("document.activeElement.textContent")).toContain(board);
  });
});

/** Passes bytes on to the Worker, until it is cut. */
class Cable {
  readonly url: string;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server = createServer();

  constructor(port: number) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  async plugIn(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(worker.port, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy()); // As a cable would: what breaks on one side breaks on the other.
        one.on("close", () => this.#sockets.delete(one));
      }
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
  }

  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** The browser's own notes of connections that failed. */
function forgetFailedConnections(): void {
  complaints = complaints.filter((text) => !/net::ERR_|Failed to load resource/.test(text));
}

describe("a connection that breaks", () => {
  test("is made again, and what changed meanwhile shows then", async () => {
    const [kept, gone, added] = [freshBoard(), freshBoard(), freshBoard()];
    await pin(kept, "before the cut");
    await pin(gone, "not for long");
    const cable = new Cable(await findFreePort());
    await cable.plugIn();
    const tab = await openTab(boardHash(kept), cable.url);
    await contents(tab).getByText("before the cut").waitFor();
    await listed(tab, gone).waitFor();
    await cable.cut();
    await said(tab, "Reconnecting");
    expect(await resources(tab).locator(".live").innerText()).toMatch(/^Reconnecting\s+in \d+ s$/);
    await pin(kept, "during the cut");
    await pin(added, "new board");
    await unpin(gone);
    await cable.plugIn();
    await said(tab, "Live");
    await contents(tab).getByText("during the cut").waitFor();
    await listed(tab, added).waitFor();
    await listed(tab, gone).waitFor({ state: "detached" });
    expect(await notReloaded(tab)).toBe(true);
    await pin(kept, "after the cut");
    await contents(tab).getByText("after the cut").waitFor();
    await context.close();
    await cable.cut();
    forgetFailedConnections();
  });
});

describe("a server that is started anew", () => {
  test("is joined again, and shows what it has now", async () => {
    const board = freshBoard();
    const { port } = worker;
    await pin(board, "of the old server");
    const tab = await openTab(boardHash(board));
    await contents(tab).getByText("of the old server").waitFor();
    await worker.stop();
    await said(tab, "Reconnecting");
    // With storage of its own, so that the board is not there until it is written to.
    worker = await startWrangler("wrangler.toml", { port, vars: VARS });
    await pin(board, "of the new server");
    await contents(tab).getByText("of the new server").waitFor();
    await said(tab, "Live");
    expect(await contents(tab).innerText()).not.toContain("of the old server");
    await pin(board, "live again");
    await contents(tab).getByText("live again").waitFor();
    expect(await notReloaded(tab)).toBe(true);
    forgetFailedConnections();
  });
});

describe("on a small screen", () => {
  test("the list and the resource take turns, each with the state of the connection, and nothing is too wide", async () => {
    const board = freshBoard();
    await pin(board, "small");
    const tab = await openTab("");
    await tab.setViewportSize({ width: 390, height: 844 });
    await tab.goto(`${worker.url}/#/`);
    await listed(tab, board).click();
    await contents(tab).getByText("small").waitFor();
    expect(await resources(tab).isVisible()).toBe(false);
    await tab.getByRole("article").getByText("Live", { exact: true }).waitFor();
    const overflow = await tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
    await tab.getByRole("link", { name: "Tools and resources" }).click();
    await resources(tab).waitFor();
  });
});

describe("screenshots", () => {
  test("a board that has just changed is drawn in both colour schemes and at both widths", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-edge-page-live-"));
    const keep = process.env["KEEP_SCREENSHOTS"] !== undefined;
    const board = freshBoard();
    await pin(board, "Tea for the meeting");
    await pin(board, "Ask about the lease: it ends in March, and they want to know by January");
    const tab = await openTab(boardHash(board));
    await contents(tab).getByText("Tea for the meeting").waitFor();
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize({ width, height });
        const news = `Seen in ${colorScheme} at ${width}`;
        await pin(board, news);
        await pin(`${board} ${colorScheme} ${width}`, "x");
        await contents(tab).getByText(news).waitFor();
        // Out of sight on the small screen.
        await tab.locator("nav li", { hasText: `${colorScheme} ${width}` }).waitFor({ state: "attached" });
        const shot = await tab.screenshot({ fullPage: true, path: join(folder, `live-${width}-${colorScheme}.png`) });
        expect(shot.length).toBeGreaterThan(10_000);
      }
    }
    if (keep) console.info(`screenshots: ${folder}`);
    else await rm(folder, { recursive: true });
  });
});

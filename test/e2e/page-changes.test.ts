/**
 * The page kept up to date, in Chromium, against the pinboard: what one tab does shows in another, what happened while
 * there was no connection shows once there is one again, and the section "Changes" tells of all of it.
 */
import { connect, createServer, type Socket } from "node:net";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Fetcher, post } from "../kit/post.ts";
import { openTab, type RunningPage, startPage, type Tab } from "./page-kit.ts";
import { findFreePort } from "./wrangler-dev.ts";

const NETWORK: Fetcher = { fetch: (request) => fetch(request) };

let running: RunningPage;
let tabs: Tab[];

beforeAll(async () => {
  running = await startPage();
});

afterAll(() => running?.stop());

beforeEach(() => {
  tabs = [];
});

afterEach(async () => {
  for (const { context, complaints } of tabs) {
    await context.close();
    expect(complaints).toEqual([]);
  }
});

/** A board that no other test writes to, nor an earlier run. */
let boards = 0;
const freshBoard = (): string => `live ${++boards} of ${Date.now()}`;
const uriOf = (board: string): string => `board://${encodeURIComponent(board)}`;
const hashOf = (uri: string): string => `#/resources/${encodeURIComponent(uri)}`;

/** A tab that will say so if it was loaded again. */
async function open(hash: string, url = running.url): Promise<Page> {
  const tab = await openTab(running.browser);
  tab.context.setDefaultTimeout(30_000);
  tabs.push(tab);
  await tab.page.goto(`${url}/${hash}`);
  await tab.page.evaluate("globalThis.notReloaded = true");
  return tab.page;
}

async function openLive(uri: string, url = running.url): Promise<Page> {
  const page = await open(hashOf(uri), url);
  await says(page, "Live");
  return page;
}

const says = (page: Page, state: string | RegExp): Promise<void> =>
  page.getByRole("main").getByRole("status").getByText(state, { exact: true }).waitFor();
const contents = (page: Page): Locator => page.getByRole("region", { name: "Contents" });
const listed = (page: Page, board: string): Locator =>
  page.getByRole("navigation", { name: "Resources" }).getByRole("link", { name: new RegExp(`^${board} board:`) });
const difference = (page: Page): Locator => page.getByRole("region", { name: "Changes" });
const notReloaded = (page: Page): Promise<unknown> => page.evaluate("globalThis.notReloaded");

async function pin(board: string, text: string): Promise<void> {
  const reply = await call(NETWORK, "add_note", { board, text }, { url: `${running.url}/mcp` });
  expect(reply.text).toContain("Pinned note");
}

/** Deletes the first note of a board, and agrees to it. */
async function unpin(board: string): Promise<void> {
  const options = { url: `${running.url}/mcp`, capabilities: { elicitation: { form: {} } } };
  const asked = { name: "delete_note", arguments: { board, id: 1 } };
  const { message } = await post(NETWORK, "tools/call", asked, options);
  const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
  const answered = { ...asked, inputResponses, requestState: message?.result?.["requestState"] };
  const reply = await post(NETWORK, "tools/call", answered, options);
  expect(reply.text).toContain("Deleted note 1");
}

describe("two tabs", () => {
  test("a board and its notes, added by the form in one, show in the other, with what changed", async () => {
    const board = freshBoard();
    const watching = await open("#/resources");
    await watching.getByRole("navigation", { name: "Resources" }).waitFor();
    const writing = await open("#/tools/add_note");
    const write = async (text: string): Promise<void> => {
      await writing.getByLabel(/^Board/).fill(board);
      await writing.getByLabel(/^Text/).fill(text);
      await writing.getByRole("button", { name: "Call", exact: true }).click();
      await writing.getByRole("dialog").getByRole("button", { name: "Call", exact: true }).click();
    };
    await write("Water the plants");
    await listed(watching, board).click();
    await contents(watching).getByText("Water the plants").waitFor();
    await says(watching, "Live");
    await write("Feed the cat");
    await contents(watching).getByText("Feed the cat").waitFor();
    await watching.getByText(/^Changed at \d/).waitFor();
    const added = difference(watching).locator("ins");
    expect(await added.allInnerTexts()).toEqual([expect.stringMatching(/^\+.*Feed the cat\s*$/)]);
    expect(await difference(watching).locator("del").count()).toBe(0);
    expect(await notReloaded(watching)).toBe(true);
  });

  test("an edit shows on the board and on the note", async () => {
    const board = freshBoard();
    await pin(board, "first thought");
    const onBoard = await openLive(uriOf(board));
    const onNote = await openLive(`note://${encodeURIComponent(board)}/1`);
    await contents(onNote).getByText("first thought").waitFor();
    const edit = { board, id: 1, text: "second thought" };
    await call(NETWORK, "edit_note", edit, { url: `${running.url}/mcp` });
    await contents(onBoard).getByText("second thought").waitFor();
    await contents(onNote).getByText("second thought").waitFor();
    expect(await contents(onNote).innerText()).not.toContain("first thought");
    expect(await difference(onNote).locator("del").innerText()).toContain("first thought");
  });

  test("a board whose last note is deleted leaves the list, is said to be gone, and can come back", async () => {
    const board = freshBoard();
    await pin(board, "only thought");
    const page = await openLive(uriOf(board));
    await listed(page, board).waitFor();
    await unpin(board);
    await listed(page, board).waitFor({ state: "detached" });
    await page
      .getByText(/Resource not found/)
      .first()
      .waitFor();
    expect(await contents(page).innerText()).toContain("only thought");
    await pin(board, "anew");
    await contents(page).getByText("anew").waitFor();
    await page.getByText(/Resource not found/).waitFor({ state: "detached" });
  });

  test("text that looks like markup stays text", async () => {
    const board = freshBoard();
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await pin(board, "harmless");
    const page = await openLive(uriOf(board));
    await pin(board, hostile);
    await contents(page).getByText(hostile).waitFor();
    expect(await page.getByRole("article").locator("img, script").count()).toBe(0);
    expect(await page.title()).not.toBe("owned");
  });

  test("the focus, what was typed and the choice stay while other boards come", async () => {
    const board = freshBoard();
    await pin(board, "x");
    const page = await openLive(uriOf(board));
    await page.getByRole("searchbox", { name: "Search resources" }).fill(board);
    await listed(page, board).focus();
    for (const other of [`after ${board}`, `before ${board}`]) {
      await pin(other, "x");
      await listed(page, other).waitFor();
    }
    expect(await page.evaluate("document.activeElement.dataset.key")).toBe(uriOf(board));
    expect(await page.getByRole("searchbox", { name: "Search resources" }).inputValue()).toBe(board);
    expect(await listed(page, board).getAttribute("aria-current")).toBe("page");
  });

  test("the focus inside the contents stays when they change", async () => {
    const board = freshBoard();
    await pin(board, "one");
    const page = await openLive(uriOf(board));
    await contents(page).getByRole("button", { name: "Copy", exact: true }).focus();
    await pin(board, "two");
    await contents(page).getByText("two").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Copy");
  });
});

describe("the section Changes", () => {
  test("says that it is live and what is granted, and lists what changes, the newest first", async () => {
    const board = freshBoard();
    await pin(board, "one");
    const page = await openLive(uriOf(board));
    await page.getByRole("link", { name: /^Changes/ }).click();
    await page.getByRole("heading", { name: "Changes" }).waitFor();
    await says(page, "Live");
    await page
      .getByText(`Granted: toolsListChanged, promptsListChanged, resourcesListChanged, ${uriOf(board)}`)
      .waitFor();
    await pin(board, "two");
    const log = page.getByRole("log", { name: "Changes" });
    await log.getByRole("link", { name: uriOf(board) }).waitFor();
    await pin(freshBoard(), "x");
    await log.getByRole("link", { name: "resources" }).waitFor();
    expect(await log.getByRole("listitem").first().innerText()).toMatch(/^\d+:\d\d:\d\d.* resources changed$/);
    expect(await page.getByText("What changes shows here.").isVisible()).toBe(false);
    await log.getByRole("link", { name: uriOf(board) }).click();
    await page.getByRole("heading", { name: board, level: 2 }).waitFor();
    await contents(page).getByText("two").waitFor();
  });
});

/** Passes bytes on to the page's server, until it is cut. */
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
      const far = connect(Number(new URL(running.url).port), "127.0.0.1");
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

describe("a connection that breaks", () => {
  test("is made again, and what changed meanwhile shows then", async () => {
    const [kept, gone, added] = [freshBoard(), freshBoard(), freshBoard()];
    await pin(kept, "before the cut");
    await pin(gone, "not for long");
    const cable = new Cable(await findFreePort());
    await cable.plugIn();
    const page = await openLive(uriOf(kept), cable.url);
    await contents(page).getByText("before the cut").waitFor();
    await listed(page, gone).waitFor();
    await cable.cut();
    await says(page, /^Joins again in \d+ s$/);
    await pin(kept, "during the cut");
    await pin(added, "new board");
    await unpin(gone);
    await cable.plugIn();
    await says(page, "Live");
    await contents(page).getByText("during the cut").waitFor();
    await listed(page, added).waitFor();
    await listed(page, gone).waitFor({ state: "detached" });
    expect(await notReloaded(page)).toBe(true);
    await pin(kept, "after the cut");
    await contents(page).getByText("after the cut").waitFor();
    await page.getByRole("link", { name: /^Changes/ }).click();
    await page.getByText(/Joined again/).waitFor();
    const [tab] = tabs.splice(0);
    await tab?.context.close();
    await cable.cut();
    // The browser's own notes of connections that failed.
    expect(tab?.complaints.filter((text) => !/net::ERR_|Failed to load resource/.test(text))).toEqual([]);
  });
});

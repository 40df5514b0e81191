/**
 * The page in Chromium, against the deployable Worker on workerd: what a person does and sees.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

let worker: RunningWorker;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Console errors, refused by the CSP or not, and uncaught exceptions. */
let complaints: string[];

beforeAll(async () => {
  [worker, browser] = await Promise.all([
    startWrangler("wrangler.toml", { vars: { ALLOWED_HOSTS: "loopback" } }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), worker?.stop()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(15_000);
  page = await context.newPage();
  complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

/** A board that no other test writes to. */
let boards = 0;
const freshBoard = (): string => `board ${++boards}`;

async function openTool(name: string): Promise<void> {
  await page.goto(`${worker.url}/#/${name}`);
  await page.locator(".tool-head code", { hasText: name }).waitFor();
}

function field(label: string): Locator {
  return page.getByLabel(new RegExp(`^${label}`));
}

/** Calls the open tool and waits for the state it ends in. */
async function call(state: string): Promise<void> {
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText(state, { exact: true }).waitFor();
}

async function pin(board: string, ...texts: string[]): Promise<void> {
  await openTool("add_note");
  for (const text of texts) {
    await field("Board").fill(board);
    await field("Text").fill(text);
    await call("Done");
  }
}

const resultText = (): Promise<string> => page.locator(".result").innerText();

async function startDeleting(board: string): Promise<Locator> {
  await pin(board, "precious thought");
  await openTool("delete_note");
  await field("Board").fill(board);
  await field("Note").fill("1");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  expect(await dialog.innerText()).toContain("precious thought");
  return dialog;
}

/** Scripts for the page are text: this file knows no DOM. */
const COLLECT_STEPS = `new Promise((resolve) => {
  const steps = [];
  const line = document.querySelector(".step");
  new MutationObserver(() => steps.push(line.textContent)).observe(line, { childList: true });
  const state = document.querySelector("[role=status]");
  new MutationObserver(() => state.textContent === "Done" && resolve(steps)).observe(state, { childList: true });
})`;

describe("on arrival", () => {
  test("the server introduces itself, and every tool is listed with its hints", async () => {
    await page.goto(worker.url);
    await page.getByRole("heading", { name: "Pinboard" }).waitFor();
    const tools = page.getByRole("navigation", { name: "Tools" }).getByRole("link");
    await tools.first().waitFor();
    expect(await tools.count()).toBe(7);
    expect(await tools.filter({ hasText: "Search notes" }).innerText()).toContain("read only");
    expect(await tools.filter({ hasText: "Delete a note" }).innerText()).toContain("destructive");
    // On a wide screen the first tool is open already.
    await page.getByRole("heading", { name: "Add a note" }).waitFor();
  });

  test("the page forbids scripts and objects from elsewhere, and framing", async () => {
    const response = await page.goto(worker.url);
    const policy = (await response?.headerValue("content-security-policy")) ?? "";
    for (const directive of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(directive);
    }
    expect(policy).not.toContain("unsafe");
  });

  test("a server that is not there is said to be missing, with a way to try again", async () => {
    await page.goto(`${worker.url}/?server=${encodeURIComponent(`${worker.url}/nowhere`)}`);
    await page.getByRole("heading", { name: "This server did not introduce itself" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    complaints = complaints.filter((text) => !text.includes("404")); // The browser's own note of the answer.
  });
});

describe("calling a tool", () => {
  test("a note added from the form is answered with its number and a link", async () => {
    await pin(freshBoard(), "Water the plants");
    expect(await resultText()).toContain("Pinned note 1");
    expect(await resultText()).toContain("Water the plants");
  });

  test("the form insists on what is required before anything is sent", async () => {
    await openTool("add_note");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    expect(await page.locator("input:invalid").count()).toBe(1);
    expect(await page.getByRole("status").innerText()).toBe("Not called yet");
  });

  test("what the server refuses is shown as an error", async () => {
    await openTool("add_note");
    await field("Board").fill("a/b");
    await field("Text").fill("x");
    await call("Tool error");
    expect(await page.locator(".failure").innerText()).toContain("/board");
  });

  test("an argument that belongs in a header travels there, whatever script it is in", async () => {
    const board = `заметки ${freshBoard()}`;
    await pin(board, "первая", "вторая");
    await openTool("search_notes");
    await field("Board").fill(board);
    await field("Text to look for").fill("ВТОРАЯ");
    await call("Done");
    expect(await resultText()).toContain("1 note with “ВТОРАЯ”");
    await page.getByText("Wire", { exact: true }).click();
    const sent = await page.getByRole("region", { name: "Request" }).innerText();
    expect(sent).toMatch(/mcp-param-board: =\?base64\?[A-Za-z0-9+/=]+\?=/i);
    expect(sent).toContain("Mcp-Name: search_notes");
    expect(await page.getByRole("region", { name: "Response" }).innerText()).toContain("HTTP 200");
  });

  test("structured content is shown once, as JSON", async () => {
    const board = freshBoard();
    await pin(board, "two words");
    await openTool("board_stats");
    await field("Board").fill(board);
    await call("Done");
    expect(await page.locator(".result > *").count()).toBe(1);
    expect(await resultText()).toContain('"words": 2');
  });

  test("an image is shown as one", async () => {
    const board = freshBoard();
    await pin(board, "one", "two", "three");
    await openTool("draw_board");
    await field("Board").fill(board);
    await call("Done");
    await page.getByRole("img", { name: "Image returned by the tool" }).waitFor();
    expect(await page.evaluate("document.querySelector('.result img').naturalWidth")).toBeGreaterThan(300);
  });

  test("text from a note stays text", async () => {
    const board = freshBoard();
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await pin(board, hostile);
    await openTool("search_notes");
    await field("Board").fill(board);
    await call("Done");
    expect(await resultText()).toContain(hostile);
    expect(await page.title()).not.toBe("owned");
  });

  test("Ctrl+Enter calls, from within a field", async () => {
    await openTool("add_note");
    await field("Board").fill(freshBoard());
    await field("Text").fill("by keyboard");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await resultText()).toContain("Pinned note 1");
  });
});

describe("a tool that asks back", () => {
  test("deletes once the person agreed in the dialog", async () => {
    const dialog = await startDeleting(freshBoard());
    await dialog.getByRole("checkbox").check();
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await resultText()).toContain("Deleted note 1");
    await page.getByText("Wire", { exact: true }).click();
    expect(await page.getByRole("region", { name: /^Request/ }).count()).toBe(2);
  });

  test("keeps the note when the person declines", async () => {
    const dialog = await startDeleting(freshBoard());
    await dialog.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await resultText()).toContain("stays");
  });

  test("keeps the note when the person presses Escape", async () => {
    await startDeleting(freshBoard());
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await resultText()).toContain("Nobody decided");
  });
});

describe("a tool that takes a while", () => {
  const LINES = Array.from({ length: 400 }, (_, n) => `thought ${n + 1}`).join("\n");

  test("shows how far it is", async () => {
    await openTool("import_notes");
    await field("Board").fill(freshBoard());
    await field("Lines").fill(LINES);
    const steps = page.evaluate<string[]>(COLLECT_STEPS);
    await call("Done");
    expect(await resultText()).toContain("Pinned 400 notes");
    expect(await steps).toEqual(expect.arrayContaining([expect.stringMatching(/^\d+ of 400: thought \d+$/)]));
  });

  test("can be cancelled, and stops then", async () => {
    const board = freshBoard();
    await openTool("import_notes");
    await field("Board").fill(board);
    await field("Lines").fill(LINES);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".step", { hasText: "of 400" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("status").getByText("Cancelled").waitFor();
    await openTool("board_stats");
    await field("Board").fill(board);
    await call("Done");
    const pinned = Number(/"notes": (\d+)/.exec(await resultText())?.[1]);
    expect(pinned).toBeGreaterThan(0);
    expect(pinned).toBeLessThan(400);
  });
});

describe("on a small screen", () => {
  test("the list and the tool take turns, and nothing is wider than the screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(worker.url);
    await page.getByRole("link", { name: /Search notes/ }).click();
    await page.getByRole("heading", { name: "Search notes" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Tools" }).isVisible()).toBe(false);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
    await page.getByRole("link", { name: "All tools" }).click();
    await page.getByRole("navigation", { name: "Tools" }).waitFor();
  });
});

describe("screenshots", () => {
  test("the page is drawn in both colour schemes and at both widths", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-edge-page-"));
    const keep = process.env["KEEP_SCREENSHOTS"] !== undefined;
    const board = freshBoard();
    await pin(board, "Tea for the meeting", "Ask about the lease: it ends in March, and they want to know by January");
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await openTool("draw_board");
        await field("Board").fill(board);
        await call("Done");
        const shot = await page.screenshot({ fullPage: true, path: join(folder, `draw-${width}-${colorScheme}.png`) });
        expect(shot.length).toBeGreaterThan(10_000);
      }
    }
    if (keep) console.info(`screenshots: ${folder}`);
    else await rm(folder, { recursive: true });
  });
});

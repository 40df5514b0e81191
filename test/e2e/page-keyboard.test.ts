/**
 * The page without a pointer: the palette, the shortcuts, and a whole journey by keys alone.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab } from "./page-kit.ts";

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
  await page.goto(running.url);
  await page.getByRole("heading", { level: 2, name: "Add a note" }).waitFor();
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints).toEqual([]);
});

const palette = (): Locator => page.getByRole("dialog", { name: "Search" });
/** What Enter would do: the button that has the focus, or the first. */
const selected = (): Promise<string> =>
  palette().locator("button:focus, input:focus + ul > li:first-child button").innerText();
/** What has the focus, as its words or its name. */
const focused = (): Promise<string> =>
  page.evaluate(
    "(({ ariaLabel, labels, textContent }) => ariaLabel || labels?.[0]?.textContent || textContent)(document.activeElement)",
  );

async function tabTo(words: RegExp): Promise<void> {
  for (let press = 0; press < 60; press++) {
    if (words.test(await focused())) return;
    await page.keyboard.press("Tab");
  }
  expect.fail(`Tab does not lead to ${String(words)}`);
}

describe("the palette", () => {
  test("finds a tool by parts of its words, and Enter goes there", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sea not");
    expect(await selected()).toContain("search_notes");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Search notes" }).waitFor();
    expect(await palette().count()).toBe(0);
  });

  test("is walked with the arrows, round and round, and left with Escape, the focus where it was", async () => {
    await page.getByLabel(/^Board/).focus();
    await page.keyboard.press("Control+k");
    const first = await selected();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await selected()).not.toBe(first);
    await page.keyboard.press("ArrowUp");
    expect(await selected()).toBe(first);
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe("Search");
    await page.keyboard.press("ArrowUp");
    expect(await selected()).not.toBe(first);
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Search");
    await page.keyboard.press("Escape");
    expect(await focused()).toContain("Board");
  });

  test("does what it names: a section, another server, connecting anew", async () => {
    await page.getByRole("button", { name: /^Search/ }).click();
    await page.keyboard.type("go wire");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("#/wire");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("reconnect");
    const asked = page.waitForRequest((request) => request.headers()["mcp-method"] === "server/discover");
    await page.keyboard.press("Enter");
    await asked;
  });

  test("finds a prompt that nobody has looked at yet, and sections before anything else", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sum up a");
    await palette()
      .getByRole("button", { name: /prompt summarise_board/ })
      .waitFor();
    await palette().getByRole("textbox").fill("wire");
    expect(await selected()).toMatch(/^Wire/);
    await palette().getByRole("textbox").fill("Add a note");
    expect(await selected()).toContain("add_note");
  });

  test("finds nothing without being upset", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zzzzzz");
    expect(await palette().getByRole("button").count()).toBe(0);
    await palette().getByRole("status").getByText("Nothing matches.").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  });
});

describe("shortcuts", () => {
  test("lead to the sections and the search of a list", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByRole("heading", { level: 2, name: "Prompts" }).waitFor();
    await page.getByRole("searchbox", { name: "Search prompts" }).waitFor();
    await page.keyboard.press("/");
    await expect.poll(focused).toBe("Search prompts");
  });

  test("of a single key are none while one types", async () => {
    await page.getByLabel(/^Text/).focus();
    await page.keyboard.type("g p /");
    expect(await page.getByLabel(/^Text/).inputValue()).toBe("g p /");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("are listed with what they lead to, and can be switched off for good, and on again", async () => {
    await page.keyboard.press("Control+k");
    await palette().getByRole("button", { name: "Wire go to · g w" }).waitFor();
    await palette().getByRole("button", { name: "Search the list /" }).waitFor();
    await page.keyboard.type("single keys off");
    await page.keyboard.press("Enter");
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "Add a note" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.keyboard.press("/");
    expect(await focused()).not.toBe("Search tools");
    expect(page.url()).not.toContain("prompts");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("single keys on");
    await page.keyboard.press("Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await expect.poll(focused).toBe("Search tools");
  });

  test("are done from the palette too", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("search the list");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Search tools");
  });
});

test("from another server to a tool's result without a pointer", async () => {
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect.poll(focused).toBe("Servers");
  await tabTo(/^URL/);
  await page.keyboard.type(running.peer);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("test_simple_text");
  await page.getByRole("button", { name: /test_simple_text/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "test_simple_text" }).waitFor();
  await tabTo(/^Call$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(/^Call$/);
  await page.keyboard.press("Enter");
  await page.getByText("Done", { exact: true }).waitFor();
  await page.getByText(/simple text response/i).waitFor();
});

/**
 * Every view of the page by axe-core's rules, light and dark, wide and narrow: nothing serious, nothing critical. And none
 * of them is wider than a phone.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

let running: RunningPage;
let axe: string;
let tab: Tab | undefined;

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  running = await startPage({ peer: true });
});

afterAll(() => running?.stop());

afterEach(async () => {
  await tab?.context.close();
  tab = undefined;
});

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Of what the page shows now. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ""}`));
}

interface View {
  readonly name: string;
  /** After `#/`. */
  readonly at: string;
  /** From the first look to what is to be judged. */
  readonly arrange?: (page: Page) => Promise<void>;
  readonly server?: (running: RunningPage) => string;
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).first().click();

const VIEWS: readonly View[] = [
  { name: "a tool", at: "tools/add_note" },
  {
    name: "a tool's result",
    at: "tools/board_stats",
    arrange: async (page) => {
      await page.getByLabel(/^Board/).fill("kitchen");
      await press(page, "Call");
      await page.locator(".run .state[data-tone]:not([data-tone=running])").waitFor();
    },
  },
  {
    name: "the question before a call",
    at: "tools/add_note",
    arrange: async (page) => {
      await page.getByLabel(/^Board/).fill("kitchen");
      await page.getByLabel(/^Text/).fill("milk");
      await press(page, "Call");
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "a tool that is not there", at: "tools/nowhere" },
  { name: "a resource", at: `resources/${encodeURIComponent("board://kitchen")}` },
  { name: "the resources", at: "resources" },
  { name: "a prompt", at: "prompts" },
  { name: "the changes", at: "listen" },
  { name: "the wire", at: "wire" },
  { name: "an exchange", at: "wire/1" },
  { name: "the chat", at: "chat", arrange: (page) => page.getByRole("log").waitFor() },
  { name: "the servers", at: "servers" },
  {
    name: "the palette",
    at: "tools",
    arrange: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search" }).waitFor();
    },
  },
  { name: "a server that is not there", at: "tools", server: ({ url }) => `${url}/nowhere` },
  { name: "the tools of another server", at: "tools", server: ({ peer }) => peer },
];

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light and wide", { colorScheme: "light" }],
  ["dark and wide", { colorScheme: "dark" }],
  ["light and narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
  ["dark and narrow", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
];

describe.each(LOOKS)("%s", (_look, options) => {
  test.each(VIEWS)("$name: nothing serious by axe-core, and no wider than the screen", async (view) => {
    tab = await openTab(running.browser, options);
    const { page } = tab;
    // The checker comes from outside, which the page's own policy forbids to everybody else.
    await page.addInitScript(axe);
    const fragment = `#/${view.at}`;
    const server = view.server?.(running);
    await page.goto(server === undefined ? `${running.url}/${fragment}` : withServer(running.url, server, fragment));
    await page.locator("main :is(h2, h3, .empty):visible").first().waitFor();
    await view.arrange?.(page);
    // Colours that are on their way are of no use to the checker.
    await page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finish()))");
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  });
});

test("the checker finds what is there: a picture without words is reported", async () => {
  tab = await openTab(running.browser);
  const { page } = tab;
  await page.addInitScript(axe);
  await page.goto(`${running.url}/#/servers`);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  await page.evaluate(
    "document.querySelector('main').append(Object.assign(new Image(), { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=' }))",
  );
  expect((await violations(page)).join()).toContain("image-alt");
});

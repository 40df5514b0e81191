/**
 * The page as a whole: what it weighs, what it forbids, and how one gets about in it.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

const DIST = join(import.meta.dirname, "../../dist/web");
/** All files, compressed as a server does. */
const MAX_BYTES = 60_000;

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
  expect(tab.complaints).toEqual([]);
});

const section = (name: string): Promise<void> =>
  page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: new RegExp(`^${name}`) })
    .click();

test("all its files are within their budget", async () => {
  await import("../../web/build.ts");
  const names = (await readdir(DIST)).filter((name) => name !== "_headers");
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(DIST, name)), { level: 9 }).length),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

test("it forbids scripts and objects from elsewhere, and framing", async () => {
  const response = await page.goto(running.url);
  const policy = (await response?.headerValue("content-security-policy")) ?? "";
  for (const directive of [
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy).toContain(directive);
  expect(policy).not.toContain("unsafe");
});

test("the server introduces itself, and the first tool is open", async () => {
  await page.goto(running.url);
  await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("heading", { level: 2, name: "Add a note" }).waitFor();
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Tools" }).waitFor();
  expect(await page.title()).toBe("Pinboard · MCP");
});

test("every place has an address: Back and Forward lead there, and a new tab opens it", async () => {
  await page.goto(running.url);
  await page.getByRole("link", { name: /Search notes/ }).click();
  await page.getByRole("heading", { level: 2, name: "Search notes" }).waitFor();
  await section("Prompts");
  await page.getByRole("heading", { level: 2, name: "Prompts" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 2, name: "Search notes" }).waitFor();
  await page.goForward();
  await page.getByRole("heading", { level: 2, name: "Prompts" }).waitFor();
  const other = await tab.context.newPage();
  await other.goto(`${running.url}/#/tools/search_notes`);
  await other.getByRole("heading", { level: 2, name: "Search notes" }).waitFor();
});

test("what was typed is still there after a look elsewhere", async () => {
  await page.goto(`${running.url}/#/tools/add_note`);
  await page.getByLabel(/^Board/).fill("kitchen");
  await section("Wire");
  await page
    .getByRole("link", { name: /tools\/list/ })
    .first()
    .waitFor();
  await section("Tools");
  await page.getByRole("link", { name: /Add a note/ }).click();
  expect(await page.getByLabel(/^Board/).inputValue()).toBe("kitchen");
});

test("the link that skips the navigation leads to the content, and changes nothing", async () => {
  await page.goto(`${running.url}/#/prompts`);
  await page.getByRole("heading", { level: 2, name: "Prompts" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("pane");
  await page.getByRole("heading", { level: 2, name: "Prompts" }).waitFor();
});

test("who moves to a place has the focus at its heading", async () => {
  await page.goto(running.url);
  await page.getByRole("link", { name: /Search notes/ }).click();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Search notes");
});

test("another server is one address away", async () => {
  await page.goto(withServer(running.url, running.peer));
  await page.getByRole("heading", { level: 1, name: /mcp-edge-conformance/ }).waitFor();
});

test("nothing moves by itself for those who ask for that", async () => {
  await tab.context.close();
  tab = await openTab(running.browser, { reducedMotion: "reduce" });
  page = tab.page;
  await page.goto(`${running.url}/#/tools/import_notes`);
  await page.getByRole("heading", { level: 2, name: "Import notes" }).waitFor();
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
});

/** Answers at `/mcp-fake` what `results` says by method, as it is at the time. */
async function fake(results: Record<string, object>): Promise<void> {
  await page.route("**/mcp-fake", async (route, request) => {
    const { id, method } = request.postDataJSON() as { id: number; method: string };
    const common = { resultType: "complete", supportedVersions: ["2026-07-28"], ttlMs: 0, cacheScope: "private" };
    await route.fulfill({ json: { jsonrpc: "2.0", id, result: { ...common, ...results[method] } } });
  });
}

test("entries without what they go by are left out, and the others are shown", async () => {
  const odd = [null, {}, 7, { name: 5 }, { uri: 5 }, "x"];
  await fake({
    "server/discover": { capabilities: { prompts: {}, resources: {} } },
    "prompts/list": { prompts: [...odd, { name: "good prompt" }] },
    "resources/list": { resources: [...odd, { uri: "a:b", name: "good resource" }] },
    "resources/templates/list": { resourceTemplates: odd },
  });
  for (const [at, name] of [
    ["prompts", "good prompt"],
    ["resources", "good resource"],
  ] as const) {
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, `#/${at}`));
    await page.getByRole("link", { name: new RegExp(name) }).waitFor();
  }
});

test("what a server offers since it was connected to anew is there", async () => {
  const results: Record<string, object> = {
    "server/discover": { capabilities: {} },
    "tools/list": { tools: [{ name: "late", inputSchema: { type: "object" } }] },
  };
  await fake(results);
  await page.goto(withServer(running.url, `${running.url}/mcp-fake`));
  await page.getByText("This server offers no tools.").waitFor();
  results["server/discover"] = { capabilities: { tools: {} } };
  await section("Servers");
  await page.getByRole("button", { name: "Reconnect" }).click();
  await section("Tools");
  await page.getByRole("link", { name: "late" }).waitFor();
});

test("a tool that breaks the rules for mirrored arguments is left out, with a word why", async () => {
  const bad = { type: "object", properties: { a: { type: "string", "x-mcp-header": "no token" } } };
  await page.route("**/mcp-fake", async (route, request) => {
    const { id, method } = request.postDataJSON() as { id: number; method: string };
    const result =
      method === "tools/list"
        ? {
            tools: [
              { name: "fine", inputSchema: { type: "object" } },
              { name: "broken", inputSchema: bad },
            ],
          }
        : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result },
    });
    await route.fulfill({ contentType: "application/json", body });
  });
  await page.goto(withServer(running.url, `${running.url}/mcp-fake`));
  await page.getByRole("link", { name: "fine" }).waitFor();
  expect(await page.getByRole("link", { name: "broken" }).count()).toBe(0);
  expect(await page.locator("ul.hint").innerText()).toContain("broken");
});

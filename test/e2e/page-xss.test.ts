/**
 * A server that means harm: nothing that it says is more than text, wherever on the page it is shown.
 *
 * The test goes wherever the page leads, opens whatever opens, and presses what shows more. It knows sections and tools by
 * name only.
 */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { HostileServer, PAYLOADS } from "./hostile-server.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

const SECTIONS = ["tools", "resources", "prompts", "listen", "wire", "servers"];
const WATCH = `
  globalThis.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.blockedURI));
`;
/** Resolves when nothing has changed for a moment. */
const QUIET = `new Promise((resolve) => {
  let timer = setTimeout(resolve, 150);
  const observer = new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => (observer.disconnect(), resolve()), 150);
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
})`;
/**
 * Opens what opens, presses what shows more, and takes what it has seen off the list. Text counts as it is or as JSON writes it,
 * whatever its white space.
 */
const LOOK = `(async () => {
  const plain = (text) => text.replace(/\\s+/g, " ");
  const pane = document.body;
  const note = () => {
    const fields = [...pane.querySelectorAll("input, textarea, option")].map((field) => field.value + " " + field.label);
    const seen = plain([pane.innerText, ...fields].join(" "));
    const isSeen = (text) => seen.includes(plain(text)) || seen.includes(plain(JSON.stringify(text).slice(1, -1)));
    globalThis.awaited = globalThis.awaited.filter((text) => !isSeen(text));
  };
  const pressed = new Set();
  for (let round = 0; round < 5; round++) {
    for (const closed of pane.querySelectorAll("details:not([open])")) closed.open = true;
    await new Promise((resolve) => setTimeout(resolve));
    note();
    for (const button of document.querySelectorAll("#pane button")) {
      if (pressed.has(button) || !/^(Text|Markdown|Tree|Table|JSON|\\d+ more|… all .*)$/.test(button.textContent)) continue;
      pressed.add(button);
      button.click();
      note();
    }
  }
})()`;

let running: RunningPage;
let tab: Tab;
let page: Page;
let hostile: HostileServer;
/** What must never come: dialogs, windows, requests to others. */
let alarms: string[];
let heard: Set<string>;

beforeAll(async () => {
  running = await startPage();
});

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser);
  ({ page } = tab);
  alarms = [];
  heard = new Set();
  page.on("dialog", (dialog) => {
    alarms.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => alarms.push(`window ${popup.url()}`));
  page.on("download", (download) => alarms.push(`download ${download.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${running.url}/`) && !/^(?:data|blob):/.test(url)) alarms.push(`request ${url}`);
  });
  await page.addInitScript(WATCH);
  hostile = new HostileServer();
  await hostile.serve(page, "**/mcp-hostile");
  await page.goto(withServer(running.url, `${running.url}/mcp-hostile`));
  await page.getByRole("heading", { level: 1, name: /^server-title/ }).waitFor();
  await page.evaluate("globalThis.awaited = []");
});

afterEach(async () => {
  const executed = await page.evaluate("[globalThis.pwned, ...globalThis.violations]");
  const address = page.url();
  await tab.context.close();
  expect(executed).toEqual([undefined]);
  expect(address).toContain(`${running.url}/?server=`);
  expect(alarms).toEqual([]);
  expect(tab.complaints).toEqual([]);
});

/** Goes there and looks at everything. */
async function visit(section: string, ...path: readonly string[]): Promise<void> {
  const fragment = `#/${[section, ...path].map(encodeURIComponent).join("/")}`;
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await look();
}

async function look(): Promise<void> {
  await page.evaluate(QUIET);
  // Each is awaited from when it was first said.
  const fresh = [...hostile.said].filter((text) => !heard.has(text));
  for (const text of fresh) heard.add(text);
  await page.evaluate(`globalThis.awaited.push(...${JSON.stringify(fresh)})`);
  await page.evaluate(LOOK);
}

/** What was never seen of what was said in these places. Fails where nothing was said. */
async function unseen(...places: readonly string[]): Promise<string[]> {
  await look();
  const silent = places.filter((place) => ![...heard].some((text) => text.startsWith(place)));
  expect(silent).toEqual([]);
  const left = await page.evaluate<string[]>("globalThis.awaited");
  return left.filter((text) => places.some((place) => text.startsWith(place))).map((text) => text.slice(0, 60));
}

async function press(name: string): Promise<void> {
  await page.evaluate(QUIET);
  const button = page.getByRole("button", { name, exact: true });
  if (await button.first().isVisible()) await button.first().click();
}

test("it introduces itself in text, in every section", async () => {
  for (const section of SECTIONS) await visit(section);
  expect(await unseen("server-", "instructions")).toEqual([]);
});

test("tools, their forms, results, errors, and progress are text", async () => {
  for (const name of hostile.toolNames) {
    const before = hostile.calls;
    await visit("tools", name);
    await press("Call");
    await look();
    const dialog = page.getByRole("dialog");
    // Again where the arguments were held back at first.
    if (hostile.calls === before && !(await dialog.isVisible())) await press("Call");
    await look();
    if (await dialog.isVisible()) await dialog.getByRole("button", { name: "Call", exact: true }).click();
    await look();
  }
  await visit("wire");
  const exchanges = await page
    .locator("#pane a[href^='#/wire/']")
    .evaluateAll((links) => links.map((link) => link.hash.slice(7)));
  for (const exchange of exchanges.slice(0, 12)) await visit("wire", exchange);
  expect(hostile.calls).toBe(PAYLOADS.length);
  expect(await unseen("tool-", "field-", "result", "structured", "error-")).toEqual([]);
});

test("resources, their templates and contents are text", async () => {
  for (const uri of hostile.uris) await visit("resources", uri);
  expect(await unseen("resource-", "template-", "contents")).toEqual([]);
});

test("prompts and their messages are text", async () => {
  for (const name of hostile.promptNames) {
    await visit("prompts", name);
    await press("Get");
    await look();
  }
  expect(await unseen("prompt")).toEqual([]);
});

test("what it tells of changes is text", async () => {
  await visit("listen");
  await visit("wire");
  expect(await page.locator("#pane").innerText()).not.toBe("");
});

/**
 * Signing in from the page: asked first, in a window beside it, against a small authorization server of another origin.
 */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";
import { type ProtectedServer, startProtectedServer } from "./protected-server.ts";

let running: RunningPage;
let server: ProtectedServer;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  [running, server] = await Promise.all([startPage(), startProtectedServer()]);
});

afterAll(async () => {
  await Promise.all([running?.stop(), server?.stop()]);
});

beforeEach(async () => {
  server.log.length = 0;
  server.registers = true;
  tab = await openTab(running.browser);
  page = tab.page;
});

afterEach(async () => {
  await tab.context.close();
  // Chromium reports each 401 as an error, which is how a sign-in begins.
  expect(tab.complaints.filter((text) => !text.includes("401"))).toEqual([]);
});

const open = (fragment = ""): Promise<unknown> => page.goto(withServer(running.url, server.url, fragment));
const offer = (): Locator => page.getByRole("dialog", { name: /^Sign in at / });

async function signIn(): Promise<void> {
  await offer().waitFor();
  const [popup] = await Promise.all([
    tab.context.waitForEvent("page"),
    offer().getByRole("button", { name: "Open the window" }).click(),
  ]);
  await popup.getByRole("link", { name: "Allow" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
}

test("a server that wants a token leads to a sign-in, which names where, and then to its tools", async () => {
  await open();
  await offer().waitFor();
  expect(await offer().innerText()).toContain(new URL(server.issuer).host);
  await signIn();
  await expect.poll(() => tab.context.pages().length).toBe(1);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("the secret").waitFor();
  expect(server.log.filter((entry) => entry.startsWith("grant"))).toEqual(["grant authorization_code by registered"]);
});

test("no window opens by itself, and nothing is asked of anybody when the person would rather not", async () => {
  await open();
  await offer().waitFor();
  expect(tab.context.pages()).toHaveLength(1);
  await offer().getByRole("button", { name: "Not now" }).click();
  await page.getByRole("heading", { name: "No connection" }).waitFor();
  expect(tab.context.pages()).toHaveLength(1);
  expect(server.log.some((entry) => entry.includes("/authorize"))).toBe(false);
  // The client is registered by now.
  await page.getByRole("button", { name: "Try again" }).click();
  await offer().getByRole("button", { name: "Not now" }).click();
  await page.getByText("You did not sign in").waitFor();
  expect(await page.locator("article").innerText()).not.toContain("Authorization header");
  // And another time they would.
  await page.getByRole("button", { name: "Try again" }).click();
  await signIn();
});

test("a window that the browser blocks is said to be, and can be tried again", async () => {
  await page.addInitScript("const { open } = window; window.open = () => ((window.open = open), null)");
  await open();
  await offer().getByRole("button", { name: "Open the window" }).click();
  await page.getByText("The browser blocked the window").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await signIn();
});

test("a window that was closed is opened once more, or given up, from the page", async () => {
  await open();
  for (let time = 0; time < 2; time++) {
    const [popup] = await Promise.all([
      tab.context.waitForEvent("page"),
      offer().getByRole("button", { name: "Open the window" }).click(),
    ]);
    await popup.close();
  }
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("heading", { name: "No connection" }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await signIn();
});

test("who signed in still is after a reload and in another tab, until they sign out", async () => {
  await open();
  await signIn();
  await page.reload();
  await page.getByText("Connected", { exact: true }).waitFor();
  const other = await tab.context.newPage();
  await other.goto(withServer(running.url, server.url));
  await other.getByText("Connected", { exact: true }).waitFor();
  await other.close();
  expect(server.log.filter((entry) => entry.startsWith("grant"))).toHaveLength(1);
  await open("#/servers");
  await page.getByRole("button", { name: "Sign out" }).click();
  await offer().getByRole("button", { name: "Not now" }).click();
  await page.getByText("Not connected", { exact: true }).waitFor();
});

test("a token that is worthless is replaced without a word, by the refresh token", async () => {
  await open();
  await signIn();
  server.forget();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("the secret").waitFor();
  expect(server.log.at(-1)).toBe("grant refresh_token by registered");
});

test("where nobody registers by themselves, the client that somebody registered is used", async () => {
  server.registers = false;
  await open();
  await page.getByRole("heading", { name: "No connection" }).waitFor();
  await open("#/servers");
  await page.getByRole("textbox", { name: "URL" }).fill(server.url);
  await page.getByText("OAuth client").click();
  await page.getByLabel("Issuer").fill(server.issuer);
  await page.getByLabel("Client ID").fill("by-hand");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await signIn();
  expect(server.log.at(-1)).toBe("grant authorization_code by by-hand");
});

test("whoever clears what the browser keeps is signed out", async () => {
  await open();
  await signIn();
  await open("#/servers");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Clear local data" }).click();
  await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
  await open();
  await offer().waitFor();
});

test("tokens are nowhere on the page, on the wire that it shows, or in what it exports", async () => {
  await open();
  await signIn();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("the secret").waitFor();
  await open("#/wire");
  const rows = page.locator(".list li a");
  await rows.first().waitFor();
  for (let index = 0; index < (await rows.count()); index++) {
    await rows.nth(index).click();
    expect(await page.content()).not.toMatch(/token-\d/);
  }
  await open("#/servers");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export local data" }).click(),
  ]);
  const exported = await readFile(await download.path(), "utf8");
  expect(exported).toContain("{");
  expect(exported).not.toMatch(/token-\d|oauth /);
});

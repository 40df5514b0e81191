/**
 * The page as a host for servers that nobody here wrote: the reference server "everything" over Streamable HTTP, which is of
 * the legacy era, and one written with the official package in the modern era. Both with CORS in front.
 */
import { resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type OfficialPeer, officialPeer } from "../kit/official-peer.ts";
import { type CorsProxy, startCorsProxy } from "./cors-proxy.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";
import { startSupervised, type Supervised } from "./supervised.ts";
import { findFreePort } from "./wrangler-dev.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EVERYTHING = `${ROOT}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
/** Tells an end from a hang. */
const POLLING = { timeout: 30_000 };

let running: RunningPage;
let proxy: CorsProxy;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  running = await startPage();
});

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser);
  page = tab.page;
  // The reference server asks for roots as soon as somebody is there.
  const roots = page.getByRole("dialog", { name: /asks for directories/ });
  await page.addLocatorHandler(roots, () => roots.getByRole("button", { name: "Share" }).click());
});

afterEach(async () => {
  await tab.context.close();
  // What a server refuses, the browser notes by itself: a legacy one refuses the first, modern request.
  expect(tab.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
});

const at = (fragment: string): Promise<unknown> => page.goto(withServer(running.url, proxy.url, `#/${fragment}`));
const result = (): Locator => page.getByRole("region", { name: "Result" });

/** Opens a tool, fills it in, and calls it, saying yes where it is asked. */
async function call(name: string, fill: (tool: Locator) => Promise<void> = async () => {}): Promise<void> {
  await at(`tools/${name}`);
  const tool = page.locator("article.tool");
  await tool.locator("code.hint", { hasText: name }).waitFor();
  await fill(tool);
  await tool.getByRole("button", { name: "Call", exact: true }).click();
  const asked = page.getByRole("dialog", { name: /^Call / });
  const settled = page.locator(".run .state[data-tone]");
  await asked.or(settled).first().waitFor();
  if (await asked.isVisible()) await asked.getByRole("button", { name: "Call", exact: true }).click();
}

const done = (): Promise<void> => result().getByText("Done", { exact: true }).waitFor();

describe("the reference server, in the legacy era", () => {
  let program: Supervised;
  beforeAll(async () => {
    const port = await findFreePort();
    program = startSupervised(EVERYTHING, ["streamableHttp"], { cwd: ROOT, env: { PORT: String(port) } });
    await vi.waitFor(() => expect(program.output()).toContain(`port ${port}`), POLLING);
    proxy = await startCorsProxy(`http://127.0.0.1:${port}/mcp`);
  });
  afterAll(async () => {
    await proxy?.stop();
    await program?.stop();
  });

  test("is introduced, with its era and revision", async () => {
    await at("servers");
    await page.getByText("legacy era").waitFor();
    await page.getByText("revision 2025-11-25").waitFor();
  });

  test("its tools are listed, and called for text, pictures and structured content", async () => {
    await call("echo", (tool) =>
      tool
        .getByLabel(/message/i)
        .first()
        .fill("grüß"),
    );
    await done();
    expect(await result().innerText()).toContain("Echo: grüß");
    await call("get-tiny-image");
    await done();
    await result().getByRole("img").first().waitFor();
    await call("get-structured-content", async (tool) => {
      await tool.getByRole("combobox").first().selectOption({ label: "Chicago" });
    });
    await done();
    expect(await result().innerText()).toContain("temperature");
  });

  test("progress is shown while it comes", async () => {
    await call("trigger-long-running-operation", async (tool) => {
      await tool
        .getByLabel(/duration/i)
        .first()
        .fill("1");
      await tool.getByLabel(/steps/i).first().fill("4");
    });
    await result()
      .getByText(/^[1-4] of 4/)
      .waitFor();
    await done();
  });

  test("a form that it asks with during a call is a dialog, and its answer arrives", async () => {
    await call("trigger-elicitation-request");
    const dialog = page.getByRole("dialog").filter({ hasNotText: /^Call / });
    await dialog.getByRole("button", { name: /^(?:Send|Accept)/ }).waitFor();
    await dialog.getByLabel(/name/i).first().fill("Ada");
    await dialog.getByRole("button", { name: /^(?:Send|Accept)/ }).click();
    await done();
    expect(await result().innerText()).toContain("Ada");
  });

  test("prompts with completion, and resources by a template, are there", async () => {
    await at("prompts/completable-prompt");
    await page.getByLabel(/department/).pressSequentially("Eng");
    await expect.poll(() => page.locator("datalist option[value=Engineering]").count(), POLLING).toBe(1);
    await page.getByLabel(/department/).fill("Engineering");
    await page.getByLabel(/name/i).last().fill("Alice");
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await page.getByText("Messages: 1").waitFor();
    expect(await page.locator("article .card").last().innerText()).toContain("Alice");
    await at(`resources/${encodeURIComponent("demo://resource/dynamic/text/{resourceId}")}`);
    await page.getByLabel(/resourceId/).fill("7");
    await page.locator("article").getByRole("button", { name: "Open", exact: true }).click();
    await page
      .getByText(/Resource 7/)
      .first()
      .waitFor();
  });

  test("the wire shows the handshake, and the session of each request", async () => {
    await at("wire");
    await page
      .getByRole("link", { name: /^initialize/ })
      .first()
      .click();
    await page.locator("article").getByText("2025-11-25").first().waitFor();
  });
});

describe("a server of the official package, in the modern era", () => {
  let peer: OfficialPeer;
  beforeAll(async () => {
    peer = await officialPeer("modern");
    proxy = await startCorsProxy(peer.url);
  });
  afterAll(async () => {
    await proxy?.stop();
    await peer?.close();
  });

  test("is introduced, with its era, revision and instructions", async () => {
    await at("servers");
    await page.getByText("modern era").waitFor();
    await page.getByText("revision 2026-07-28").waitFor();
    await page.getByText("Instructions for the model").click();
    await page.getByText("Be brief.", { exact: true }).waitFor();
  });

  test("a tool that only reads is called without a question, and its structured result is checked", async () => {
    await call("add", async (tool) => {
      await tool.getByLabel(/^a\b/).fill("2");
      await tool.getByLabel(/^b\b/).fill("3");
    });
    await done();
    expect(await result().innerText()).toMatch(/matches/i);
  });

  test("an argument is mirrored into a header, Base64 where it has to be", async () => {
    const sent: string[] = [];
    page.on("request", (request) => void sent.push(request.headers()["mcp-param-region"] ?? ""));
    await call("where", (tool) =>
      tool
        .getByLabel(/region/)
        .first()
        .fill("Zürich"),
    );
    await done();
    expect(sent.some((value) => value.startsWith("=?base64?"))).toBe(true);
    expect(await result().innerText()).toContain("Zürich");
  });

  test("what it asks in the middle of a call is asked, and the call goes on", async () => {
    await call("confirm");
    const dialog = page.getByRole("dialog").filter({ hasText: "Sure?" });
    await dialog.waitFor();
    await dialog.getByLabel(/sure/i).first().selectOption("Yes");
    await dialog.getByRole("button", { name: /^(?:Send|Accept)/ }).click();
    await done();
    expect(await result().innerText()).toContain("true");
  });

  test("a change is heard, and shown where somebody looks", async () => {
    await at(`resources/${encodeURIComponent("memo://first")}`);
    await page.getByText("the first memo").first().waitFor();
    await expect.poll(() => page.locator("article .state").first().innerText(), POLLING).toBe("Live");
    const again = page.waitForRequest((request) => request.headers()["mcp-method"] === "resources/read");
    await peer.change("memo://first");
    await again;
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByRole("log").getByText("memo://first").waitFor();
  });
});

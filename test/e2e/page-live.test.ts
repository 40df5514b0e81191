/**
 * The page while its server is started anew, in Chromium, against the deployable Worker.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { call } from "../kit/post.ts";
import { launchChromium } from "./chromium.ts";
import { openTab } from "./page-kit.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const VARS = { ALLOWED_HOSTS: "loopback" };
const BOARD = "restarted";

let worker: RunningWorker;
let browser: Browser;

beforeAll(async () => {
  [worker, browser] = await Promise.all([startWrangler("wrangler.toml", { vars: VARS }), launchChromium()]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), worker?.stop()]);
});

async function pin(text: string): Promise<void> {
  const fetcher = { fetch: (request: Request) => fetch(request) };
  const reply = await call(fetcher, "add_note", { board: BOARD, text }, { url: `${worker.url}/mcp` });
  expect(reply.text).toContain("Pinned note");
}

test("a server that is started anew is joined again, and the page shows what it has now", async () => {
  const { context, page, complaints } = await openTab(browser);
  context.setDefaultTimeout(60_000);
  const says = (state: string | RegExp): Promise<void> =>
    page.getByRole("article").getByRole("status").getByText(state, { exact: true }).waitFor();
  const contents = page.getByRole("region", { name: "Contents" });
  await pin("of the old server");
  await page.goto(`${worker.url}/#/resources/${encodeURIComponent(`board://${BOARD}`)}`);
  await page.evaluate("globalThis.notReloaded = true");
  await contents.getByText("of the old server").waitFor();
  await says("Live");
  await worker.stop();
  await says(/^Joins again in \d+ s$/);
  // With storage of its own, so that the board is not there until it is written to.
  worker = await startWrangler("wrangler.toml", { port: worker.port, vars: VARS });
  await pin("of the new server");
  await contents.getByText("of the new server").waitFor();
  await says("Live");
  expect(await contents.innerText()).not.toContain("of the old server");
  await pin("live again");
  await contents.getByText("live again").waitFor();
  expect(await page.evaluate("globalThis.notReloaded")).toBe(true);
  await context.close();
  // The browser's own notes of connections that failed.
  expect(complaints.filter((text) => !/net::ERR_|Failed to load resource/.test(text))).toEqual([]);
});

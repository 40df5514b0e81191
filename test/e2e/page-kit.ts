/**
 * What tests of the page share: the page on workerd with the pinboard behind it, the conformance fixture as a second server
 * of another origin, Chromium, and tabs that complain.
 *
 * `PAGE_URL` names a page that runs already (and `PEER_URL` a conformance fixture), which saves their start while one works
 * on the page; without them both are started here.
 */
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { startWrangler } from "./wrangler-dev.ts";

export interface RunningPage {
  /** Of the page, without a trailing slash; its own server is at `/mcp`. */
  readonly url: string;
  /** The endpoint of the conformance fixture. Empty unless it was asked for. */
  readonly peer: string;
  readonly browser: Browser;
  stop(): Promise<void>;
}

export async function startPage(options: { peer?: boolean } = {}): Promise<RunningPage> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(stops.map((end) => end())));
  const started = async (config: string): Promise<string> => {
    const vars = { ALLOWED_HOSTS: "loopback" };
    const worker = await startWrangler(config, { vars });
    stops.push(() => worker.stop());
    return worker.url;
  };
  const { PAGE_URL: runningPage, PEER_URL: runningPeer } = process.env;
  try {
    const [url, peer, browser] = await Promise.all([
      runningPage ?? started("wrangler.toml"),
      options.peer === true ? (runningPeer ?? started("test/conformance/wrangler.toml").then((at) => `${at}/mcp`)) : "",
      launchChromium().then((launched) => (stops.push(() => launched.close()), launched)),
    ]);
    return { url, peer, browser, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the console (those of the CSP among them), and uncaught exceptions. Expect none at the end. */
  readonly complaints: string[];
}

/** A tab in a context of its own: nothing stored, nobody signed in. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { context, page, complaints };
}

/** The page's address for another server. */
export function withServer(url: string, server: string, fragment = ""): string {
  return `${url}/?server=${encodeURIComponent(server)}${fragment}`;
}

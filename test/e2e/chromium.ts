/**
 * Chromium without a window, for tests of the page: an installed one where there is one, else the one in an npm package.
 */
import { access, constants } from "node:fs/promises";
import { type Browser, chromium } from "playwright-core";

/** Where the usual installers put it. `CHROME_PATH` comes first. */
const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/** Quiet: no sandbox (tests may run as root), and nothing that would go to the network by itself. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** @throws when there is no Chromium for this platform */
export async function launchChromium(): Promise<Browser> {
  const installed = await firstExecutable([process.env["CHROME_PATH"] ?? "", ...INSTALLED]);
  if (installed !== undefined) return chromium.launch({ executablePath: installed, args: FLAGS });
  const { default: packaged } = await import("@sparticuz/chromium");
  // Without the arguments that the package proposes: one process for all ends at the second page, and among the others is
  // one that lets a page read what CORS forbids.
  return chromium.launch({ executablePath: await packaged.executablePath(), args: FLAGS });
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue; // Not installed there.
    }
  }
  return undefined;
}

/**
 * Signing in from Chromium: leaving the page or beside it, with keys and tokens in IndexedDB, tabs that share them, and a
 * Content-Security-Policy that lets nothing else in.
 */
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import { launchChromium } from "./chromium.ts";

let server: RunningServer;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];
let script: Uint8Array<ArrayBuffer>;

/** Method and path of everything but pages. */
let log: string[];
let tokens: Set<string>;
/** Of the proofs at the token endpoint and at the MCP server. */
let keys: Set<string>;
let count = 0;

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams, origin } = new URL(request.url);
  const page = pageAt(pathname);
  if (page !== undefined) return page;
  log.push(`${request.method} ${pathname}`);
  const proof = request.headers.get("dpop");
  if (proof !== null) keys.add(JSON.stringify(headerOf(proof)["jwk"]));
  switch (pathname) {
    case "/mcp":
      return mcp(request);
    case "/.well-known/oauth-protected-resource/mcp":
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] });
    case "/.well-known/oauth-authorization-server/as":
      return Response.json(metadata(`${origin}/as`));
    case "/as/register":
      return Response.json({ client_id: "page" }, { status: 201 });
    case "/as/authorize":
      return authorize(searchParams, `${origin}/as`);
    case "/as/token": {
      // Long enough for another tab to want the same.
      await new Promise((resolve) => setTimeout(resolve, 100));
      log.push(new URLSearchParams(await request.text()).get("grant_type") ?? "");
      const token = `token-${++count}`;
      tokens.add(token);
      return Response.json({ access_token: token, token_type: "DPoP", refresh_token: `refresh-${count}` });
    }
    default:
      return new Response(null, { status: 404 });
  }
}

function mcp({ headers }: Request): Response {
  const isKnown = tokens.has(headers.get("authorization")?.replace(/^DPoP /, "") ?? "");
  return isKnown ? Response.json({}) : new Response(null, { status: 401, headers: { "www-authenticate": "DPoP" } });
}

function authorize(params: URLSearchParams, issuer: string): Response {
  const location = new URL(params.get("redirect_uri") ?? "");
  location.search = new URLSearchParams({ code: "c", state: params.get("state") ?? "", iss: issuer }).toString();
  // As careful authorization servers do, which hides the window from the page that opened it.
  const headers = { location: location.href, "cross-origin-opener-policy": "same-origin" };
  return new Response(null, { status: 302, headers });
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
  };
}

function pageAt(pathname: string): Response | undefined {
  const headers = { "content-security-policy": "default-src 'self'" };
  if (pathname === "/app.js")
    return new Response(script, { headers: { ...headers, "content-type": "text/javascript" } });
  if (pathname !== "/" && pathname !== "/callback") return undefined;
  const html =
    '<!doctype html><link rel="icon" href="/app.js"><script type="module" src="/app.js"></script><button>Sign in</button>';
  return new Response(html, { headers: { ...headers, "content-type": "text/html" } });
}

function headerOf(jwt: string): Record<string, unknown> {
  // A JWT's header is an object.
  return JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as Record<string, unknown>;
}

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../client-page/oauth-page.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: ["chrome120", "firefox121", "safari17.4"],
    logLevel: "silent",
  });
  script = new Uint8Array(outputFiles[0]?.contents ?? []);
  server = await serve({ fetch: answer });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

beforeEach(async () => {
  [log, complaints, tokens, keys] = [[], [], new Set(), new Set()];
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

/** Waits until the page's script has run. Not by `waitForFunction`, which the page's policy forbids. */
async function resumed(tab: Page, outcome: boolean): Promise<void> {
  await expect.poll(() => tab.evaluate("globalThis.oauthPage?.resumed"), { timeout: 10_000 }).toBe(outcome);
}

async function openTab(): Promise<Page> {
  const tab = await context.newPage();
  tab.on("pageerror", (error) => complaints.push(error.message));
  tab.on("console", (message) => {
    // Chromium reports each 401 as an error, which is how a sign-in begins.
    if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text());
  });
  await tab.goto(server.url);
  await resumed(tab, false);
  return tab;
}

const call = (tab: Page, kind: "redirect" | "popup"): Promise<unknown> => tab.evaluate(`oauthPage.call("${kind}")`);
const times = (entry: string): number => log.filter((logged) => logged === entry).length;

async function signInByLeaving(): Promise<Page> {
  const tab = await openTab();
  await tab.evaluate('void oauthPage.call("redirect")');
  await tab.waitForURL(/\?code=/);
  await resumed(tab, true);
  return tab;
}

describe("A page that somebody leaves to sign in", () => {
  test("is signed in when it loads again, and stays so over reloads, with one key", async () => {
    const tab = await signInByLeaving();
    expect(await call(tab, "redirect")).toBe(200);
    await tab.goto(server.url);
    await resumed(tab, false);
    expect(await call(tab, "redirect")).toBe(200);
    expect(times("GET /as/authorize")).toBe(1);
    expect(keys.size).toBe(1);
  });

  test("keeps its key where no script can read it", async () => {
    const tab = await signInByLeaving();
    const extractable = await tab.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open("mcp-edge-oauth");
      opening.onsuccess = () => {
        const asking = opening.result.transaction("records").objectStore("records").get("dpop ${server.url}/mcp");
        asking.onsuccess = () => resolve(asking.result.privateKey.extractable);
        asking.onerror = () => reject(asking.error);
      };
    })`);
    expect(extractable).toBe(false);
  });
});

describe("A page that signs in in a window beside it", () => {
  test("goes on with the request that was challenged", async () => {
    const tab = await openTab();
    const window = context.waitForEvent("page");
    // Playwright evaluates without a click, and Chromium lets the window open only after one.
    await tab.evaluate(
      'document.querySelector("button").onclick = () => { globalThis.outcome = oauthPage.call("popup"); }',
    );
    await tab.click("button");
    const opened = await window;
    expect(await tab.evaluate("globalThis.outcome")).toBe(200);
    await expect.poll(() => opened.isClosed()).toBe(true);
    expect(tab.url()).toBe(`${server.url}/`);
  });

  test("says so when the browser blocks the window", async () => {
    const tab = await openTab();
    await tab.evaluate("globalThis.open = () => null");
    const failure = await tab.evaluate('oauthPage.call("popup").catch((error) => error.code)');
    expect(failure).toBe("unauthorized");
  });
});

describe("Tabs", () => {
  test("refresh once between them", async () => {
    const tabs = [await signInByLeaving(), await openTab(), await openTab()];
    for (const tab of tabs) expect(await call(tab, "redirect")).toBe(200);
    tokens.clear();
    expect(await Promise.all(tabs.map((tab) => call(tab, "redirect")))).toEqual([200, 200, 200]);
    expect(times("refresh_token")).toBe(1);
    expect(times("GET /as/authorize")).toBe(1);
    expect(keys.size).toBe(1);
  });
});

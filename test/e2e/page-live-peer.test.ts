/**
 * The page that listens to servers of every kind: those that tell of nothing, of less than was asked for, too early, too
 * much, or that send it away. The server is this file, so each test decides what comes over the wire, and when.
 */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";

const DIST = join(import.meta.dirname, "../../dist/web");
const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };
const URI = "test://one";

type Json = Record<string, unknown>;

const QUESTION: Json = {
  method: "elicitation/create",
  params: { mode: "form", message: "Why?", requestedSchema: { type: "object", properties: {} } },
};

/** A `subscriptions/listen` that came in, and the way to answer it. */
interface Listening {
  readonly filter: Json;
  /** Sends a notification, and the headers before the first. */
  readonly tell: (method: string, params?: Json) => void;
  readonly acknowledge: (granted: Json) => void;
  /** Ends in good order. */
  readonly finish: () => void;
  /** Ends without a word. */
  readonly breakOff: () => void;
  /** Whether the page still listens on it. */
  readonly isOpen: () => boolean;
  readonly refuse: (status: number, error: Json, headers?: Record<string, string>) => void;
}

class Peer {
  capability: Json = { listChanged: true, subscribe: true };
  /** What the resource holds. */
  contents = "as it was";
  names = ["one"];
  /** Whether a proxy in between answers `resources/read`, with an error. */
  readable = true;
  /** Whether it asks the person something before it shows the resource. */
  asks = false;
  onListen: (listening: Listening) => void = ({ filter, acknowledge }) => acknowledge(filter);
  /** Methods in the order they came. */
  readonly asked: string[] = [];
  readonly listening: Listening[] = [];
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  count(method: string): number {
    return this.asked.filter((each) => each === method).length;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // It listens on a port, so it is no string.
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return serveFile(request.url ?? "/", response);
    const { id, method, params } = JSON.parse(await text(request)) as { id: number; method: string; params: Json };
    this.asked.push(method);
    if (method === "subscriptions/listen") {
      const listening = listeningOf(response, id, params["notifications"] as Json); // As the page sent it.
      this.listening.push(listening);
      return this.onListen(listening);
    }
    if (method === "resources/read" && !this.readable) {
      response.writeHead(502, { "content-type": "text/html" });
      response.end("<h1>Bad gateway</h1>");
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: this.#resultOf(method) }));
  }

  #resultOf(method: string): Json {
    const resources = this.names.map((name) => ({ uri: `test://${name}`, name }));
    const results: Record<string, Json> = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { resources: this.capability } },
      "tools/list": { tools: [] },
      "resources/list": { resources },
      "resources/templates/list": { resourceTemplates: [] },
      "resources/read": this.asks
        ? { resultType: "input_required", inputRequests: { why: QUESTION }, requestState: "s" }
        : { contents: [{ uri: URI, mimeType: "text/plain", text: this.contents }] },
    };
    return results[method] ?? {};
  }
}

function listeningOf(response: ServerResponse, id: number, filter: Json): Listening {
  const send = (message: Json): void => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  };
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  const tell = (method: string, params: Json = {}): void =>
    send({ method: `notifications/${method}`, params: { _meta, ...params } });
  return {
    filter,
    tell,
    acknowledge: (granted) => tell("subscriptions/acknowledged", { notifications: granted }),
    finish: () => {
      send({ id, result: { resultType: "complete", _meta } });
      response.end();
    },
    breakOff: () => response.destroy(),
    isOpen: () => !response.closed,
    refuse: (status, error, headers) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    },
  };
}

async function serveFile(path: string, response: ServerResponse): Promise<void> {
  const name = path === "/" ? "index.html" : path.slice(1);
  const policy = /Content-Security-Policy: (.*)/.exec(await readFile(join(DIST, "_headers"), "utf8"))?.[1] ?? "";
  response.setHeader("content-type", TYPES[name.split(".").at(-1) ?? ""] ?? "");
  response.setHeader("content-security-policy", policy);
  response.end(await readFile(join(DIST, name)));
}

let browser: Browser;
let context: BrowserContext;
let page: Page;
let peer: Peer;
let url: string;
let complaints: string[];

beforeAll(async () => {
  await import("../../web/build.ts");
  browser = await launchChromium();
});

afterAll(() => browser?.close());

beforeEach(async () => {
  peer = new Peer();
  url = await peer.start();
  context = await browser.newContext();
  context.setDefaultTimeout(20_000);
  page = await context.newPage();
  complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
});

afterEach(async () => {
  await context.close();
  await peer.stop();
  // The browser's own note of each answer that is an error, or breaks off.
  expect(complaints.filter((line) => !line.startsWith("Failed to load resource"))).toEqual([]);
});

const openResource = (): Promise<unknown> => page.goto(`${url}/#/resources/${encodeURIComponent(URI)}`);
const says = (state: string | RegExp): Promise<void> =>
  page.getByRole("main").getByRole("status").getByText(state, { exact: true }).waitFor();
const WAITS = /^Joins again in \d+ s$/;
const openChanges = (): Promise<void> => page.getByRole("link", { name: /^Changes/ }).click();
const contains = (content: string): Promise<void> =>
  page.getByRole("region", { name: "Contents" }).getByText(content, { exact: true }).waitFor();

/** The stream that was opened last. */
function latest(): Listening {
  const listening = peer.listening.at(-1);
  if (listening === undefined) throw new Error("the page does not listen");
  return listening;
}

describe("what the page asks for", () => {
  test("is the list, and the one resource that is open", async () => {
    peer.names = ["one", "two"];
    await openResource();
    await says("Live");
    expect(latest().filter).toEqual({ resourcesListChanged: true, resourceSubscriptions: [URI] });
    await page.getByRole("link", { name: "two" }).click();
    await page.getByRole("heading", { name: "two" }).waitFor();
    await expect.poll(() => latest().filter["resourceSubscriptions"]).toEqual(["test://two"]);
  });

  test.each([
    ["only of the list", { listChanged: true }, { resourcesListChanged: true }, "No updates"],
    ["only of resources", { subscribe: true }, { resourceSubscriptions: [URI] }, "Live"],
  ])("is what the server says it tells of: %s", async (_name, capability, filter, state) => {
    peer.capability = capability;
    await openResource();
    await says(state);
    await expect.poll(() => peer.listening.at(-1)?.filter).toEqual(filter);
  });

  test("is nothing when the server tells of nothing; it can be read all the same", async () => {
    peer.capability = {};
    await openResource();
    await contains("as it was");
    await says("No updates");
    await openChanges();
    await says("Not listening");
    expect(peer.count("subscriptions/listen")).toBe(0);
  });
});

test("nobody is asked anything for what the page reads by itself", async () => {
  await openResource();
  await contains("as it was");
  await says("Live");
  peer.asks = true;
  latest().tell("resources/updated", { uri: URI });
  await page.getByText("Read again to be asked.").waitFor();
  await contains("as it was");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByRole("dialog").getByText("Why?").waitFor();
});

describe("what is listened for", () => {
  test("may change without a gap: the stream before ends when the next one is joined, and not earlier", async () => {
    peer.names = ["one", "two"];
    await openResource();
    await says("Live");
    const before = latest();
    peer.onListen = () => undefined;
    await page.getByRole("link", { name: "two" }).click();
    await expect.poll(() => peer.count("subscriptions/listen")).toBe(2);
    // Another choice, before that one is joined.
    await page.getByRole("link", { name: "one test:" }).click();
    await expect.poll(() => peer.count("subscriptions/listen")).toBe(3);
    peer.names = ["one", "two", "three"];
    before.tell("resources/list_changed");
    await page.getByRole("link", { name: "three" }).waitFor();
    const [, between, after] = peer.listening;
    // A page has few connections, so what is in between goes at once.
    await expect.poll(() => [before.isOpen(), between?.isOpen(), after?.isOpen()]).toEqual([true, false, true]);
    after?.acknowledge(after.filter);
    await says("Live");
    await expect.poll(() => [before.isOpen(), after?.isOpen()]).toEqual([false, true]);
  });

  test("is looked at as a whole when the stream before broke off before the next one was joined", async () => {
    peer.names = ["one", "two"];
    await openResource();
    await says("Live");
    const before = latest();
    peer.onListen = () => undefined;
    await page.getByRole("link", { name: "two" }).click();
    await expect.poll(() => peer.count("subscriptions/listen")).toBe(2);
    const next = latest();
    before.breakOff();
    await expect.poll(() => peer.count("subscriptions/listen")).toBe(3); // The one before tries again meanwhile.
    peer.names = ["one", "two", "three"];
    next.acknowledge(next.filter);
    await page.getByRole("link", { name: "three" }).waitFor();
    await says("Live");
  });

  test("is looked at once more when it is joined, for what changed between reading and joining", async () => {
    peer.onListen = () => undefined;
    await openResource();
    await contains("as it was");
    await expect.poll(() => peer.count("subscriptions/listen")).toBe(1);
    peer.contents = "as it is now";
    latest().acknowledge(latest().filter);
    await contains("as it is now");
  });

  test("is also what lies below the resource that is open, if the server names that", async () => {
    await openResource();
    await says("Live");
    await expect.poll(() => peer.count("resources/read")).toBe(2);
    peer.contents = "changed further down";
    latest().tell("resources/updated", { uri: `${URI}/part` });
    await contains("changed further down");
  });
});

describe("a server that grants", () => {
  test("nothing is taken at its word", async () => {
    peer.onListen = ({ acknowledge, finish }) => {
      acknowledge({});
      finish();
    };
    await openResource();
    await says("Not listening");
    await openChanges();
    await page.getByText("This server offers no changes.").waitFor();
    expect(peer.count("subscriptions/listen")).toBe(1);
  });

  test("less than was asked for is said to", async () => {
    peer.onListen = ({ acknowledge }) => acknowledge({ resourcesListChanged: true });
    await openResource();
    await says("Not granted");
  });
});

describe("a server that refuses", () => {
  test("for good is not asked again, and its reason is shown", async () => {
    peer.onListen = ({ refuse }) => refuse(400, { code: -32602, message: "Not for you" });
    await openResource();
    await says("Ended");
    await openChanges();
    await page.getByText("Not for you").waitFor();
    expect(peer.count("subscriptions/listen")).toBe(1);
    // Unless somebody says so.
    peer.onListen = ({ filter, acknowledge }) => acknowledge(filter);
    await page.getByRole("button", { name: "Listen again" }).click();
    await says("Live");
  });

  test("because it does not know the method is not asked again either", async () => {
    peer.onListen = ({ refuse }) => refuse(404, { code: -32601, message: "Method not found" });
    await openResource();
    await says("Ended");
    await openChanges();
    await page.getByText("Method not found").first().waitFor();
    expect(peer.count("subscriptions/listen")).toBe(1);
  });

  test("for a while is asked again after that, and not before", async () => {
    await page.clock.install();
    peer.onListen = ({ refuse }) => refuse(503, { code: -32603, message: "Busy" }, { "retry-after": "600" });
    await openResource();
    await says("Joins again in 600 s");
    await openChanges();
    await page.getByText("Busy").waitFor();
    peer.onListen = ({ filter, acknowledge }) => acknowledge(filter);
    await page.clock.runFor(590_000);
    expect(peer.count("subscriptions/listen")).toBe(1);
    await page.clock.runFor(11_000);
    await says("Live");
    expect(peer.count("subscriptions/listen")).toBe(2);
  });
});

describe("a stream that ends", () => {
  test.each(["finish", "breakOff"] as const)(
    "is followed by another, and by a look at what changed (%s)",
    async (how) => {
      await openResource();
      await contains("as it was");
      await says("Live");
      peer.contents = "as it is now";
      peer.names = ["one", "two"];
      latest()[how]();
      await says(WAITS);
      await says("Live");
      await contains("as it is now");
      await page.getByRole("link", { name: "two" }).waitFor();
      expect(peer.count("subscriptions/listen")).toBe(2);
    },
  );

  test("again and again is asked for at longer and longer intervals", async () => {
    // Time stands still but for what passes here, and chance has each wait be as long as it may.
    await page.addInitScript("Math.random = () => 0.999");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    peer.onListen = ({ refuse }) => refuse(500, { code: -32603, message: "Internal error" });
    const count = (): number => peer.count("subscriptions/listen");
    await openResource();
    while (count() === 0) await page.clock.runFor(20);
    for (const [index, ms] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      await expect.poll(count).toBe(index + 1);
      await says(WAITS);
      await page.clock.runFor(ms * 0.9);
      expect(count()).toBe(index + 1);
      await page.clock.runFor(ms * 0.1);
    }
  });
});

describe("what a server says", () => {
  test("before its acknowledgment does not count", async () => {
    peer.onListen = ({ tell }) => {
      tell("resources/list_changed");
      tell("resources/updated", { uri: URI });
    };
    await openResource();
    await contains("as it was");
    await page.waitForTimeout(200); // Long enough for the page to do wrong, if it did.
    expect([peer.count("resources/list"), peer.count("resources/read")]).toEqual([1, 1]);
    latest().acknowledge(latest().filter);
    await says("Live");
    await expect.poll(() => peer.count("resources/read")).toBe(2);
  });

  test("a hundred times is looked at twice", async () => {
    await openResource();
    await says("Live");
    await expect.poll(() => peer.count("resources/read")).toBe(2); // At first, and when the stream began.
    peer.contents = "after the storm";
    for (let n = 0; n < 100; n++) latest().tell("resources/updated", { uri: URI });
    await contains("after the storm");
    latest().tell("resources/list_changed");
    await expect.poll(() => peer.count("resources/list")).toBe(3);
    expect(peer.count("resources/read")).toBeLessThanOrEqual(10);
  });

  test("about the same contents is no change", async () => {
    await openResource();
    await says("Live");
    latest().tell("resources/updated", { uri: URI });
    await expect.poll(() => peer.count("resources/read")).toBe(3);
    peer.contents = "something new";
    expect(await page.getByRole("article").innerText()).not.toContain("Changed at");
    latest().tell("resources/updated", { uri: URI });
    await contains("something new");
    await page.getByText(/^Changed at/).waitFor();
  });

  test("that cannot be looked at leaves what was there, and says so", async () => {
    await openResource();
    await says("Live");
    await expect.poll(() => peer.count("resources/read")).toBe(2);
    peer.readable = false;
    latest().tell("resources/updated", { uri: URI });
    const contents = page.getByRole("region", { name: "Contents" });
    await page.getByText("502").first().waitFor();
    expect(await contents.innerText()).toContain("as it was");
    peer.readable = true;
    peer.contents = "as it is now";
    latest().tell("resources/updated", { uri: URI });
    await contains("as it is now");
    await page.getByText(/^Changed at/).waitFor();
    await page.getByText("502").waitFor({ state: "detached" });
  });
});

/**
 * The chat of the page: a scripted model on loopback, real servers, and what the person sees and is asked.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab } from "./page-kit.ts";
import { anthropicSays, type Json, type Line, openaiSays, type ScriptedModel, startModel } from "./scripted-model.ts";

const KEY = "sk-very-secret-0123456789";

let running: RunningPage;
let model: ScriptedModel;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  [running, model] = await Promise.all([startPage({ peer: true }), startModel()]);
});

afterAll(async () => {
  await Promise.all([running?.stop(), model?.stop()]);
});

beforeEach(async () => {
  tab = await openTab(running.browser);
  page = tab.page;
});

afterEach(async () => {
  await tab.context.close();
  // What an endpoint refuses, the browser notes by itself.
  expect(tab.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
});

let boards = 0;
const freshBoard = (): string => `chat board ${Date.now()} ${++boards}`;

const PATHS = { anthropic: "/v1/messages", openai: "/v1/chat/completions" };

/** Says which model, where the chat is open. */
async function fillModel(endpoint: string): Promise<void> {
  await page.getByRole("button", { name: "Model" }).click();
  await page.getByLabel("Endpoint").fill(endpoint);
  await page
    .getByRole("dialog")
    .getByLabel(/^Model/)
    .fill("scripted-1");
  await page.getByLabel("Key").fill(KEY);
}

async function use(): Promise<void> {
  await page.getByRole("button", { name: "Use this model" }).click();
  // It leaves when its answer is taken.
  await page.locator("dialog").waitFor({ state: "detached" });
}

async function useModel(api: "anthropic" | "openai" = "openai"): Promise<void> {
  await page.goto(`${running.url}/#/chat`);
  await fillModel(`${model.url}${PATHS[api]}`);
  await use();
}

/** Says yes to one call of the model's. */
async function allow(): Promise<void> {
  const dialog = page.getByRole("dialog", { name: /^Call / });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Call", exact: true }).click();
}

async function say(text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

const log = (): Locator => page.getByRole("log");
const asked = (index: number): Json => model.requests.at(index)?.body ?? {};
const last = (list: unknown): unknown => (Array.isArray(list) ? (list as unknown[]).at(-1) : undefined);
const toolNames = (body: Json): string[] =>
  (body["tools"] as { name?: string; function?: { name: string } }[]).map(
    (tool) => tool.name ?? tool.function?.name ?? "",
  );

test("a message without a model asks for one, and is not lost", async () => {
  await page.goto(`${running.url}/#/chat`);
  await say("hello");
  await page.getByRole("dialog", { name: "Your model" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("hello");
  model.script(openaiSays("Hello to you."));
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByLabel("Endpoint").fill("nowhere");
  await page.getByRole("button", { name: "Use this model" }).click();
  await page.getByText("Please enter a URL.").waitFor();
  await page.getByLabel("Endpoint").fill(`${model.url}/v1`);
  await page
    .getByRole("dialog")
    .getByLabel(/^Model/)
    .fill("scripted-1");
  await use();
  await log().getByText("Hello to you.").waitFor();
});

describe.each([
  ["openai", openaiSays],
  ["anthropic", anthropicSays],
] as const)("over %s", (api, says) => {
  const resultIn = (body: Json): Json => {
    const message = last(body["messages"]) as Json;
    return api === "openai" ? message : (last(message["content"]) as Json);
  };

  test("a call is allowed by the person, made, and told to the model, whose words are shown", async () => {
    const board = freshBoard();
    model.script(
      says("I will pin it.", { name: "add_note", args: { board, text: "milk" } }),
      says("It is **pinned**."),
    );
    await useModel(api);
    await say("Pin milk");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await dialog.innerText()).toContain("milk");
    await dialog.getByRole("button", { name: "Call", exact: true }).click();
    await log().getByText("It is pinned.").waitFor();
    expect(await log().locator("strong", { hasText: "pinned" }).count()).toBe(1);
    expect(toolNames(asked(-1))).toContain("add_note");
    expect(JSON.stringify(resultIn(asked(-1)))).toContain("Pinned");
    expect(model.requests.at(-1)?.headers[api === "openai" ? "authorization" : "x-api-key"]).toContain(KEY);
    // What was said is in the log, with the call as something to open.
    await log().getByText("Add a note").click();
    expect(await log().innerText()).toContain(board);
  });

  test("a refused call reaches the model as one, and nothing is called", async () => {
    const board = freshBoard();
    model.script(says("", { name: "add_note", args: { board, text: "no" } }), says("As you wish."));
    await useModel(api);
    await say("Pin it");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await log().getByText("As you wish.").waitFor();
    expect(JSON.stringify(resultIn(asked(-1)))).toContain("declined");
  });

  test("tools that say they only read are asked about as well; a failure of theirs is told as one", async () => {
    model.script(
      says("", { name: "board_stats", args: { board: "none" } }, { name: "board_stats", args: { bored: 1 } }),
      says("Done reading."),
    );
    await useModel(api);
    await say("Count");
    await allow();
    await allow();
    await log().getByText("Done reading.").waitFor();
    expect(JSON.stringify(resultIn(asked(-1)))).toContain('"content":"Error: ');
  });
});

test("who sends by the button keeps the focus there", async () => {
  model.script(openaiSays("Hi."));
  await useModel();
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await log().getByText("Hi.", { exact: true }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Send");
});

test("a double-click allows one call, not the next one too", async () => {
  const board = freshBoard();
  const notes = ["one", "two"].map((text) => ({ name: "add_note", args: { board, text } }));
  model.script(openaiSays("", ...notes), openaiSays("Done with it."));
  await useModel();
  await say("Pin both");
  const dialog = page.getByRole("dialog");
  await dialog.getByText('"one"').waitFor();
  await dialog.getByRole("button", { name: "Call", exact: true }).dblclick();
  await dialog.getByText('"two"').waitFor();
  await page.waitForTimeout(300);
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole("button", { name: "Do not call" }).click();
  await log().getByText("Done with it.").waitFor();
});

test("what the person allowed themselves for good, a model is asked about all the same", async () => {
  const board = freshBoard();
  await page.goto(`${running.url}/#/tools/add_note`);
  await page.getByLabel(/^Board/).fill(board);
  await page.getByLabel(/^Text/).fill("mine");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Do not ask again/).check();
  await dialog.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("Done", { exact: true }).waitFor();
  model.script(openaiSays("", { name: "add_note", args: { board, text: "its own" } }), openaiSays("As you wish."));
  await useModel();
  await say("Pin it");
  await dialog.getByText("its own").waitFor();
  expect(await dialog.getByRole("checkbox").count()).toBe(0);
  await dialog.getByRole("button", { name: "Do not call" }).click();
  await log().getByText("As you wish.").waitFor();
});

test("what is not a call of a tool that was offered is told to the model, and goes on", async () => {
  model.script(
    openaiSays(
      "",
      { name: "rm_rf", args: {} },
      { name: "board_stats", args: "{broken" },
      { name: "board_stats", args: "[1]" },
    ),
    openaiSays("I see."),
  );
  await useModel();
  await say("Try");
  await log().getByText("I see.").waitFor();
  const results = (asked(-1)["messages"] as Json[]).slice(-3).map(({ content }) => content);
  expect(results[0]).toContain("no such tool");
  expect(results.slice(1)).toEqual([expect.stringContaining("JSON object"), expect.stringContaining("JSON object")]);
});

test("tools of two servers have names apart, and each call goes to its own", async () => {
  await page.goto(`${running.url}/?server=${encodeURIComponent(running.peer)}#/tools`);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  await page.goto(`${running.url}/?server=${encodeURIComponent(running.peer)}#/servers`);
  await page.getByLabel("URL").fill(`${running.url}/mcp`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /Pinboard/ }).waitFor();
  model.script(
    openaiSays(
      "",
      { name: "mcp-edge-conformance__test_simple_text", args: {} },
      { name: "Pinboard__board_stats", args: { board: "x" } },
    ),
    openaiSays("Both answered."),
  );
  await page.getByRole("link", { name: "Chat" }).click();
  await fillModel(`${model.url}/v1`);
  await use();
  await say("Ask both");
  await allow();
  await allow();
  await log().getByText("Both answered.").waitFor();
  const names = toolNames(asked(-1));
  expect(new Set(names).size).toBe(names.length);
  const [, , first, second] = (asked(-1)["messages"] as Json[]).map(({ content }) => content);
  expect(first).toContain("simple text");
  expect(second).toContain("There is no board");
});

const refuses =
  (status: number, body: unknown): Line =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return undefined;
  };

describe("an endpoint in trouble", () => {
  test.each([
    ["a key it does not know", refuses(401, { error: { message: "bad key" } }), /status 401: .*bad key/],
    ["too many requests", refuses(429, {}), /status 429/],
    ["a fault of its own", refuses(500, { error: "boom" }), /status 500: .*boom/],
    ["garbage", refuses(200, ["garbage"]), /No reply, .*garbage/],
    ["no reply in it", refuses(200, { choices: [] }), /No reply, .*choices/],
  ])("%s is explained, and trying again loses nothing", async (_name, line, words) => {
    model.script(line, openaiSays("Here I am."));
    await useModel();
    await say("Are you there?");
    const again = page.getByRole("button", { name: "Continue" });
    await again.waitFor();
    expect(await page.getByRole("status").filter({ has: again }).innerText()).toMatch(words);
    expect(await page.content()).not.toContain(KEY);
    await again.click();
    await log().getByText("Here I am.").waitFor();
    expect(JSON.stringify(asked(-1)["messages"])).toContain("Are you there?");
  });

  test("a key that it quotes is not shown, and does not follow it to another address", async () => {
    model.script(refuses(401, { error: { message: `Incorrect key: ${KEY}` } }), (_request, response) => {
      response.writeHead(307, { location: `${model.url.replace("127.0.0.1", "localhost")}/elsewhere` }).end();
      return undefined;
    });
    await useModel();
    await say("Hello?");
    await page.getByRole("button", { name: "Continue" }).waitFor();
    expect(await page.content()).not.toContain(KEY);
    const before = model.requests.length;
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("cannot be reached").waitFor();
    expect(model.requests.length - before).toBe(1);
  });

  test("one that nobody listens at is said to be out of reach", async () => {
    await page.goto(`${running.url}/#/chat`);
    await fillModel("http://127.0.0.1:9/v1");
    await use();
    await say("Hello?");
    await page.getByText("cannot be reached").waitFor();
  });

  test("a reply without end is stopped by the page", async () => {
    model.script((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
      return undefined;
    });
    await useModel();
    await say("Go on for ever");
    await page.getByText("No reply, but status 200").waitFor();
  });
});

test("Stop ends the request, and the conversation can be continued", async () => {
  let gone: Promise<void> | undefined;
  model.script((_request, response) => {
    gone = new Promise((resolve) => response.once("close", resolve));
    return undefined; // Thinks for ever.
  }, openaiSays("Back again."));
  await useModel();
  await say("Think hard");
  await expect.poll(() => gone !== undefined).toBe(true);
  await page.getByRole("button", { name: "Stop" }).click();
  await gone;
  await page.getByRole("button", { name: "Continue" }).click();
  await log().getByText("Back again.").waitFor();
});

test("Stop during a call cancels it on the server", async () => {
  const board = freshBoard();
  const notes = Array.from({ length: 200 }, (_, index) => `note ${index}`);
  model.script(
    openaiSays("", { name: "import_notes", args: { board, notes } }),
    openaiSays("", { name: "board_stats", args: { board } }),
    openaiSays("Counted."),
  );
  await useModel();
  await say("Import");
  await page.getByRole("dialog").getByRole("button", { name: "Call", exact: true }).click();
  await log()
    .getByText(/^\d+ of 200/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await allow();
  await log().getByText("Counted.").waitFor();
  const stopped = (asked(-1)["messages"] as Json[]).map(({ content }) => String(content));
  expect(stopped.some((text) => /^Error: .*cancelled/.test(text))).toBe(true);
  expect(stopped.at(-1)).toMatch(/\d/);
  expect(stopped.at(-1)).not.toContain(`"notes":${notes.length}`);
});

test("a model that never stops calling is stopped after twenty rounds", async () => {
  const calls = Array.from({ length: 25 }, () => openaiSays("", { name: "board_stats", args: { board: "round" } }));
  model.script(...calls);
  const before = model.requests.length;
  await useModel();
  await say("Round and round");
  for (let round = 1; round <= 20; round++) {
    await allow();
    await page.locator("dialog").waitFor({ state: "detached" });
  }
  await page.getByText("after 20 rounds").waitFor();
  expect(model.requests.length - before).toBe(20);
});

const stored = (): Promise<string> => page.evaluate("JSON.stringify({ ...localStorage })");

describe("the key", () => {
  test("stays in memory", async () => {
    model.script(openaiSays("Hi."));
    await useModel();
    await say("Hi");
    await log().getByText("Hi.", { exact: true }).waitFor();
    expect(await stored()).not.toContain(KEY);
    expect(await page.locator("body").innerText()).not.toContain(KEY);
  });

  test("is kept only where somebody says so, and forgotten when they say otherwise", async () => {
    await page.goto(`${running.url}/#/chat`);
    await fillModel(`${model.url}/v1`);
    await page.getByLabel("Remember").selectOption("Yes");
    await use();
    await expect.poll(stored).toContain(KEY);
    await page.reload();
    model.script(openaiSays("Still here."));
    await log().waitFor();
    await say("Still there?");
    await log().getByText("Still here.").waitFor();
    await page.getByRole("button", { name: "Model" }).click();
    expect(await page.getByLabel("Key").getAttribute("type")).toBe("password");
    await page.getByLabel("Remember").selectOption("No");
    await use();
    await expect.poll(stored).not.toContain(KEY);
  });
});

test("Shift and Enter begin a line, and a new conversation forgets the old one", async () => {
  model.script(openaiSays("First."), openaiSays("Second."));
  await useModel();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  expect(await message.inputValue()).toBe("one\ntwo");
  await page.keyboard.press("Enter");
  await log().getByText("First.").waitFor();
  await page.getByRole("button", { name: "New conversation" }).click();
  await say("three");
  await log().getByText("Second.").waitFor();
  expect(await log().innerText()).not.toContain("First.");
  expect(JSON.stringify(asked(-1)["messages"])).not.toContain("two");
});

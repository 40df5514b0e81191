/**
 * Prompts on the page, in Chromium: found, filled in with what the server proposes, and shown as the messages they make.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call } from "../kit/post.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

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

const list = (): Locator => page.getByRole("navigation", { name: "Prompts" });
const field = (label: string): Locator => page.getByLabel(new RegExp(`^${label}`));
const get = (): Promise<void> => page.getByRole("button", { name: "Get", exact: true }).click();
const said = (text: string): Promise<void> => page.getByRole("status").getByText(text, { exact: true }).waitFor();
const messages = (): Locator => page.locator(".result > .card");
const open = (prompt: string): Promise<unknown> =>
  page.goto(withServer(running.url, running.peer, `#/prompts/${prompt}`));
/** What the server proposes for a field. */
async function proposed(label: string): Promise<string[]> {
  const id = await field(label).getAttribute("list");
  return page.evaluate<string[]>(`[...document.getElementById("${id ?? ""}").options].map(({ value }) => value)`);
}

describe("the list", () => {
  test("has each prompt with its description; searching narrows it, and choosing one opens it", async () => {
    await page.goto(`${running.url}/#/prompts`);
    await list()
      .getByRole("link", { name: "Sum up a board summarise_board · Puts a board in front of the model" })
      .waitFor();
    expect(await list().getByRole("link").count()).toBe(2);
    await list().getByRole("searchbox").fill("ideas");
    await expect.poll(() => list().getByRole("link").count()).toBe(1);
    await list().getByRole("link", { name: "Brainstorm" }).click();
    await page.getByRole("heading", { name: "Brainstorm", level: 2 }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/prompts/brainstorm");
  });

  test("leads on a small screen to the prompt and back", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${running.url}/#/prompts`);
    await list().getByRole("link", { name: "Brainstorm" }).click();
    await page.getByRole("heading", { name: "Brainstorm", level: 2 }).waitFor();
    expect(await list().isVisible()).toBe(false);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBe(0);
    await page.getByRole("link", { name: "All prompts" }).click();
    await list().waitFor();
  });

  test("that comes anew brings the open prompt's new arguments with it", async () => {
    let wanted = "former";
    await page.route("**/mcp-fake", (route, request) => {
      const { id, method } = request.postDataJSON() as { id: number; method: string };
      const prompts = [{ name: "p", arguments: [{ name: wanted, required: true }] }];
      const discovered = { supportedVersions: ["2026-07-28"], capabilities: { prompts: {} } };
      const result = { resultType: "complete", ...(method === "server/discover" ? discovered : { prompts }) };
      return route.fulfill({ json: { jsonrpc: "2.0", id, result } });
    });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/prompts/p"));
    await field("former").waitFor();
    wanted = "latter";
    await page.keyboard.press("Control+k");
    await page.keyboard.type("reconnect");
    await page.keyboard.press("Enter");
    await field("latter").waitFor();
    expect(await field("former").count()).toBe(0);
  });

  test("says of a name that is none that it is not there", async () => {
    await page.goto(`${running.url}/#/prompts/nothing`);
    await page.getByText("“nothing” is not there.").waitFor();
  });
});

describe("a prompt with arguments", () => {
  test("marks what is required, and insists on it before anything is sent", async () => {
    await page.goto(`${running.url}/#/prompts/summarise_board`);
    await field("Board").waitFor();
    expect(await page.locator("label", { has: field("Board") }).innerText()).toContain("required");
    expect(await page.locator("label", { has: field("Style") }).innerText()).toBe("Style");
    await page.getByText("The board to sum up.").waitFor();
    await get();
    expect(await page.locator("input:invalid").count()).toBe(1);
    expect(await messages().count()).toBe(0);
  });

  test("is filled in with what the server proposes, and becomes messages", async () => {
    const board = `prompt ${Date.now()}`;
    const fetcher = { fetch: (request: Request) => fetch(request) };
    await call(fetcher, "add_note", { board, text: "Tea for two" }, { url: `${running.url}/mcp` });
    await page.goto(`${running.url}/#/prompts/summarise_board`);
    await field("Board").fill(board.slice(0, -2));
    await expect.poll(() => proposed("Board")).toContain(board);
    await field("Style").fill("b");
    await expect.poll(() => proposed("Style")).toEqual(["bullet points"]);
    await field("Board").fill(board);
    await field("Style").fill("bullet points");
    await field("Style").press("Enter");
    await said("Messages: 2");
    expect(await messages().getByRole("heading", { name: "user" }).count()).toBe(2);
    expect(await messages().first().innerText()).toContain("below as bullet points");
    expect(await messages().last().innerText()).toContain("Tea for two");
  });

  test("shows what the server refuses, and works after that", async () => {
    await page.goto(`${running.url}/#/prompts/summarise_board`);
    await field("Board").fill("no such board at all");
    await get();
    await said("Failed");
    await page.getByText("Error -32602").waitFor();
    await page.goto(`${running.url}/#/prompts/brainstorm`);
    await field("Topic").fill("gifts");
    await get();
    await said("Messages: 1");
    expect(await messages().innerText()).toContain("eight ideas about: gifts");
  });
});

describe("messages", () => {
  test("without arguments come at once", async () => {
    await open("test_simple_prompt");
    await get();
    await said("Messages: 1");
    expect(await messages().innerText()).toContain("This is a simple prompt for testing.");
  });

  test("may hold pictures", async () => {
    await open("test_prompt_with_image");
    await get();
    await messages().getByRole("img", { name: "Image sent by the server" }).waitFor();
    expect(await messages().last().innerText()).toContain("Please analyze the image above.");
  });

  test("may hold a resource, which is a click away", async () => {
    await open("test_prompt_with_embedded_resource");
    await field("resourceUri").fill("test://static-text");
    await get();
    await messages().getByText("Embedded resource content for testing.").waitFor();
    await messages().getByRole("link", { name: "test://static-text" }).click();
    await page.getByText("This is the content of the static text resource.").waitFor();
  });

  test("may depend on what the server asks first", async () => {
    await open("test_input_required_result_prompt");
    await get();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("What context should the prompt use?").waitFor();
    await dialog.getByLabel(/^context/).fill("the weather");
    await dialog.getByRole("button", { name: "Send" }).click();
    await said("Messages: 1");
    expect(await messages().innerText()).toContain("Context: the weather");
  });

  test("are shown whatever they are, and as text", async () => {
    const odd = {
      name: "odd",
      title: ["not a title"],
      description: { no: 1 },
      arguments: [{ name: "a", description: 7 }, null, "b"],
    };
    const sent = [
      { role: "assistant", content: { type: "text", text: "<img src=x onerror=alert(1)>" } },
      {
        role: 7,
        content: [
          { type: "text", text: "one of a list" },
          { type: "mystery", x: 1 },
        ],
      },
      "no message",
      null,
    ];
    await page.route("**/mcp-fake", async (route) => {
      // As the page sends it.
      const { id, method } = route.request().postDataJSON() as { id: unknown; method: string };
      const results: Record<string, unknown> = {
        "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { prompts: {} } },
        "prompts/list": { prompts: [odd] },
        "prompts/get": { messages: sent, description: 12 },
      };
      await route.fulfill({ json: { jsonrpc: "2.0", id, result: results[method] } });
    });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/prompts/odd"));
    await get();
    await said("Messages: 4");
    await page.getByRole("heading", { name: "assistant" }).waitFor();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    await page.getByText("one of a list").waitFor();
    await page.getByText("mystery").waitFor();
    expect(await page.getByRole("article").locator("img").count()).toBe(0);
  });
});

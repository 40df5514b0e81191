/**
 * Resources on the page, in Chromium: found, read, reached through templates with what the server proposes, and shown
 * whatever a server says of them.
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

/** A board that no other test writes to, nor an earlier run. */
let boards = 0;
async function freshBoard(...notes: string[]): Promise<string> {
  const board = `resource ${++boards} of ${Date.now()}`;
  const fetcher = { fetch: (request: Request) => fetch(request) };
  for (const text of notes) await call(fetcher, "add_note", { board, text }, { url: `${running.url}/mcp` });
  return board;
}

const hashOf = (...path: string[]): string => `#/resources/${path.map(encodeURIComponent).join("/")}`;
const list = (): Locator => page.getByRole("navigation", { name: "Resources" });
const contents = (): Locator => page.getByRole("region", { name: "Contents" });
const overflow = (): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
/** What the server proposes for a field. */
async function proposed(label: string): Promise<string[]> {
  const id = await page.getByLabel(new RegExp(`^${label}`)).getAttribute("list");
  return page.evaluate<string[]>(`[...document.getElementById("${id ?? ""}").options].map(({ value }) => value)`);
}

describe("the list", () => {
  test("has each resource with its URI and type; searching narrows it, and choosing one shows what is in it", async () => {
    await freshBoard("So that there is something to search");
    const board = await freshBoard("Water the plants");
    await page.goto(`${running.url}/#/resources`);
    const entry = list().getByRole("link", { name: board });
    await entry.waitFor();
    expect(await entry.innerText()).toContain(`board://${encodeURIComponent(board)} · text/markdown`);
    await list().getByRole("searchbox").fill(board);
    await expect.poll(() => list().getByRole("link").count()).toBe(1);
    await list().getByRole("searchbox").fill("nothing of this name");
    await list().getByText("Nothing matches.").waitFor();
    await list().getByRole("searchbox").fill(board);
    await entry.click();
    await page.getByRole("heading", { name: board, level: 2 }).waitFor();
    await contents().getByText("Water the plants").waitFor();
    expect(await entry.getAttribute("aria-current")).toBe("page");
    expect(await contents().innerText()).toContain("text/markdown");
  });

  test("shows sizes and pictures of a resource, and is nothing but text where a server sends something else", async () => {
    await fake({
      "resources/list": {
        resources: [
          { uri: "x://1", name: "one", size: 2_048, mimeType: "text/plain", description: "The first" },
          {
            uri: "x://2",
            name: { not: "a name" },
            title: 7,
            mimeType: ["x"],
            size: "big",
            description: null,
            icons: 3,
          },
          { uri: "x://3", name: "<b>bold</b>", icons: [{ src: "https://tracker.test/i.png" }] },
        ],
      },
    });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/resources"));
    await list().getByRole("link", { name: "one x://1 · text/plain · 2.05 kB · The first" }).waitFor();
    await list().getByRole("link", { name: "<b>bold</b>" }).waitFor();
    expect(await list().getByRole("link").count()).toBe(3);
    expect(await list().locator("img, b").count()).toBe(0);
  });

  test("that is very long is cut, and searching finds what is not shown", async () => {
    const resources = Array.from({ length: 3_000 }, (_, n) => ({ uri: `x://${n}`, name: `entry ${n}` }));
    await fake({ "resources/list": { resources } });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/resources"));
    await list().getByText("2500 more. Search to find them.").waitFor();
    await list().getByRole("searchbox").fill("entry 2999");
    await list().getByRole("link", { name: "entry 2999" }).waitFor();
  });

  test("that is empty says so; one that fails says why, and can be asked for again", async () => {
    let fails = true;
    await fake({
      "resources/list": () =>
        fails ? { error: { code: -32603, message: "Out of paper" } } : { result: { resources: [] } },
    });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/resources"));
    await list().getByText("Out of paper").waitFor();
    await page.getByRole("navigation", { name: "Templates" }).getByText("None.").waitFor();
    fails = false;
    await list().getByRole("button", { name: "Try again" }).click();
    await list().getByText("None.").waitFor();
  });
});

describe("one resource", () => {
  test("is open where the address says so, and a picture is shown as one", async () => {
    await page.goto(withServer(running.url, running.peer, hashOf("test://static-binary")));
    await page.getByRole("heading", { name: "static-binary", level: 2 }).waitFor();
    await page.getByText("An image that never changes").first().waitFor();
    await contents().getByRole("img").waitFor();
  });

  test("can be opened by its address, and one that is not there is said to be missing", async () => {
    const board = await freshBoard("by its address");
    await page.goto(`${running.url}/${hashOf(`note://${encodeURIComponent(board)}/1`)}`);
    await contents().getByText("by its address").waitFor();
    await page.goto(`${running.url}/${hashOf("board://nowhere at all")}`);
    await page
      .getByRole("article")
      .getByText(/Resource not found/)
      .first()
      .waitFor();
    // Back is back.
    await page.goBack();
    await contents().getByText("by its address").waitFor();
  });

  test("has all its contents, and none at all is said", async () => {
    const parts: unknown[] = [
      { uri: "x://1", mimeType: "application/json", text: '{"a":[1,2]}' },
      { uri: "x://1#b", text: "<img src=x onerror=alert(1)>" },
      { uri: "javascript:alert(1)", blob: "aGVsbG8=", mimeType: "application/zip" },
      null,
      { something: "else" },
    ];
    await fake({ "resources/read": () => ({ result: { contents: parts } }) });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, hashOf("x://1")));
    await contents().getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await contents().locator(":scope > .card").count()).toBe(5);
    expect(await contents().locator("img, a[href^=javascript]").count()).toBe(0);
    parts.length = 0;
    await page.getByRole("button", { name: "Read again" }).click();
    await contents().getByText("Empty.").waitFor();
    await page.getByText("No updates").waitFor();
  });
});

describe("a template", () => {
  test("has a field for each variable, with what the server proposes in view of the others, and opens what it names", async () => {
    const board = await freshBoard("first", "second");
    await page.goto(`${running.url}/#/resources`);
    await page.getByRole("navigation", { name: "Templates" }).getByRole("link", { name: "A note" }).click();
    await page.getByRole("heading", { name: "A note", level: 2 }).waitFor();
    await page.getByText("The text of one note.").last().waitFor();
    const [boardField, idField] = [page.getByLabel(/^board/), page.getByLabel(/^id/)];
    await boardField.fill(board.slice(0, -1));
    await expect.poll(() => proposed("board")).toContain(board);
    await boardField.fill(board);
    await idField.focus();
    await expect.poll(() => proposed("id")).toEqual(expect.arrayContaining(["1", "2"]));
    await idField.fill("2");
    await idField.press("Enter");
    await page.getByRole("heading", { name: `note://${encodeURIComponent(board)}/2` }).waitFor();
    await contents().getByText("second").waitFor();
  });

  test("of another server works as well, from a link to it", async () => {
    const at = hashOf("test://template/{id}/data");
    await page.goto(withServer(running.url, running.peer, at));
    await page.getByLabel(/^id/).fill("a b/c");
    await page.getByRole("article").getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "test://template/a%20b%2Fc/data" }).waitFor();
    await contents().getByText("Data for ID: a b/c").waitFor();
  });

  test("proposes nothing, and works, where the server fails to propose or sends nonsense", async () => {
    const asked: unknown[] = [];
    await fake({
      "resources/templates/list": { resourceTemplates: [{ uriTemplate: "x://{a}{?b,c}", name: "odd" }] },
      "completion/complete": (params) => {
        asked.push(params);
        return asked.length === 1
          ? { error: { code: -32603, message: "no" } }
          : { result: { completion: { values: [7, null] } } };
      },
    });
    await page.goto(withServer(running.url, `${running.url}/mcp-fake`, hashOf("x://{a}{?b,c}")));
    await page.getByLabel(/^a/).fill("1");
    await expect.poll(() => asked.length).toBe(1);
    await page.getByLabel(/^b/).fill("x y");
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toMatchObject({
      ref: { type: "ref/resource", uri: "x://{a}{?b,c}" },
      argument: { name: "b", value: "x y" },
      context: { arguments: { a: "1" } },
    });
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "x://1?b=x%20y" }).waitFor();
  });
});

describe("on a small screen", () => {
  test("the list and the resource take turns, and nothing is wider than the screen", async () => {
    const board = await freshBoard(`long${"g".repeat(300)} word`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${running.url}/#/resources`);
    await list().getByRole("link", { name: board }).click();
    await contents().getByText("word").waitFor();
    expect(await list().isVisible()).toBe(false);
    expect(await overflow()).toBe(0);
    await page.getByRole("link", { name: "All resources" }).click();
    await list().waitFor();
    expect(await overflow()).toBe(0);
  });
});

type Answer = Record<string, unknown> | ((params: unknown) => Record<string, unknown>);

/** A server at `/mcp-fake` with resources that says what it is told to. */
async function fake(answers: Readonly<Record<string, Answer>>): Promise<void> {
  const known: Record<string, Answer> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { resources: {}, completions: {} } },
    "resources/list": { resources: [] },
    "resources/templates/list": { resourceTemplates: [] },
    ...answers,
  };
  await page.route("**/mcp-fake", async (route) => {
    // As the page sends it.
    const { id, method, params } = route.request().postDataJSON() as { id: unknown; method: string; params: unknown };
    const answer = known[method];
    const said = typeof answer === "function" ? answer(params) : { result: answer };
    await route.fulfill({ json: { jsonrpc: "2.0", id, ...said } });
  });
}

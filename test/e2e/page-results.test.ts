/**
 * What the page makes of results, contents, errors and changes: each kind by itself, under the page's own policy.
 */
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeBase64 } from "../../src/protocol/base64.ts";
import { RED_PIXEL, silence } from "../conformance/media.ts";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";
import { PAYLOADS } from "./hostile-server.ts";
import { openViews, show } from "./results-kit.ts";

let running: RunningPage;
let browser: Browser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  running = await startPage({ peer: true });
  ({ browser } = running);
});

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  ({ page } = tab);
  await openViews(page);
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints).toEqual([]);
});

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const closed = () => page.locator("details:not([open]) > summary:visible");
/** What opens by its name. */
const fold = (name: string) => page.locator("summary").getByText(name, { exact: true });
const clipboard = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
const text = (line: string) => ({ type: "text", text: line });
const shown = (): Promise<string> => page.locator("main").innerText();
const plain = (said: string): string => said.replace(/\s+/g, " ");
/** As it is or as JSON writes it, whatever its white space. */
async function seen(payload: string): Promise<void> {
  const said = plain(await shown());
  expect(said.includes(plain(payload)) || said.includes(JSON.stringify(payload).slice(1, -1))).toBe(true);
}

describe("text", () => {
  test("plain text is shown as it is, without a choice", async () => {
    await show(page, "result", { content: [text("a <b>\n  c")] });
    expect(await shown()).toBe("a <b>\n  c");
    expect(await page.locator("button, summary").count()).toBe(0);
  });

  test("what looks like Markdown is shown so, and as text below when somebody opens that", async () => {
    await show(page, "content", text("# Title\n\n- one\n- [two](https://two.test/x)\n\n![p](https://pic.test/p.png)"));
    await page.getByRole("heading", { name: "Title" }).waitFor();
    const link = page.getByRole("link", { name: "two" });
    expect(await link.getAttribute("href")).toBe("https://two.test/x");
    expect(await link.getAttribute("rel")).toContain("noopener");
    expect(await page.getByRole("img").count()).toBe(0);
    expect(await shown()).not.toContain("# Title");
    await fold("Text").click();
    await page.getByText("# Title").waitFor();
  });

  test("text that is JSON opens as a tree", async () => {
    await show(page, "content", text('{"a": [1, true]}'));
    expect(await shown()).toContain('"a": [2]');
    await fold("Text").click();
    await page.getByText('{"a": [1, true]}').waitFor();
  });

  test("long text is cut, and whole when somebody asks", async () => {
    await show(page, "content", text("x".repeat(150_000)));
    expect((await shown()).length).toBeLessThan(101_000);
    await button(/150,000 characters/).click();
    expect(await shown()).toHaveLength(150_000);
  });

  test("a tool's own failure is told by word and colour", async () => {
    await show(page, "result", { isError: true, content: [text("no such board")] });
    await page.getByText("isError").waitFor();
    expect(await page.locator(".result .block").innerText()).toBe("no such board");
  });

  test("a tool that returns nothing is said to have done so", async () => {
    await show(page, "result", { content: [] });
    expect(await shown()).toContain("returned nothing");
  });
});

/** Of the image, as the browser understood it. */
const size = (): Promise<unknown> =>
  page.evaluate("(({ naturalWidth: w, naturalHeight: h }) => [w, h])(document.images[0])");

describe("media", () => {
  test("an image is shown with its type and size", async () => {
    await show(page, "content", { type: "image", mimeType: "image/png", data: encodeBase64(RED_PIXEL) });
    await page.getByRole("img", { name: "Image sent by the server" }).waitFor();
    await expect.poll(size).toEqual([1, 1]);
    expect(await shown()).toContain("image/png 69 bytes");
  });

  test("a drawing with a script in it is a picture like any other", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30" onload="parent.pwned=1"><script>parent.pwned=1</script></svg>';
    await show(page, "content", { type: "image", mimeType: "image/svg+xml", data: btoa(svg) });
    await expect.poll(size).toEqual([30, 30]);
    expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
  });

  test("types that are not on the list, and what is not Base64, are bytes and nothing else", async () => {
    for (const [mimeType, data] of [
      ["text/html", btoa("<script>")],
      ["image/png;x=y", btoa("a")],
      ["image/png", "no base64!"],
      ["audio/x y", btoa("a")],
      [5, { a: 1 }],
      [undefined, undefined],
    ]) {
      await show(page, "content", { type: "image", mimeType, data });
      expect(await page.locator("main img, main audio").count()).toBe(0);
      expect(await page.locator("main pre").count()).toBe(1);
    }
  });

  test("a sound has controls", async () => {
    await show(page, "content", { type: "audio", mimeType: "audio/wav", data: encodeBase64(silence()) });
    await expect.poll(() => page.evaluate("document.querySelector('audio').duration > 0")).toBe(true);
    expect(await page.locator("audio").getAttribute("controls")).toBe("");
    expect(await shown()).toContain("audio/wav 204 bytes");
  });

  test("bytes of other kinds are dumped, and can be saved", async () => {
    const bytes = Uint8Array.from({ length: 600 }, (_, index) => index);
    const blob = encodeBase64(bytes);
    await show(page, "resource", { uri: "file:///a/../data.bin?x", mimeType: "application/octet-stream", blob });
    const dump = await page.locator("main pre").innerText();
    expect(dump).toMatch(/^00 01 02 .* 0f 10 .* ff 00 .* ff$/);
    expect(dump.split(" ")).toHaveLength(512);
    const [download] = await Promise.all([page.waitForEvent("download"), button("Save").click()]);
    expect(download.suggestedFilename()).toMatch(/data\.bin_x$/);
    expect(new Uint8Array(await readFile(await download.path()))).toEqual(bytes);
  });
});

describe("resources", () => {
  test("links of the web open apart, others in the section for resources", async () => {
    const link = { type: "resource_link", name: "n", title: "T", mimeType: "text/plain", size: 2048, description: "d" };
    await show(page, "content", { ...link, uri: "https://a.test/b" });
    expect(await page.getByRole("link").getAttribute("target")).toBe("_blank");
    expect(await page.getByRole("link").getAttribute("rel")).toContain("noopener");
    expect(await shown()).toMatch(/T\s+https:\/\/a.test\/b · text\/plain · 2.05 kB · d/);
    await show(page, "content", { ...link, uri: "board://a b/\ud800" });
    expect(await page.getByRole("link").getAttribute("href")).toBe("#/resources/board%3A%2F%2Fa%20b%2F%EF%BF%BD");
    await show(page, "content", { ...link, uri: "javascript:alert(1)" });
    expect(await page.getByRole("link").getAttribute("href")).toMatch(/^#\/resources\//);
  });

  test("an embedded resource is shown by its type", async () => {
    const embed = (resource: unknown) => show(page, "content", { type: "resource", resource });
    await embed({ uri: "a://b", mimeType: "text/markdown", text: "*plain*" });
    expect(await page.locator("main em").innerText()).toBe("plain");
    await embed({ uri: "a://b", mimeType: "application/json", text: '["x"]' });
    expect(await page.locator("main .string").innerText()).toBe('"x"');
    await embed({ uri: "a://b", mimeType: "text/html", text: "<h1>- a</h1>\n- b" });
    expect(await shown()).toContain("<h1>- a</h1>\n- b");
    await embed({ uri: "a://b", mimeType: "image/png", blob: encodeBase64(RED_PIXEL) });
    await page.getByRole("img", { name: "Image sent by the server" }).waitFor();
    await embed({ uri: "a://b" });
    expect(await shown()).toContain('"uri": "a://b"');
  });

  test("text of a resource is copied as it came", async () => {
    await show(page, "resource", { uri: "a://b", text: "# a\n" });
    await button("Copy").click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe("# a\n");
  });
});

describe("structured content", () => {
  test("objects make a tree, which is also a table", async () => {
    const structuredContent = [
      { id: 1, name: "milk" },
      { id: 2, more: { a: [1] } },
    ];
    await show(page, "result", {
      content: [text(JSON.stringify(structuredContent, null, 4)), text("other")],
      structuredContent,
    });
    expect(await shown()).toContain('"name": "milk"');
    await fold("Table").click();
    await page.getByRole("table").waitFor();
    expect(await page.getByRole("columnheader").allInnerTexts()).toEqual(["id", "name", "more"]);
    expect(await page.getByRole("cell").allInnerTexts()).toEqual(["1", "milk", "", "2", "", '{"a":[1]}']);
    // What was also sent as text is not there twice.
    expect(await page.getByText('"milk"').count()).toBe(1);
    expect(await shown()).toContain("other");
  });

  test("an object is a tree, and a list in it a table on demand", async () => {
    await show(page, "result", { content: [], structuredContent: { notes: [{ id: 1 }], total: 1 } });
    expect(await shown()).toContain('"total": 1');
    await fold("Table").click();
    await page.getByRole("table").waitFor();
    expect(await page.getByRole("cell").allInnerTexts()).toEqual(["1"]);
  });

  test("a table ends after 200 rows and 30 columns, and says how many rows there are", async () => {
    const row = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, index]));
    await show(page, "result", { content: [], structuredContent: Array.from({ length: 5_000 }, () => row) });
    await fold("Table").click();
    await page.getByText("4800 more").waitFor();
    expect(await page.getByRole("row").count()).toBe(201);
    expect(await page.getByRole("columnheader").count()).toBe(30);
  });

  test("whether it is what the output schema says is beside it", async () => {
    const result = { content: [], structuredContent: { a: 1 } };
    await show(page, "result", result);
    expect(await shown()).toContain("Not checked");
    await show(page, "result", { ...result, issues: [] });
    expect(await shown()).toContain("Matches the output schema");
    await show(page, "result", {
      ...result,
      issues: [
        { path: "/a", message: "must be string" },
        { path: "", message: "is odd" },
      ],
    });
    expect(await page.locator(".failure li").allInnerTexts()).toEqual(["/a must be string", "/ is odd"]);
  });
});

describe("the tree", () => {
  const value = { a: { "b c": [1, "two"] }, __proto__x: null, ["__proto__"]: 1, url: "https://a.test/" };

  test("it is copied as JSON", async () => {
    await show(page, "json", value);
    await button("Copy").click();
    await expect.poll(clipboard).toBe(JSON.stringify(value, null, 2));
  });

  test("a branch closes and opens, by keyboard and by click, and tells what is in it", async () => {
    await show(page, "json", value);
    await page.locator("summary", { hasText: '"a"' }).focus();
    await page.keyboard.press("Enter");
    expect(await shown()).toContain('"a": {1} b c');
    expect(await shown()).not.toContain('"b c": [2]');
    await page.keyboard.press("Enter");
    expect(await shown()).toContain('"b c": [2]');
    await page.getByText('"a"').click();
    expect(await shown()).not.toContain('"b c": [2]');
  });

  test("megabytes are laid out a hundred rows at a time", async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, text: "x".repeat(150), deep: { list: [id, [id]] } }));
    await show(page, "json", rows);
    expect(await page.locator("main *").count()).toBeLessThan(2_000);
    await fold("59900 more").focus();
    await page.keyboard.press("Enter");
    await fold("100: {3} id, text, deep").waitFor();
    expect(await fold("59800 more").count()).toBe(1);
  });

  test("what is nested thousands deep, and long strings, are cut", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    await page.evaluate(`show("result", { content: [], structuredContent: JSON.parse(${JSON.stringify(deep)}) })`);
    expect(await shown()).toContain("Structured content");
    expect(await page.locator("main details").count()).toBeLessThan(100);
    await show(page, "json", { a: "y".repeat(5_000) });
    expect((await shown()).length).toBeLessThan(1_200);
  });
});

describe("failures", () => {
  test.each([
    [-32700, "Parse error"],
    [-32600, "Invalid request"],
    [-32601, "Method not found"],
    [-32602, "Invalid params"],
    [-32603, "Internal error"],
    [-32020, "Header mismatch"],
    [-32021, "Missing client capability"],
    [-32022, "Unsupported protocol version"],
    [-32002, "Resource not found"],
    [-32042, "Visit the address"],
  ])("%i is explained, with the server's words and data", async (code, meaning) => {
    await show(page, "protocol", { code, message: "no <b>", data: { url: "https://sign-in.test/" } });
    const said = await shown();
    for (const part of [`Error ${code}`, meaning, "no <b>"]) expect(said).toContain(part);
    expect(await page.getByRole("link").getAttribute("href")).toBe("https://sign-in.test/");
  });

  test("codes of the client's own are explained, with what led to them", async () => {
    await show(page, "mcp", { code: "connection_failed", message: "No answer", cause: "Failed to fetch" });
    for (const part of [/Connection failed/i, "No answer", "Failed to fetch", "CORS"]) {
      await page.getByText(part).first().waitFor();
    }
    await show(page, "mcp", { code: "something_new", message: "odd" });
    await page.getByText(/something new/i).waitFor();
  });

  test("an end that the person wanted is no alarm", async () => {
    await show(page, "mcp", { code: "aborted", message: "The call was aborted" });
    await page.getByText("stays done").waitFor();
    expect(await page.locator(".failure").count()).toBe(0);
  });
});

describe("changes", () => {
  test("what came and went is told by sign and name, and of what stayed only what is next to it is there", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    await show(page, "diff", { before: lines.join("\n"), after: lines.with(15, "other").join("\n") });
    expect(await page.locator("del").innerText()).toBe("- line 15\n");
    expect(await page.locator("ins").innerText()).toBe("+ other\n");
    expect(await page.getByRole("insertion").count()).toBe(1);
    expect(await page.getByRole("deletion").count()).toBe(1);
    expect(await shown()).toMatch(/ {2}line 2\n… 9 unchanged\n {2}line 12\n/);
  });

  test("too many changes are said to be that", async () => {
    const [before, after] = ["a\n".repeat(3_000), "b\n".repeat(3_000)];
    await show(page, "diff", { before, after });
    expect(await shown()).toContain("More than 4000 lines changed");
  });
});

test("whatever comes in place of what belongs there is shown, and breaks nothing", async () => {
  const odd: unknown[] = [
    null,
    0,
    "",
    "x",
    [],
    [[]],
    {},
    { type: null },
    { type: "text" },
    { type: "text", text: { a: 1 } },
  ];
  odd.push({ type: "image" }, { type: "audio", data: 1 }, { type: "resource" }, { type: "resource", resource: 5 });
  odd.push(
    { type: "resource", resource: { uri: {}, text: "a" } },
    { type: "resource_link" },
    { type: "resource_link", uri: [], icons: 4 },
  );
  odd.push(
    { type: "resource_link", uri: "\ud800", size: "big" },
    { type: "text", text: "a", annotations: { audience: 3, priority: {} } },
  );
  for (const content of [odd, ...odd]) {
    for (const rest of [
      {},
      { isError: "yes", structuredContent: null },
      { structuredContent: [null, {}], issues: [] },
    ]) {
      await show(page, "result", { content, ...rest });
    }
  }
  for (const value of odd) await show(page, "json", value);
  for (const value of odd) await show(page, "resource", value);
  for (const value of odd) await show(page, "protocol", { code: value, message: value, data: value });
});

test("on a small screen nothing is wider than it", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  const wide = "w".repeat(500);
  const row = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${wide}${index}`, wide]));
  const content = [
    text(wide),
    text(`\`\`\`\n${wide}\n\`\`\`\n| ${wide} | b |\n|-|-|\n| c | ${wide} |`),
    text(JSON.stringify(row)),
  ];
  await show(page, "result", {
    content: [...content, { type: "resource_link", uri: `a://${wide}`, name: wide }],
    structuredContent: [row],
  });
  const over = (): Promise<unknown> => page.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(await over()).toBe(0);
  await show(page, "diff", { before: wide, after: `${wide}x` });
  expect(await over()).toBe(0);
  await show(page, "protocol", { code: 1, message: wide, data: row });
  expect(await over()).toBe(0);
});

test("hostile texts are seen as they are, in every kind of view and every place", async () => {
  for (const payload of PAYLOADS) {
    const everything = {
      type: payload,
      mimeType: payload,
      text: payload,
      uri: payload,
      name: payload,
      annotations: { audience: payload },
    };
    const kinds = ["text", "image", "audio", "resource_link", payload];
    await show(page, "result", {
      content: [
        ...kinds.map((type) => Object.assign({}, everything, { type })),
        { type: "resource", resource: everything },
      ],
      structuredContent: [{ [payload]: payload }],
      issues: [{ path: payload, message: payload }],
    });
    await seen(payload);
    while ((await closed().count()) > 0) await closed().first().click();
    await seen(payload);
    await show(page, "json", { [payload]: payload });
    await seen(payload);
    await show(page, "diff", { before: payload, after: `${payload}!` });
    await seen(payload);
    await show(page, "protocol", { code: 1, message: payload, data: payload });
    await seen(payload);
    await show(page, "mcp", { code: payload, message: payload, cause: payload });
    await seen(payload);
    await show(page, "markdown", payload);
    const links = await page
      .locator("main a")
      .evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
    expect(links.filter((href) => !/^https?:/.test(href))).toEqual([]);
  }
  expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
  expect(page.url()).toMatch(/^http:\/\/views\.localhost\/$/);
});

describe("from real servers", () => {
  test.each([
    ["test_simple_text", "This is a simple text response for testing."],
    ["test_image_content", "image/png"],
    ["test_audio_content", "audio/wav 204 bytes"],
    ["test_embedded_resource", "This is an embedded resource content."],
    ["test_multiple_content_types", '"value": 123'],
    ["test_error_handling", "This tool intentionally returns an error for testing"],
  ])("the result of %s is shown", async (tool, part) => {
    await page.goto(withServer(running.url, running.peer, `#/tools/${tool}`));
    await button("Call").click();
    await page.getByRole("dialog").getByRole("button", { name: "Call", exact: true }).click();
    await expect.poll(() => page.locator(".result").allInnerTexts()).toEqual([expect.stringContaining(part)]);
  });

  test("a board is drawn, counted and searched", async () => {
    const outcome = async (tool: string, fields: Readonly<Record<string, string>>): Promise<void> => {
      await page.goto(`${running.url}/#/tools/${tool}`);
      for (const [label, value] of Object.entries(fields)) {
        await page.getByRole("textbox", { name: new RegExp(`^${label}`) }).fill(value);
      }
      await button("Call").click();
    };
    const board = `results ${Date.now()}`;
    await outcome("add_note", { Board: board, Text: "two words" });
    await page.getByRole("dialog").getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".result").getByText("Pinned note 1").waitFor();
    await outcome("draw_board", { Board: board });
    await page.getByRole("img", { name: "Image sent by the server" }).waitFor();
    await outcome("board_stats", { Board: board });
    await page.getByText("matches the output schema").waitFor();
    expect(await page.locator(".result").last().innerText()).toContain('"words": 2');
    await outcome("search_notes", { Board: board, "Text to look for": "WORDS" });
    await page.locator(".result").getByRole("link").first().waitFor();
    expect(await page.locator(".result").last().innerText()).toContain("note:");
  });
});

/**
 * What servers ask the person for while a call runs: forms, pages to visit, answers of a model, directories. Against the
 * conformance fixture and the pinboard, and against a server answered from here where the questions have to be odd.
 */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

type Json = Record<string, unknown>;

let running: RunningPage;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  running = await startPage({ peer: true });
}, 60_000);

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser);
  page = tab.page;
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints).toEqual([]);
});

const dialog = () => page.getByRole("dialog");
const press = (name: string): Promise<void> => dialog().getByRole("button", { name, exact: true }).click();
const said = (text: string | RegExp): Promise<void> => page.locator(".result").getByText(text).first().waitFor();

/** @param mayChange whether the page asks first if it may be called */
async function call(mayChange = true): Promise<void> {
  await page.getByRole("button", { name: "Call", exact: true }).click();
  if (!mayChange) return;
  const approval = page.getByRole("dialog", { name: /^Call / });
  await approval.getByRole("button", { name: "Call", exact: true }).click();
  await approval.waitFor({ state: "detached" });
}

/** Opens a tool of the conformance fixture and calls it. */
async function ask(tool: string): Promise<void> {
  await page.goto(withServer(running.url, running.peer, `#/tools/${tool}`));
  await call();
  await dialog().waitFor();
}

/** A server whose only tool asks this. @returns the `inputResponses` that came */
async function asking(inputRequests: Json): Promise<Json[]> {
  const answers: Json[] = [];
  await page.route("**/mcp-fake", (route, request) => {
    const { id, method, params } = request.postDataJSON() as { id: number; method: string; params: Json };
    const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const meta = { _meta: { "io.modelcontextprotocol/serverInfo": { name: "peer", version: "1" } } };
    const { inputResponses } = params;
    if (inputResponses !== undefined) answers.push(inputResponses as Json);
    const results: Json = {
      "server/discover": { ...common, ...meta, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": {
        ...common,
        tools: [{ name: "t", annotations: { readOnlyHint: true }, inputSchema: { type: "object", properties: {} } }],
      },
      "tools/call":
        inputResponses === undefined
          ? { resultType: "input_required", inputRequests, requestState: "s\u0000é" }
          : { resultType: "complete", content: [{ type: "text", text: "thanks" }] },
    };
    const known = Object.hasOwn(results, method);
    const error = { code: -32601, message: "Method not found" };
    return route.fulfill({
      status: known ? 200 : 404,
      contentType: "application/json",
      body: JSON.stringify({ jsonrpc: "2.0", id, ...(known ? { result: results[method] } : { error }) }),
    });
  });
  await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/tools/t"));
  await call(false);
  return answers;
}

const form = (message: string, properties: Json, required: string[] = []): Json => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
});
const visit = (url: string): Json => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in, please.", url, elicitationId: "e" },
});

describe("forms", () => {
  test("the dialog names who asks, where, and for which call, and warns of passwords", async () => {
    await ask("test_input_required_result_elicitation");
    await dialog().getByText("What is your name?").waitFor();
    expect(await dialog().getByRole("heading").first().innerText()).toBe("mcp-edge-conformance asks you");
    const eyebrow = await dialog().locator("header .hint").innerText();
    expect(eyebrow).toBe(`${new URL(running.peer).host} · for tools/call test_input_required_result_elicitation`);
    expect(
      await dialog()
        .getByText(/Never give passwords/)
        .count(),
    ).toBe(1);
    // Whoever types when it opens answers nothing.
    expect(await page.locator("dialog h2:focus").count()).toBe(1);
    await press("Send");
    await dialog().getByText("Please fill out this field.").waitFor();
    await page.keyboard.type("Ada");
    await press("Send");
    await said("Hello, Ada!");
  });

  test.each([
    ["Decline", "You chose to decline."],
    ["Cancel", "You chose to cancel."],
    ["Escape", "You chose to cancel."],
  ])("%s is an answer as well", async (way, outcome) => {
    await ask("test_input_required_result_elicitation");
    await (way === "Escape" ? page.keyboard.press("Escape") : press(way));
    await said(outcome);
    expect(await dialog().count()).toBe(0);
  });

  test("every kind of field and its default is there, and the answer is checked before it is sent", async () => {
    const choices = [
      { const: "hi", title: "High" },
      { const: "lo", title: "Low" },
    ];
    const question = form(
      "Who?",
      {
        mail: { type: "string", format: "email" },
        nick: { type: "string", minLength: 3, default: "ada" },
        level: { type: "string", oneOf: choices, default: "lo" },
        plain: { type: "string", enum: ["x", "y"], default: "y" },
        legacy: { type: "string", enum: ["l", "m"], enumNames: ["Large", "Medium"], default: "m" },
        days: { type: "array", items: { anyOf: choices }, minItems: 1, default: ["hi"] },
        tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 1 },
        score: { type: "number", maximum: 1, default: 0.5 },
        count: { type: "integer", default: 0 },
        sure: { type: "boolean", default: true },
        day: { type: "string", format: "date" },
      },
      ["mail"],
    );
    const answers = await asking({ who: question });
    await dialog().getByLabel(/^mail/).fill("not an address");
    await dialog()
      .getByLabel(/^score/)
      .fill("2");
    await dialog().getByRole("group", { name: /^tags/ }).getByLabel("a").check();
    await dialog().getByRole("group", { name: /^tags/ }).getByLabel("b").check();
    await press("Send");
    await dialog()
      .getByText(/missing an .@./)
      .waitFor();
    await dialog().getByText("This must be <= 1.").waitFor();
    await dialog().getByText("This must have at most 1 items.").waitFor();
    expect(answers).toEqual([]);
    await dialog().getByLabel(/^mail/).fill("a@b.example");
    await dialog()
      .getByLabel(/^score/)
      .fill("0.25");
    await dialog().getByRole("group", { name: /^tags/ }).getByLabel("a").uncheck();
    await dialog()
      .getByLabel(/^level/)
      .selectOption({ label: "High" });
    await dialog().getByRole("group", { name: /^days/ }).getByLabel("Low").check();
    await press("Send");
    await said("thanks");
    const content = {
      mail: "a@b.example",
      nick: "ada",
      level: "hi",
      plain: "y",
      legacy: "m",
      days: ["hi", "lo"],
      tags: ["b"],
      score: 0.25,
      count: 0,
      sure: true,
    };
    expect(answers).toEqual([{ who: { action: "accept", content } }]);
  });

  test("the pinboard asks before it deletes", async () => {
    const board = `ask-${Date.now()}`;
    await page.goto(`${running.url}/#/tools/add_note`);
    await page.getByLabel(/^Board/).fill(board);
    await page.getByLabel(/^Text/).fill("milk");
    await call();
    await said(/milk|Pinned|note/i);
    await page.goto(`${running.url}/#/tools/delete_note`);
    await page.getByRole("heading", { name: /delete/i }).waitFor();
    await page.getByLabel(/^Board/).fill(board);
    await page.getByLabel(/^Note/).fill("1");
    await call();
    await dialog()
      .getByText(/It says: “milk”/)
      .waitFor();
    await dialog().getByRole("combobox").selectOption({ label: "Yes" });
    await press("Send");
    await said(`Deleted note 1 from “${board}”.`);
  });

  test("several questions come one after the other", async () => {
    await ask("test_input_required_result_multi_round");
    await dialog()
      .getByText(/Step 1/)
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Ada");
    await press("Send");
    await dialog()
      .getByText(/Step 2/)
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("teal");
    await press("Send");
    await said("Ada likes teal.");
  });

  test("three kinds of question of one call never overlap", async () => {
    await ask("test_input_required_result_multiple_inputs");
    expect(await dialog().count()).toBe(1);
    await page.keyboard.press("Tab");
    await page.keyboard.type("Ada");
    await press("Send");
    await dialog().getByText("Generate a greeting").waitFor();
    expect(await dialog().count()).toBe(1);
    await dialog()
      .getByLabel(/^Your answer/)
      .fill("Hello");
    await press("Send");
    await press("Add");
    await dialog().getByRole("textbox").fill("file:///home/ada");
    await press("Share");
    await said("Answered, with 1 roots.");
  });

  test("once the call has failed nothing more is asked", async () => {
    const sampling = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
    const answers = await asking({ a: sampling, b: form("Never seen", {}), c: visit("https://login.test/") });
    await press("Decline");
    await page.locator(".failure").first().waitFor();
    expect(await dialog().count()).toBe(0);
    expect(answers).toEqual([]);
  });

  test("hostile texts stay text, and addresses in a form are no links", async () => {
    const markup = "<img src=x onerror=alert(1)>";
    const answers = await asking({
      'a"b': form(`${markup} https://evil.test/`, {
        "x\"'": { type: "string", title: markup, description: "https://evil.test/" },
      }),
    });
    await dialog().getByText(`${markup} https://evil.test/`).waitFor();
    expect(await dialog().locator("img, a").count()).toBe(0);
    await dialog().getByRole("textbox").fill("ok");
    await press("Send");
    await said("thanks");
    expect(answers).toEqual([{ 'a"b': { action: "accept", content: { "x\"'": "ok" } } }]);
  });

  test.each([
    [{ message: 7 }],
    [{ requestedSchema: "none" }],
    [{ requestedSchema: { type: "object", properties: [] } }],
  ])("a question that is not what it should be can still be declined (%j)", async (params) => {
    const answers = await asking({ q: { method: "elicitation/create", params } });
    await dialog().waitFor();
    await press("Decline");
    await said("thanks");
    expect(answers).toEqual([{ q: { action: "decline" } }]);
  });
});

describe("pages to visit", () => {
  test("host and whole address are shown, and it opens only when asked to, without a way back to this page", async () => {
    const url = "https://login.test/path?x=1#y";
    await tab.context.route("https://login.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<script>document.title = String(window.opener)</script>" }),
    );
    const answers = await asking({ a: visit(url) });
    await dialog().getByText("Sign in, please.").waitFor();
    expect(await dialog().locator("code").innerText()).toBe(url);
    expect(await dialog().locator(".failure:visible").count()).toBe(0);
    expect(tab.context.pages()).toHaveLength(1);
    const opening = tab.context.waitForEvent("page");
    await dialog().getByRole("link", { name: "Open login.test in a new tab" }).click();
    const opened = await opening;
    await expect.poll(() => opened.title()).toBe("null");
    expect(answers).toEqual([]);
    await opened.close();
    await press("I have done it");
    await said("thanks");
    expect(answers).toEqual([{ a: { action: "accept" } }]);
  });

  test.each([
    ["https://xn--pple-43d.com/", /Look twice/],
    ["https://аpple.com/", /Look twice/],
    ["https://bank.test@evil.test/", /Look twice/],
    ["http://plain.test/", /Look twice/],
  ])("%s is shown with a warning", async (url, warning) => {
    const answers = await asking({ a: visit(url) });
    await dialog().getByText(warning).waitFor();
    await press("Decline");
    await said("thanks");
    expect(answers).toEqual([{ a: { action: "decline" } }]);
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "http://"])("%s is refused", async (url) => {
    const answers = await asking({ a: visit(url) });
    await page.locator(".failure").first().waitFor();
    expect(await dialog().count()).toBe(0);
    expect(answers).toEqual([]);
  });
});

describe("sampling", () => {
  test("what a model would get is shown whole, and answered by hand", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    const params = {
      systemPrompt: "Be brief.",
      messages: [
        { role: "user", content: { type: "text", text: "What is on it?" } },
        { role: "user", content: [{ type: "image", mimeType: "image/png", data: pixel }] },
        { role: "assistant", content: { type: "tool_use", id: "1", name: "look", input: { at: "it" } } },
      ],
      modelPreferences: { hints: [{ name: "sonnet" }], costPriority: 0.3 },
      maxTokens: 50,
      tools: [{ name: "look", inputSchema: { type: "object" } }],
    };
    const answers = await asking({ s: { method: "sampling/createMessage", params } });
    for (const shown of ["Be brief.", "What is on it?", "sonnet", "50", "modelPreferences", "look"])
      await dialog().getByText(shown).filter({ visible: true }).first().waitFor();
    expect(await dialog().locator("img").count()).toBe(1);
    await press("Send"); // Nothing is typed yet.
    expect(await dialog().count()).toBe(1);
    await dialog()
      .getByLabel(/^Your answer/)
      .fill("A red dot.");
    await press("Send");
    await said("thanks");
    const content = { type: "text", text: "A red dot." };
    expect(answers).toEqual([{ s: { role: "assistant", model: "human", content } }]);
  });

  test("the fixture gets the answer", async () => {
    await ask("test_input_required_result_sampling");
    await dialog().getByText("What is the capital of France?").waitFor();
    await dialog()
      .getByLabel(/^Your answer/)
      .fill("Paris");
    await press("Send");
    await said(/Paris/);
  });

  test("a model of one's own drafts the answer, which is reviewed before it is sent", async () => {
    let asked: unknown;
    await page.route("**/fake-model", (route, request) => {
      asked = request.postDataJSON();
      const choices = [{ finish_reason: "stop", message: { role: "assistant", content: "Lyon, I think." } }];
      return route.fulfill({ contentType: "application/json", body: JSON.stringify({ choices }) });
    });
    await page.goto(withServer(running.url, running.peer, "#/tools/test_input_required_result_sampling"));
    await call();
    await press("Ask my model");
    const which = page.getByRole("dialog", { name: "Your model" });
    await which.getByLabel(/^Endpoint/).fill(`${running.url}/fake-model`);
    await which.getByLabel(/^Model/).fill("m-1");
    expect(asked).toBeUndefined();
    await which.getByRole("button", { name: "Use this model" }).click();
    await expect
      .poll(() =>
        dialog()
          .getByLabel(/^Your answer/)
          .inputValue(),
      )
      .toBe("Lyon, I think.");
    expect(asked).toMatchObject({
      model: "m-1",
      messages: [{ role: "user", content: "What is the capital of France?" }],
      max_completion_tokens: expect.any(Number),
    });
    await dialog()
      .getByLabel(/^Your answer/)
      .fill("Paris");
    await press("Send");
    await said(/Paris/);
  });

  test.each(["Decline", "Escape"])("%s ends the call", async (way) => {
    const answers = await asking({
      s: { method: "sampling/createMessage", params: { messages: "odd", maxTokens: {} } },
    });
    await dialog().waitFor();
    await (way === "Escape" ? page.keyboard.press("Escape") : press(way));
    await page.locator(".failure").first().waitFor();
    expect(answers).toEqual([]);
  });
});

describe("roots", () => {
  test("directories are validated, shared after consent, and asked for again on the next visit", async () => {
    await ask("test_input_required_result_list_roots");
    const boxes = dialog()
      .getByRole("group", { name: /^Directories/ })
      .getByRole("textbox");
    await press("Add");
    await boxes.fill("file:///home/ada/../ada/notes");
    await press("Add");
    await page.keyboard.type("https://x.test/");
    await press("Share");
    await dialog()
      .getByText(/This must match the pattern/)
      .waitFor();
    await boxes.last().fill("file:///srv");
    await press("Share");
    await said("Roots: file:///home/ada/notes, file:///srv");
    await call(); // Not asked again.
    await said("Roots: file:///home/ada/notes, file:///srv");
    await page.reload();
    await call();
    await dialog().waitFor();
    expect(await boxes.count()).toBe(0);
    await press("Decline");
    await page.locator(".failure").first().waitFor();
  });
});

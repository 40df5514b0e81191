/**
 * The form that the page makes from a JSON Schema, through the Tools section: a server of one tool, answered from here, whose
 * schema each test chooses, and what arrives there as arguments.
 */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTab, type RunningPage, startPage, type Tab, withServer } from "./page-kit.ts";

type Json = Record<string, unknown>;

let running: RunningPage;
let tab: Tab;
let page: Page;
let calls: Json[];

beforeAll(async () => {
  running = await startPage();
}, 60_000);

afterAll(() => running?.stop());

beforeEach(async () => {
  tab = await openTab(running.browser, { timezoneId: "Europe/Zurich", locale: "en-GB" });
  page = tab.page;
  calls = [];
});

afterEach(async () => {
  await tab.context.close();
  expect(tab.complaints).toEqual([]);
});

/** Opens the page at a tool with this schema, or these properties. */
async function open(inputSchema: Json): Promise<void> {
  const annotations = { readOnlyHint: true }; // So that nobody asks whether it may be called.
  const tools = [{ name: "t", annotations, inputSchema: { type: "object", ...inputSchema } }];
  await page.route("**/mcp-fake", (route, request) => {
    const { id, method, params } = request.postDataJSON() as { id: number; method: string; params: Json };
    const info = { name: "peer", version: "1" };
    const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const meta = { _meta: { "io.modelcontextprotocol/serverInfo": info } };
    const results: Json = {
      "server/discover": { ...common, ...meta, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": { ...common, tools },
      "tools/call": { resultType: "complete", content: [{ type: "text", text: "called" }] },
    };
    if (method === "tools/call") calls.push(params["arguments"] as Json);
    const known = Object.hasOwn(results, method);
    const error = { code: -32601, message: "Method not found" };
    return route.fulfill({
      status: known ? 200 : 404,
      contentType: "application/json",
      body: JSON.stringify({ jsonrpc: "2.0", id, ...(known ? { result: results[method] } : { error }) }),
    });
  });
  await page.goto(withServer(running.url, `${running.url}/mcp-fake`, "#/tools/t"));
  await page.getByRole("button", { name: "Call", exact: true }).waitFor();
}

/** Presses Call. @returns what arrived */
async function call(): Promise<Json> {
  const count = calls.length;
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await expect.poll(() => calls.length).toBe(count + 1);
  return calls[count] ?? {};
}

/** Presses Call where something is wrong. */
async function refused(): Promise<void> {
  const count = calls.length;
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.locator(".error:not(:empty):visible").first().waitFor();
  expect(calls.length).toBe(count);
}

const removal = (entry: number) =>
  page
    .locator(".schema-form")
    .getByRole("listitem")
    .nth(entry - 1)
    .getByRole("button", { name: "Remove" });
const field = (name: string) => page.locator(".schema-form").getByLabel(new RegExp(`^${name}(?![\\w,])`));
/** Between the fields and the JSON. */
const turn = (): Promise<void> => page.getByRole("checkbox", { name: "JSON", exact: true }).click();
/** Presses Add in the group of this name. */
const add = (name: string): Promise<void> =>
  page
    .getByRole("group", { name: new RegExp(`^${name}`) })
    .getByRole("button", { name: "Add", exact: true })
    .click();
/** What is said to be wrong with a field, as those hear it who hear the field. */
async function wrongWith(name: string): Promise<string> {
  const control = field(name).first();
  const ids = ((await control.getAttribute("aria-describedby")) ?? "").split(" ");
  const said = await page.locator(`.error${ids.length > 0 ? `#${ids.at(-1)}` : ""}`).innerText();
  expect(await control.getAttribute("aria-invalid")).toBe(said === "" ? null : "true");
  return said.trim();
}

describe("fields", () => {
  test("every kind of field ends up in the arguments as what the schema calls for", async () => {
    await open({
      required: ["name", "sure", "point"],
      properties: {
        name: { type: "string" },
        n: { type: "integer", minimum: 1 },
        x: { type: ["number", "null"] },
        sure: { type: "boolean" },
        maybe: { type: "boolean" },
        size: { enum: [1, 2, "big", null] },
        pick: {
          oneOf: [
            { const: "a", title: "Option A" },
            { const: "b", title: "Option B" },
          ],
        },
        legacy: { type: "string", enum: ["l", "m"], enumNames: ["Large", "Medium"] },
        fixed: { const: 7 },
        tags: { type: "array", items: { type: "string" } },
        days: { type: "array", items: { type: "string", enum: ["mon", "tue", "wed"] } },
        titled: {
          type: "array",
          items: {
            anyOf: [
              { const: 1, title: "First" },
              { const: 2, title: "Second" },
            ],
          },
        },
        point: { type: "object", properties: { lat: { type: "number" }, label: { type: "string", default: "here" } } },
        extra: { type: "object", properties: { a: { type: "string" } } },
        raw: { type: "array" },
      },
    });
    await field("name").fill("Ada\nLovelace");
    await field("n").fill("3");
    await field("x").first().fill("-0.5");
    await field("sure").selectOption({ label: "Yes" });
    await field("maybe").selectOption({ label: "No" });
    await field("size").selectOption({ label: "2" });
    await field("pick").selectOption({ label: "Option B" });
    await field("legacy").selectOption({ label: "Medium" });
    await field("fixed").selectOption({ label: "7" });
    for (const tag of ["red", "green"]) {
      await add("tags");
      await page.keyboard.type(tag);
    }
    await page.getByLabel("mon").check();
    await page.getByLabel("wed").check();
    await page.getByLabel("Second").check();
    await field("lat").fill("47.5");
    await field("raw").fill("[1, 2.5]");
    expect(await call()).toEqual({
      name: "Ada\nLovelace",
      n: 3,
      x: -0.5,
      sure: true,
      maybe: false,
      size: 2,
      pick: "b",
      legacy: "m",
      fixed: 7,
      tags: ["red", "green"],
      days: ["mon", "wed"],
      titled: [2],
      point: { lat: 47.5, label: "here" },
      raw: [1, 2.5],
    });
  });

  test("defaults are filled in, nested ones too, and what nobody filled in is left out", async () => {
    await open({
      properties: {
        a: { type: "string" },
        b: { type: "string", default: "x" },
        c: { type: "integer" },
        d: { type: "boolean", default: true },
        e: { enum: ["p", "q"], default: "q" },
        f: { type: "array", items: { type: "string" } },
        g: {
          type: "object",
          properties: { h: { type: "string" }, i: { type: "integer", default: 1 } },
          required: ["h"],
        },
        j: { type: "object", properties: { k: { type: "number" }, l: { type: "string" } }, default: { k: 2 } },
        m: { type: "array", items: { type: "object", properties: { n: { type: "string" } } }, default: [{ n: "o" }] },
        p: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
        q: { type: "array", items: { enum: ["r", "s"] }, default: ["s"] },
        at: { type: "string", format: "date-time", default: "2026-07-28T12:00:00.5+02:00" },
      },
    });
    expect(await call()).toEqual({
      b: "x",
      d: true,
      e: "q",
      j: { k: 2 },
      m: [{ n: "o" }],
      q: ["s"],
      at: "2026-07-28T12:00:00.5+02:00",
    });
  });

  test("formats have inputs that fit, and times are sent with their offset", async () => {
    await open({
      properties: {
        mail: { type: "string", format: "email", examples: ["ada@example.org"] },
        site: { type: "string", format: "uri" },
        day: { type: "string", format: "date" },
        at: { type: "string", format: "date-time" },
        text: { type: "string", maxLength: 5000 },
      },
    });
    const kinds = ["mail", "site", "day", "at"].map((name) => field(name).getAttribute("type"));
    expect(await Promise.all(kinds)).toEqual(["email", "url", "date", "datetime-local"]);
    expect(await field("mail").getAttribute("placeholder")).toBe("ada@example.org");
    expect(await field("text").evaluate((control) => control.tagName)).toBe("TEXTAREA");
    await field("mail").fill("nobody");
    await field("site").fill("nowhere");
    await refused();
    expect(await wrongWith("mail")).toMatch(/@/);
    expect(await wrongWith("site")).toMatch(/URL/);
    await field("mail").fill("a@b.example");
    await field("site").fill("https://a.example/");
    await field("day").fill("2026-07-28");
    await field("at").fill("2026-07-28T12:30:00");
    expect(await call()).toEqual({
      mail: "a@b.example",
      site: "https://a.example/",
      day: "2026-07-28",
      at: "2026-07-28T10:30:00.000Z",
    });
  });

  test("blank is null where something has to be there and null may be", async () => {
    await open({
      required: ["due", "owner"],
      properties: {
        due: { type: ["string", "null"] },
        owner: { anyOf: [{ type: "object", properties: { id: { type: "integer" } } }, { type: "null" }] },
        note: { type: ["string", "null"], minLength: 2 },
      },
    });
    expect(await call()).toEqual({ due: null, owner: null });
    await add("owner");
    await page.keyboard.type("4");
    await field("note").fill("x");
    await refused();
    expect(await wrongWith("note")).toBe("This must have at least 2 characters.");
    await field("note").fill("xy");
    expect(await call()).toEqual({ due: null, owner: { id: 4 }, note: "xy" });
    await turn();
    await field("Arguments").fill('{"due": "now", "owner": null, "note": null}');
    await turn();
    expect(await field("due").inputValue()).toBe("now");
    expect(await call()).toEqual({ due: "now", owner: null, note: null });
  });

  test("lists of objects grow and shrink by keyboard", async () => {
    await open({
      properties: {
        steps: {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
        },
      },
    });
    await page.getByText("minItems 1, maxItems 3").waitFor();
    const more = page.getByRole("button", { name: "Add", exact: true });
    for (const id of ["1", "2", "3", "4"]) {
      await more.focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type(id);
    }
    await refused();
    expect(await page.getByText("This must have at most 3 items.").count()).toBe(1);
    await removal(2).focus();
    await page.keyboard.press("Enter");
    expect(await more.and(page.locator(":focus")).count()).toBe(1);
    expect(await call()).toEqual({ steps: [{ id: 1 }, { id: 3 }, { id: 4 }] });
  });

  test("properties with free names are written as JSON", async () => {
    await open({
      properties: {
        env: { type: "object", additionalProperties: { type: "string", minLength: 2 } },
        any: { type: "object", additionalProperties: true },
      },
    });
    await field("env").fill('{"__proto__": "x"}');
    await field("any").fill('{"a": [1]}');
    await refused();
    expect(await wrongWith("env")).toBe("/__proto__ must have at least 2 characters.");
    await field("env").fill('{"__proto__": "xy"}');
    expect(JSON.stringify(await call())).toBe('{"env":{"__proto__":"xy"},"any":{"a":[1]}}');
  });

  test("of several kinds one is chosen, then its fields are filled in", async () => {
    const circle = {
      title: "Circle",
      type: "object",
      properties: { kind: { const: "circle" }, name: { type: "string" }, r: { type: "number", minimum: 1 } },
      required: ["kind", "r"],
    };
    const box = {
      type: "object",
      properties: { kind: { const: "box" }, name: { type: "string" }, w: { type: "number" } },
      required: ["kind"],
    };
    await open({
      required: ["shape"],
      properties: { shape: { oneOf: [circle, box, { type: "string" }] } },
    });
    const kind = page.getByLabel("Kind", { exact: true });
    await refused();
    expect(await wrongWith("r")).toBe("Please fill out this field.");
    await field("name").fill("it");
    await field("r").fill("0");
    await refused();
    expect(await wrongWith("r")).toBe("This must be >= 1.");
    await field("r").fill("2");
    expect(await call()).toEqual({ shape: { kind: "circle", name: "it", r: 2 } });
    await kind.selectOption({ label: "box" });
    await field("w").fill("3");
    expect(await call()).toEqual({ shape: { kind: "box", w: 3 } });
    await kind.selectOption({ label: "string" });
    await page.getByRole("textbox", { name: "string" }).fill("dot");
    expect(await call()).toEqual({ shape: "dot" });
  });

  test("a schema that goes back to itself is made as deep as it is filled in", async () => {
    const node = {
      type: "object",
      properties: {
        label: { type: "string" },
        next: { $ref: "#/$defs/node" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
    };
    await open({ $defs: { node }, properties: { tree: { $ref: "#/$defs/node" } } });
    expect(await field("label").count()).toBe(0);
    await add("tree");
    await page.keyboard.type("outer");
    await add("next");
    await page.keyboard.type("inner");
    await page
      .getByRole("group", { name: /^children/ })
      .last()
      .getByRole("button", { name: "Add" })
      .click();
    await page.keyboard.type("leaf");
    const tree = { label: "outer", next: { label: "inner" }, children: [{ label: "leaf" }] };
    expect(await call()).toEqual({ tree });
    // And with what it holds.
    await turn();
    await turn();
    expect(await field("label").count()).toBe(3);
    expect(await call()).toEqual({ tree });
  });

  test("huge and deep schemas stay forms of bounded size", async () => {
    const wide = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, { type: "string" }]));
    const groups = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`g${index}`, { type: "object", properties: wide }]),
    );
    let deep: Json = { type: "string" };
    for (let depth = 0; depth < 60; depth++) deep = { type: "object", required: ["d"], properties: { d: deep } };
    const choices = Array.from({ length: 3_000 }, (_, index) => `c${index}`);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`q${index}`, {}]));
    await open({
      required: ["deep", "g0", "g1", "g2", "g3", "g4", "g5"],
      properties: { deep, ...groups, choice: { enum: choices }, many: { type: "object", properties: many } },
    });
    expect(await page.locator("input, select, textarea").count()).toBeLessThan(600);
    expect(await page.locator("option").count()).toBeLessThan(600);
    await page.getByRole("textbox", { name: /^d / }).fill("bottom");
    await field("g59").fill('{"p7": "seen"}');
    const { deep: sent, ...others } = await call();
    expect(JSON.stringify(sent)).toMatch(/^(\{"d":){60}"bottom"\}{60}$/);
    expect(others).toEqual({ g0: {}, g1: {}, g2: {}, g3: {}, g4: {}, g5: {}, g59: { p7: "seen" } });
  });

  test("names of every kind are properties like any other", async () => {
    const odd = ["__proto__", "constructor", "a\"b'c", "<i>", "x y", "", "a/b~c", "submit"];
    const properties = JSON.parse(`{${odd.map((name) => `${JSON.stringify(name)}:{"type":"string"}`).join()}}`) as Json;
    await open({ properties, required: ["a/b~c"] });
    const boxes = page.locator(".schema-form fieldset textarea");
    expect(await boxes.count()).toBe(odd.length);
    await refused();
    expect(await boxes.nth(6).getAttribute("aria-invalid")).toBe("true");
    for (const [index, name] of odd.entries()) await boxes.nth(index).fill(`=${name}`);
    expect(JSON.stringify(await call())).toBe(
      JSON.stringify(
        JSON.parse(`{${odd.map((name) => `${JSON.stringify(name)}:${JSON.stringify(`=${name}`)}`).join()}}`),
      ),
    );
  });
});

describe("what is wrong", () => {
  const schema = {
    required: ["name", "count"],
    properties: {
      name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-z]+$", description: "As in the passport." },
      count: { type: "integer", minimum: 1, maximum: 10 },
      tags: { type: "array", items: { type: "string" }, uniqueItems: true },
    },
  };

  test("the limits are shown before anything is typed, and a field complains while it is typed in", async () => {
    await open(schema);
    await page.getByText("minLength 3, maxLength 200, pattern ^[a-z]+$").waitFor();
    await page.getByText("minimum 1, maximum 10").waitFor();
    await field("name").pressSequentially("A");
    await expect.poll(() => wrongWith("name")).toBe("This must have at least 3 characters.");
    expect(await wrongWith("count")).toBe("");
    await field("name").fill("ada");
    await expect.poll(() => wrongWith("name")).toBe("");
  });

  test("the first attempt shows all at once and goes to the first", async () => {
    await open(schema);
    await field("count").fill("11");
    await refused();
    expect(await wrongWith("name")).toBe("Please fill out this field.");
    expect(await wrongWith("count")).toBe("This must be <= 10.");
    expect(await field("name").and(page.locator(":focus")).count()).toBe(1);
    await field("name").fill("ada");
    await field("count").fill("10");
    for (const tag of ["x", "x"]) {
      await add("tags");
      await page.keyboard.type(tag);
    }
    await refused();
    expect(await page.getByText("This must not have equal items.").count()).toBe(1);
    await page.keyboard.press("Tab");
    await removal(2).click();
    expect(await call()).toEqual({ name: "ada", count: 10, tags: ["x"] });
  });

  test("a schema that cannot be judged is no obstacle", async () => {
    await open({ required: ["a"], properties: { a: { $ref: "https://elsewhere.test/s" }, b: { type: "string" } } });
    await field("a").fill("{");
    await refused();
    expect(await wrongWith("a")).toMatch(/in JSON at position 1/);
    await field("a").fill("{}");
    expect(await call()).toEqual({ a: {} });
  });

  test("what the schema says beyond its fields is checked as well", async () => {
    await open({
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    await refused();
    await field("b").fill("x");
    expect(await call()).toEqual({ b: "x" });
  });
});

describe("as JSON", () => {
  const schema = {
    required: ["a"],
    properties: { a: { type: "string", minLength: 2 }, list: { type: "array", items: { type: "integer" } } },
  };
  test("form and JSON stay in step", async () => {
    await open(schema);
    await field("a").fill("xyz");
    await turn();
    expect(JSON.parse(await field("Arguments").inputValue())).toEqual({ a: "xyz" });
    await field("Arguments").fill('{"a": "other", "list": [1, 2]}');
    await turn();
    expect(await field("a").inputValue()).toBe("other");
    expect(await call()).toEqual({ a: "other", list: [1, 2] });
    await turn();
    await field("Arguments").fill('{"a": "", "list": []}');
    await refused();
    expect(await wrongWith("Arguments")).toBe("/a must have at least 2 characters.");
    await field("Arguments").fill('{"a": "direct"}');
    expect(await call()).toEqual({ a: "direct" });
  });

  test("text that is no JSON stays, and is said to be none", async () => {
    await open(schema);
    await field("a").fill("xyz");
    await turn();
    await field("Arguments").fill('{\n  "a": oops\n}');
    await turn();
    expect(await field("Arguments").inputValue()).toContain("oops");
    expect(await wrongWith("Arguments")).toMatch(/Unexpected token 'o'/);
    await refused();
    await field("Arguments").fill('{"a": "good"}');
    await turn();
    expect(await field("a").inputValue()).toBe("good");
  });

  test("text that is no JSON is sent as it stands by who insists, and blanks are a text", async () => {
    await open({ properties: { sep: { type: "string" }, any: {} } });
    await page.getByLabel(/^sep/).fill("  ");
    expect(await call()).toEqual({ sep: "  " });
    await page.getByLabel(/^any/).fill("{x");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    expect(await call()).toEqual({ sep: "  ", any: "{x" });
  });

  test("what has no field of its own is shown as JSON where it stands, and arrives", async () => {
    await open({ ...schema, additionalProperties: true });
    await turn();
    const value = { a: "xx", list: { 0: "odd" }, other: { deep: [null] } };
    await field("Arguments").fill(JSON.stringify(value));
    await turn();
    expect(await field("a").inputValue()).toBe("xx");
    expect(JSON.parse(await field("other").inputValue())).toEqual({ deep: [null] });
    await refused();
    expect(await wrongWith("list")).toBe("This must be array.");
    await field("list").fill("[3]");
    expect(await call()).toEqual({ ...value, list: [3] });
    await turn();
    await field("Arguments").fill("[]");
    await refused();
    expect(await wrongWith("Arguments")).toBe("This must be object.");
    await turn();
    expect(await field("Arguments").inputValue()).toBe("[]");
  });

  test("of several kinds the one that fits is shown, filled in or not", async () => {
    const kinds = ["circle", "box"].map((kind) => ({
      type: "object",
      properties: { kind: { const: kind }, size: { type: "number" } },
      required: ["kind", "size"],
    }));
    await open({ required: ["shape"], properties: { shape: { oneOf: kinds } } });
    const kind = page.getByLabel("Kind", { exact: true });
    await kind.selectOption({ label: "box" });
    for (const size of ["", "4"]) {
      await field("size").fill(size);
      await turn();
      await turn();
      expect(await kind.inputValue()).toBe("box");
    }
    expect(await call()).toEqual({ shape: { kind: "box", size: 4 } });
  });

  test("an earlier call fills the form again", async () => {
    await open(schema);
    await field("a").fill("first");
    await add("list");
    await page.keyboard.type("7");
    await call();
    await field("a").fill("second");
    await removal(1).click();
    await page.getByText(/^History/).click();
    const count = calls.length;
    await page.getByRole("button", { name: "Run t again" }).first().click();
    await expect.poll(() => calls.length).toBe(count + 1);
    expect(calls[count]).toEqual({ a: "first", list: [7] });
    expect(await field("a").inputValue()).toBe("first");
  });

  test("a schema without fields is a box for JSON", async () => {
    await open({});
    expect(await call()).toEqual({});
    await field("Arguments").fill('{"a": [1], "__proto__": 1}');
    expect(Object.keys(await call())).toEqual(["a", "__proto__"]);
  });
});

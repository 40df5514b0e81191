/** Requests that need input on the way. */
import { describe, expect, test } from "vitest";
import {
  formDefaults,
  type InputHandlers,
  isPendingInput,
  type McpClientOptions,
  McpError,
  type PendingInput,
} from "../../src/client.ts";
import { asking } from "../kit/ask.ts";
import { ENDPOINT } from "../kit/post.ts";
import { against, codeOf, result, type Sent, text } from "./fake-fetch.ts";

const form = {
  method: "elicitation/create",
  params: { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
};
const sampling = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const roots = { method: "roots/list" };

const interim = (body: Record<string, unknown>) => ({ resultType: "input_required", ...body });
const accept = { action: "accept", content: { name: "Ada" } };
const HANDLERS: InputHandlers = {
  elicit: () => Promise.resolve(accept),
  sample: () => Promise.resolve({ role: "assistant", model: "m", content: [] }),
  roots: () => Promise.resolve({ roots: [] }),
};

/** Answers the first request so, and later ones with a result. */
const first = (body: Record<string, unknown>) => (sent: Sent, index: number) =>
  result(sent, index === 0 ? interim(body) : text("done"));

describe("the retry", () => {
  // MRTR-02.
  test.each([
    ["ascii", "s"],
    ["characters of all kinds", '{"a":"é 語 🔔 \\u0000"} '],
    ["nothing", ""],
    ["10 KiB", "x".repeat(10_240)],
  ])("echoes a state of %s as it is", async (_name, requestState) => {
    const { client, sent } = against(first({ inputRequests: { who: form }, requestState }), { input: HANDLERS });
    await client.callTool("t", { a: 1 });
    expect(sent[1]?.params).toEqual({
      name: "t",
      arguments: { a: 1 },
      inputResponses: { who: accept },
      requestState,
    });
    expect(sent[1]?.id).not.toBe(sent[0]?.id);
  });

  test("holds no state where there was none, and no answers where nothing was asked", async () => {
    const questions = against(first({ inputRequests: { who: form } }), { input: HANDLERS });
    await questions.client.callTool("t");
    expect(Object.keys(questions.sent[1]?.params ?? {})).toEqual(["name", "arguments", "inputResponses"]);
    const state = against(first({ requestState: "s" }), { input: HANDLERS });
    await state.client.callTool("t");
    expect(Object.keys(state.sent[1]?.params ?? {})).toEqual(["name", "arguments", "requestState"]);
  });

  test("holds all answers at once, under the names of their questions", async () => {
    const inputRequests = JSON.parse(
      `{"a":${JSON.stringify(form)},"b":${JSON.stringify(sampling)},"__proto__":${JSON.stringify(roots)}}`,
    ) as Record<string, unknown>;
    const { client, sent } = against(first({ inputRequests }), { input: HANDLERS });
    await client.callTool("t");
    expect(Object.keys(sent[1]?.params["inputResponses"] as object)).toEqual(["a", "b", "__proto__"]); // Given above.
  });

  test("goes with the answers of its own round alone", async () => {
    const { client, sent } = against(
      (request, index) =>
        result(
          request,
          index < 2 ? interim({ inputRequests: { [`q${index}`]: form }, requestState: `s${index}` }) : text("ok"),
        ),
      { input: HANDLERS },
    );
    await client.callTool("t");
    expect(sent[2]?.params).toMatchObject({ inputResponses: { q1: accept }, requestState: "s1" });
    expect(sent[2]?.params["inputResponses"]).not.toHaveProperty("q0");
  });

  test("of one call never takes what belongs to another", async () => {
    const { client, sent } = against(
      (request) =>
        result(
          request,
          request.params["requestState"] === undefined
            ? interim({ inputRequests: { q: form }, requestState: `of ${String(request.params["name"])}` })
            : text("ok"),
        ),
      { input: HANDLERS },
    );
    await Promise.all(["a", "b", "c"].map((name) => client.callTool(name)));
    const echoed = sent.slice(3).map(({ params }) => [params["name"], params["requestState"]]);
    expect(new Set(echoed)).toEqual(
      new Set([
        ["a", "of a"],
        ["b", "of b"],
        ["c", "of c"],
      ]),
    );
  });

  test.each(["prompts/get", "resources/read"])("is made for %s, too", async (method) => {
    const { client, sent } = against(
      (request, index) =>
        result(request, index === 0 ? interim({ inputRequests: { who: form } }) : { messages: [], contents: [] }),
      { input: HANDLERS },
    );
    await (method === "prompts/get" ? client.getPrompt("p") : client.readResource("x://y"));
    expect(sent.map((request) => request.method)).toEqual([method, method]);
  });
});

const throwing = () => {
  throw new Error("at once");
};

describe("a handler", () => {
  test("is told which request asks", async () => {
    const seen: unknown[] = [];
    const elicit: InputHandlers["elicit"] = (params, { request, signal }) => {
      seen.push(params.message, request, signal.aborted);
      return Promise.resolve(accept);
    };
    const { client } = against(first({ inputRequests: { who: form } }), { input: { elicit } });
    await client.callTool("t", { a: 1 });
    expect(seen).toEqual(["Who?", { method: "tools/call", params: { name: "t", arguments: { a: 1 } } }, false]);
  });

  test("that there is not ends the call, naming what was asked", async () => {
    let asked = 0;
    const elicit = () => {
      asked += 1;
      return Promise.resolve(accept);
    };
    const { client, sent } = against(first({ inputRequests: { a: form, b: sampling } }), { input: { elicit } });
    await expect(client.callTool("t")).rejects.toMatchObject({
      code: "input_unanswered",
      message: expect.stringContaining("sampling/createMessage"),
    });
    // Nobody is asked in vain.
    expect([sent.length, asked]).toEqual([1, 0]);
  });

  test("that fails ends the call, and the other handlers' work", async () => {
    let told: unknown;
    const input: InputHandlers = {
      elicit: () => Promise.reject(new Error("the window was closed")),
      sample: (_params, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => void (told = signal.reason))),
    };
    const { client } = against(first({ inputRequests: { a: form, b: sampling } }), { input });
    const thrown: unknown = await client.callTool("t").catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ code: "input_unanswered", cause: { message: "the window was closed" } });
    expect(told).toBe(thrown);
  });

  test("that throws at once, or answers with no object, ends the call as well", async () => {
    // As an application without types might do it.
    const wrong = (() => Promise.resolve("yes")) as unknown as NonNullable<InputHandlers["elicit"]>;
    for (const elicit of [throwing, wrong]) {
      const { client } = against(first({ inputRequests: { a: form } }), { input: { elicit } });
      expect(await codeOf(client.callTool("t"))).toBe("input_unanswered");
    }
  });

  test("hears of the client's closing, and so does the call", async () => {
    let told: unknown;
    let close: (() => void) | undefined;
    const elicit: InputHandlers["elicit"] = (_params, { signal }) => {
      signal.addEventListener("abort", () => void (told = signal.reason));
      close?.();
      return new Promise(() => {});
    };
    const { client } = against(first({ inputRequests: { a: form } }), { input: { elicit } });
    close = () => void client.close();
    expect(await codeOf(client.callTool("t"))).toBe("aborted");
    expect(told).toMatchObject({ code: "aborted" });
  });

  test("hears of the caller's giving up, and so does the call though the handler goes on", async () => {
    const caller = new AbortController();
    let told = false;
    const elicit: InputHandlers["elicit"] = (_params, { signal }) => {
      signal.addEventListener("abort", () => void (told = true));
      caller.abort();
      return new Promise(() => {});
    };
    const { client, sent } = against(first({ inputRequests: { a: form } }), { input: { elicit } });
    expect(await codeOf(client.callTool("t", {}, { signal: caller.signal }))).toBe("aborted");
    expect([told, sent.length]).toEqual([true, 1]);
  });
});

const visit = (url: unknown, mode: unknown = "url") => ({
  method: "elicitation/create",
  params: { mode, message: "Go", url, elicitationId: "1" },
});

describe("an elicitation", () => {
  const FORMS = { elicitation: { form: {} } };
  const URLS = { elicitation: { url: {} } };
  const BOTH = { elicitation: { form: {}, url: {} } };

  test.each<[string, Record<string, unknown>, McpClientOptions["capabilities"]]>([
    ["a URL where only forms are declared", visit("https://a.test/"), FORMS],
    ["a URL where elicitation is declared without modes", visit("https://a.test/"), { elicitation: {} }],
    ["a form where only URLs are declared", form, URLS],
    ["a URL that is a script", visit("javascript:alert(1)"), BOTH],
    ["a URL of a file", visit("file:///etc/passwd"), BOTH],
    ["a URL that is none", visit(5), BOTH],
    ["nothing where only URLs are declared", { method: "elicitation/create" }, URLS],
    ["a mode that nobody knows", visit("https://a.test/", "hologram"), BOTH],
  ])("of %s reaches no handler", async (_name, who, capabilities = {}) => {
    let asked = 0;
    const elicit = () => Promise.resolve((asked++, accept));
    const { client } = against(first({ inputRequests: { who } }), { input: { elicit }, capabilities });
    expect(await codeOf(client.callTool("t"))).toBe("input_unanswered");
    expect(asked).toBe(0);
  });

  test.each<[string, Record<string, unknown>, McpClientOptions["capabilities"]]>([
    ["a URL", visit("https://a.test/"), URLS],
    ["a form that is called one", { ...form, params: { ...form.params, mode: "form" } }, FORMS],
    ["a form where elicitation is declared without modes", form, { elicitation: {} }],
  ])("of %s does where it is declared", async (_name, who, capabilities = {}) => {
    const { client } = against(first({ inputRequests: { who } }), { input: HANDLERS, capabilities });
    expect(await client.callTool("t")).toMatchObject(text("done"));
  });
});

describe("an interim result", () => {
  test("that comes for ever ends the call", async () => {
    const { client, sent } = against((request) => result(request, interim({ requestState: "s" })), {
      input: HANDLERS,
      maxRounds: 3,
    });
    expect(await codeOf(client.callTool("t"))).toBe("too_many_rounds");
    expect(sent).toHaveLength(4);
  });

  test.each([
    ["asks for nothing", {}],
    ["has questions that are a list", { inputRequests: [] }],
    ["has a question that is none", { inputRequests: { a: "x" } }],
    ["has a question without a method", { inputRequests: { a: {} } }],
    ["has a question with malformed params", { inputRequests: { a: { method: "roots/list", params: 1 } } }],
    ["has a state that is no string", { requestState: { a: 1 } }],
  ])("that %s is invalid", async (_name, body) => {
    const { client } = against((request) => result(request, interim(body)), { input: HANDLERS });
    expect(await codeOf(client.callTool("t"))).toBe("invalid_response");
  });

  test("to a request that may not have one is invalid", async () => {
    const { client } = against((request) => result(request, interim({ requestState: "s" })), { input: HANDLERS });
    expect(await codeOf(client.listTools())).toBe("invalid_response");
    expect(await codeOf(client.request("x/y"))).toBe("invalid_response");
  });
});

const served = (request: Sent) =>
  result(
    request,
    request.params["inputResponses"] === undefined
      ? interim({ inputRequests: { who: form }, requestState: "s" })
      : text("done"),
  );

describe("manual mode", () => {
  test("returns what is asked, and goes on in another client from what was stored", async () => {
    const before = against(served);
    const pending = await before.client.callTool("t", { a: 1 }, { input: "manual" });
    expect(pending).toMatchObject({ resultType: "input_required", inputRequests: { who: form } });
    const stored = JSON.parse(JSON.stringify(pending)) as PendingInput; // As it was written.
    const after = against(served);
    expect(await after.client.resume(stored, { who: accept })).toMatchObject(text("done"));
    expect(after.sent.map(({ params }) => params)).toEqual([
      { name: "t", arguments: { a: 1 }, inputResponses: { who: accept }, requestState: "s" },
    ]);
  });

  test("asks again when the server does", async () => {
    const { client } = against((request) => result(request, interim({ requestState: "s" })));
    const pending = await client.callTool("t", {}, { input: "manual" });
    if (!isPendingInput(pending)) return expect.fail();
    expect(isPendingInput(await client.resume(pending, {}, { input: "manual" }))).toBe(true);
  });
});

test("the defaults of a form are what its fields say, false and zero included", () => {
  const properties = {
    a: { type: "string", default: "" },
    b: { type: "boolean", default: false },
    c: { type: "integer", default: 0 },
    d: { type: "string" },
  } as const;
  expect(formDefaults({ type: "object", properties })).toEqual({ a: "", b: false, c: 0 });
});

test("a server of ours gets its questions answered", async () => {
  const server = asking(async (ctx) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
    const [who, where] = [await ctx.elicit("who", { message: "Who?", schema }), await ctx.roots("where")];
    return [who, where];
  });
  const { client } = against((_sent) => Promise.reject(new McpError("unused", "unused")), {
    input: HANDLERS,
    fetch: (input, init) => server.fetch(new Request(input, init)),
  });
  expect(ENDPOINT).toContain("server.test");
  const { content } = await client.callTool("t");
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual([accept, { roots: [] }]); // The tool returns text.
});

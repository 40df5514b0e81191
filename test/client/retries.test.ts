/** What is asked again when the way fails, and what is given up when. */
import { describe, expect, test } from "vitest";
import { type McpClient, McpError, type Progress } from "../../src/client.ts";
import { withRetries } from "../../src/client/retries.ts";
import type { RequestOptions } from "../../src/client/session.ts";
import { against, codeOf, error, event, result, type Sent, stream, text } from "./fake-fetch.ts";

const unreachable = (): Promise<Response> => Promise.reject(new TypeError("fetch failed"));
const status =
  (code: number, headers = {}) =>
  (): Response =>
    new Response("", { status: code, headers });
const everything = (sent: Sent): Response =>
  result(sent, {
    ...text("ok"),
    tools: [],
    contents: [],
    messages: [],
    capabilities: {},
    completion: { values: [] },
  });

/** Fails so often, then serves. */
const failing = (times: number, failure: (sent: Sent) => Response | Promise<Response>) => (sent: Sent, index: number) =>
  index < times ? failure(sent) : everything(sent);

describe("a read is asked again, with a new id,", () => {
  test.each<[string, (sent: Sent) => Response | Promise<Response>]>([
    ["the server is not reached", unreachable],
    ["the stream ends too soon", () => stream([":\n\n"])],
    ["the connection breaks", () => stream([":\n\n"], "break")],
    ["something in front says 502", status(502)],
    ["the server says 503", (sent) => error(sent, -32603, { status: 503 })],
    ["something in front says 504", status(504)],
  ])("when %s", async (_name, failure) => {
    const { client, sent } = against(failing(1, failure));
    await client.listTools();
    expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
  });

  test.each<[string, (client: McpClient) => Promise<unknown>]>([
    ["server/discover", (client) => client.discover()],
    ["resources/read", (client) => client.readResource("x://y")],
    ["prompts/get", (client) => client.getPrompt("p")],
    [
      "completion/complete",
      (client) => client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
    ],
  ])("when it is %s", async (_name, read) => {
    const { client, sent } = against(failing(1, unreachable));
    await read(client);
    expect(sent).toHaveLength(2);
  });

  test("as often as the application wants", async () => {
    const never = against(unreachable, { retries: 0 });
    expect(await codeOf(never.client.listTools())).toBe("connection_failed");
    expect(never.sent).toHaveLength(1);
    const twice = against(unreachable);
    expect(await codeOf(twice.client.listTools())).toBe("connection_failed");
    expect(twice.sent).toHaveLength(3);
  });

  test("after the time that the server asks for", async () => {
    const { client, sent } = against(failing(1, status(503, { "retry-after": "1" })));
    const since = performance.now();
    await client.listTools();
    expect(performance.now() - since).toBeGreaterThan(900);
    expect(sent).toHaveLength(2);
  });

  test("not when the server wants to be left alone for long", async () => {
    const { client, sent } = against(status(503, { "retry-after": "3600" }));
    await expect(client.listTools()).rejects.toMatchObject({
      code: "http_error",
      cause: { status: 503, retryAfterMs: 3_600_000 },
    });
    expect(sent).toHaveLength(1);
  });

  test.each([500, 429, 404])("not when the server says %d", async (code) => {
    const { client, sent } = against(status(code));
    expect(await codeOf(client.listTools())).toBe("http_error");
    expect(sent).toHaveLength(1);
  });

  test("not when its caller gives up while it waits", async () => {
    const caller = new AbortController();
    const { client, sent } = against(() => {
      setTimeout(() => caller.abort(), 5);
      return unreachable();
    });
    expect(await codeOf(client.listTools({ signal: caller.signal }))).toBe("aborted");
    expect(sent).toHaveLength(1);
  });
});

const listing = (annotations: unknown) => (sent: Sent, index: number) => {
  if (sent.method === "tools/list") {
    return result(sent, { tools: [{ name: "t", inputSchema: { type: "object" }, annotations }] });
  }
  return index === 1 ? unreachable() : result(sent, text("ok"));
};

describe("a call", () => {
  test.each([
    [undefined],
    [{}],
    [{ readOnlyHint: false }],
    [{ destructiveHint: false }],
    [{ readOnlyHint: "true" }],
    ["x"],
  ])("of a tool with the hints %j is never made twice", async (annotations) => {
    const { client, sent } = against(listing(annotations));
    await client.listTools();
    expect(await codeOf(client.callTool("t"))).toBe("connection_failed");
    expect(sent).toHaveLength(2);
  });

  test.each([{ readOnlyHint: true }, { idempotentHint: true }])(
    "of a tool with the hints %j is",
    async (annotations) => {
      const { client, sent } = against(listing(annotations));
      await client.listTools();
      await client.callTool("t");
      expect(sent).toHaveLength(3);
    },
  );

  test("of a tool that was never listed is never made twice, and neither are other requests", async () => {
    const { client, sent } = against(unreachable);
    expect(await codeOf(client.callTool("t"))).toBe("connection_failed");
    expect(await codeOf(client.request("x/y"))).toBe("connection_failed");
    expect(sent).toHaveLength(2);
  });

  test("that a person answered questions for is never made twice", async () => {
    const ask = { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: {} } } };
    const { client, sent } = against(
      (request, index) => {
        if (index === 0)
          return result(request, {
            tools: [{ name: "t", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
          });
        return index === 1 ? result(request, ask) : unreachable();
      },
      { input: { elicit: () => Promise.resolve({ action: "decline" }) } },
    );
    await client.listTools();
    expect(await codeOf(client.callTool("t"))).toBe("connection_failed");
    expect(sent).toHaveLength(3);
  });
});

const progress = (sent: Sent) =>
  event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: sent.id, progress: 1 } });

/** Progress every 5 ms, and no end. */
const busy = (): { reply: (sent: Sent) => Response; cancelled: () => boolean } => {
  let cancelled = false;
  const reply = (sent: Sent): Response => {
    const bytes = new TextEncoder().encode(progress(sent));
    let timer: ReturnType<typeof setInterval> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => controller.enqueue(bytes), 5);
      },
      cancel() {
        clearInterval(timer);
        cancelled = true;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { reply, cancelled: () => cancelled };
};

// CAN-05.
describe("a request is given up", () => {
  test("when the server does not answer, whatever its `fetch` does with the signal", async () => {
    const { client, sent } = against(() => new Promise(() => {}));
    expect(await codeOf(client.callTool("t", {}, { timeoutMs: 20 }))).toBe("timeout");
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  test("when its stream is silent, which is then closed", async () => {
    const { client } = against(() => stream([], "open"));
    expect(await codeOf(client.callTool("t", {}, { timeoutMs: 20 }))).toBe("timeout");
  });

  test("not as long as there is progress, but then at the latest", async () => {
    const { reply, cancelled } = busy();
    const heard: Progress[] = [];
    const { client } = against(reply);
    const options = { timeoutMs: 60, maxTimeoutMs: 200, onProgress: (it: Progress) => void heard.push(it) };
    const since = performance.now();
    expect(await codeOf(client.callTool("t", {}, options))).toBe("timeout");
    expect(performance.now() - since).toBeGreaterThan(190);
    expect(heard.length).toBeGreaterThan(1);
    expect(cancelled()).toBe(true);
  });

  test("when its caller says so, before or while it is under way", async () => {
    const { reply, cancelled } = busy();
    const { client, sent } = against(reply);
    expect(await codeOf(client.callTool("t", {}, { signal: AbortSignal.abort() }))).toBe("aborted");
    expect(sent).toHaveLength(0);
    const caller = new AbortController();
    const call = client.callTool("t", {}, { signal: caller.signal, onProgress: () => caller.abort("enough") });
    await expect(call).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    expect(cancelled()).toBe(true);
  });

  test("when the client is closed, and later ones are not sent", async () => {
    const { client, sent } = against(() => new Promise(() => {}));
    const call = client.callTool("t");
    await client.close();
    expect(await codeOf(call)).toBe("aborted");
    expect(await codeOf(client.callTool("t"))).toBe("aborted");
    expect(sent).toHaveLength(1);
  });

  test("and what comes for it later is let go of", async () => {
    let cancelled: (() => void) | undefined;
    const letGo = new Promise<void>((resolve) => (cancelled = resolve));
    const late = new ReadableStream({ cancel: () => cancelled?.() });
    const { client } = against(() => new Promise((resolve) => setTimeout(() => resolve(new Response(late)), 30)));
    expect(await codeOf(client.callTool("t", {}, { timeoutMs: 10 }))).toBe("timeout");
    await letGo;
  });

  test("never, where there are no limits", async () => {
    const { client } = against((sent) => result(sent, text("ok")));
    const options = { timeoutMs: Infinity, maxTimeoutMs: Infinity };
    expect(await codeOf(client.callTool("t", {}, options))).toBeUndefined();
  });
});

describe("a pause before asking again", () => {
  const away = status(503, { "retry-after": "20" });

  test("ends when the client is closed", async () => {
    let close: (() => void) | undefined;
    const { client, sent } = against(() => {
      setTimeout(() => close?.());
      return away();
    });
    close = () => void client.close();
    expect(await codeOf(client.listTools())).toBe("aborted");
    expect(sent).toHaveLength(1);
  });

  test("is not begun where it would outlast what the request may take in all", async () => {
    const { client, sent } = against(away);
    expect(await codeOf(client.readResource("x://y", { maxTimeoutMs: 10_000 }))).toBe("http_error");
    expect(sent).toHaveLength(1);
  });
});

test("all sends together may take no longer than one", async () => {
  const left: number[] = [];
  const send = async ({ maxTimeoutMs = 0 }: RequestOptions) => {
    left.push(maxTimeoutMs);
    throw new McpError("connection_failed", "no");
  };
  const owner = new AbortController().signal;
  const asked = withRetries(send, { retries: 1, random: () => 0, options: { maxTimeoutMs: 5_000 }, owner });
  expect(await codeOf(asked)).toBe("connection_failed");
  // Less by the pause, which is an eighth of a second here.
  expect(left[1]).toBeLessThan(5_000 - 100);
  expect(left).toHaveLength(2);
});

describe("a number that is none", () => {
  test.each(["timeoutMs", "maxTimeoutMs"])("is refused as %s", async (name) => {
    const { client, sent } = against(everything);
    await expect(client.callTool("t", {}, { [name]: Number.NaN })).rejects.toThrow(
      new TypeError(`${name} is not a number`),
    );
    await expect(client.listTools({ [name]: Number.NaN })).rejects.toThrow(TypeError);
    expect(sent).toHaveLength(0);
  });

  test.each(["retries", "maxRounds"])("is refused as %s", (name) => {
    expect(() => against(everything, { [name]: Number.NaN })).toThrow(new TypeError(`${name} is not a number`));
  });
});

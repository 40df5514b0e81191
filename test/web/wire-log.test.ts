/** The log beside a `fetch` that the test answers: what it notes, and that nobody notices it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WireExchange } from "../../web/wire/exchange.ts";
import { curlOf, harOf, jsonLinesOf } from "../../web/wire/exports.ts";
import { WireLog } from "../../web/wire/wire-log.ts";

type Answer = (url: string, init?: RequestInit) => Response | Promise<Response>;

function logOf(answer: Answer): WireLog {
  return new WireLog(["X-Tenant"], async (input, init) => answer(input as string, init)); // These tests give strings alone.
}

/** Waits until what was noted has reached the watchers. */
function noted(log: WireLog, until: (exchanges: readonly WireExchange[]) => boolean): Promise<readonly WireExchange[]> {
  return new Promise((resolve) => {
    const stop = log.exchanges.watch((exchanges) => until(exchanges) && resolve(exchanges));
    void stop;
  });
}

const ended = (log: WireLog, count = 1): Promise<readonly WireExchange[]> =>
  noted(log, (all) => all.length >= count && all.every(({ end }) => end !== undefined));

async function only(log: WireLog): Promise<WireExchange> {
  const [first] = await ended(log);
  if (first === undefined) throw new Error("nothing was noted");
  return first;
}

const json = (value: unknown, init?: ResponseInit): Response => Response.json(value, init);
const events = (...messages: unknown[]): Response =>
  new Response(messages.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
const rpc = (id: number, method: string, params = {}): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", "Mcp-Method": method },
  body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
});
const result = (id: number, value: object): object => ({ jsonrpc: "2.0", id, result: value });

async function read({ body }: Response): Promise<string> {
  return body === null ? "" : new Response(body).text();
}

describe("what the client sees", () => {
  test("is the response of the browser, with the bytes that came", async () => {
    const original = json({ a: "ü" }, { status: 207, headers: { "x-a": "1" } });
    const log = logOf(() => original);
    const response = await log.fetch("https://a.test/");
    expect(response).toBe(original);
    expect(await read(response)).toBe('{"a":"ü"}');
    expect(await only(log)).toMatchObject({
      status: 207,
      end: "complete",
      received: [{ text: '{"a":"ü"}' }],
      isStream: false,
    });
  });

  test("nothing is read that nobody asked for, and a cancelled body is cancelled", async () => {
    let pulls = 0;
    let reason: unknown;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(new Uint8Array([97 + pulls++])),
        cancel: (why) => void (reason = why),
      },
      { highWaterMark: 0 },
    );
    const log = logOf(() => new Response(body));
    const { body: passed } = await log.fetch("https://a.test/");
    const reader = passed?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pulls).toBe(1);
    await reader?.cancel("enough");
    expect(reason).toBe("enough");
    expect(await only(log)).toMatchObject({ end: "closed", received: [{ text: "a" }] });
  });

  test("a failure is the one that the browser threw, of the request and of the body", async () => {
    const failure = new TypeError("Failed to fetch");
    const refusing = logOf(() => Promise.reject(failure));
    await expect(refusing.fetch("https://a.test/")).rejects.toBe(failure);
    expect(await only(refusing)).toMatchObject({
      end: "connection_failed",
      failure: { code: "connection_failed", message: "Failed to fetch" },
    });
    const breaking = logOf(() => new Response(new ReadableStream({ pull: (controller) => controller.error(failure) })));
    const { body } = await breaking.fetch("https://a.test/");
    await expect(body?.getReader().read()).rejects.toBe(failure);
    expect(await only(breaking)).toMatchObject({
      end: "stream_ended",
      failure: { code: "stream_ended", message: "Failed to fetch" },
    });
  });

  test("what this side gave up is told from what failed", async () => {
    const stop = AbortSignal.abort(new Error("took too long"));
    const log = logOf(() => Promise.reject(new TypeError("Failed to fetch")));
    await expect(log.fetch("https://a.test/", { signal: stop })).rejects.toThrow();
    expect(await only(log)).toMatchObject({ end: "closed", note: "took too long" });
  });

  test("a header that cannot be sent is not quoted", async () => {
    const log = logOf((_, init) => (new Headers(init?.headers), new Response()));
    await expect(log.fetch("https://a.test/", { headers: { authorization: "Bearer s3cr3t\n1" } })).rejects.toThrow();
    expect(JSON.stringify(await only(log))).not.toContain("s3cr3t");
  });

  test("a response without a body passes", async () => {
    const log = logOf(() => new Response(null, { status: 202 }));
    expect((await log.fetch("https://a.test/")).body).toBeNull();
    expect(await only(log)).toMatchObject({ status: 202, end: "complete" });
  });

  test("what was noted can be forgotten, and noting goes on", async () => {
    const log = logOf(() => json(1));
    await read(await log.fetch("https://a.test/1"));
    await ended(log);
    log.clear();
    expect(await noted(log, (all) => all.length === 0)).toEqual([]);
    await read(await log.fetch("https://a.test/2"));
    expect((await ended(log)).map(({ number, url }) => [number, url])).toEqual([[2, "https://a.test/2"]]);
  });
});

describe("streams", () => {
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { data: 1 } };

  test("each event is labelled by what is in it", async () => {
    const log = logOf(() =>
      events(progress, message, "raw", "", { jsonrpc: "2.0", id: 9, method: "ping" }, result(1, { isError: true })),
    );
    await read(await log.fetch("https://a.test/", rpc(1, "tools/call", { name: "x" })));
    const { received, title, name, isStream, failure } = await only(log);
    expect(failure?.code).toBe("tool_error");
    expect(received.map(({ label }) => label)).toEqual([
      "progress",
      "message",
      "not JSON-RPC",
      "not JSON-RPC",
      "request ping",
      "tool error",
    ]);
    expect({ title, name, isStream }).toEqual({ title: "tools/call", name: "x", isStream: true });
  });

  test("is kept within bounds: the last 500 events", async () => {
    const log = logOf(() =>
      events(...Array.from({ length: 700 }, (_, progress) => ({ jsonrpc: "2.0", method: "n", params: { progress } }))),
    );
    await read(await log.fetch("https://a.test/"));
    const { received, dropped } = await only(log);
    expect([received.length, dropped]).toEqual([500, 200]);
    expect(received.at(-1)?.text).toContain("699");
  });

  test("and 256 KB of them, of which a larger one is cut", async () => {
    const log = logOf(() => events("a".repeat(200_000), "b".repeat(100_000), "c".repeat(300_000)));
    await read(await log.fetch("https://a.test/"));
    const { received, dropped } = await only(log);
    expect(received.map(({ text, label }) => [text.length, label])).toEqual([[262_144, "cut"]]);
    expect(dropped).toBe(2);
  });

  test("what is nested beyond measure, or named beyond it, is noted without harm", async () => {
    const deep = `{"jsonrpc":"2.0","id":${"[".repeat(50_000)}${"]".repeat(50_000)},"result":{}}`;
    for (const answer of [() => new Response(deep), () => events(deep)]) {
      const log = logOf(answer);
      expect((await read(await log.fetch("https://a.test/", rpc(1, "x")))).length).toBeGreaterThan(100_000);
      expect(await only(log)).toMatchObject({ end: "complete" });
    }
    const log = logOf(() => events({ jsonrpc: "2.0", id: 1, method: "m".repeat(10_000) }));
    await read(await log.fetch("https://a.test/"));
    expect((await only(log)).received[0]?.label.length).toBe(80);
  });

  test("bytes that are no event stream are the client's to judge", async () => {
    const log = logOf(
      () =>
        new Response(new Uint8Array([100, 97, 116, 97, 58, 255, 10, 10]), {
          headers: { "content-type": "text/event-stream" },
        }),
    );
    await read(await log.fetch("https://a.test/"));
    expect(await only(log)).toMatchObject({
      end: "complete",
      received: [],
      note: expect.stringContaining("not UTF-8"),
    });
  });
});

describe("what belongs together", () => {
  test("the rounds of one call", async () => {
    const log = logOf((_, init) => {
      const { id, params } = JSON.parse(init?.body as string); // The tests give strings.
      const asks = params.requestState !== "b";
      return json(
        result(id, asks ? { resultType: "input_required", requestState: params.requestState === "a" ? "b" : "a" } : {}),
      );
    });
    for (const [id, name, requestState] of [
      [1, "x"],
      [2, "y"],
      [3, "x", "a"],
      [4, "x", "b"],
      [5, "x"],
    ] as const) {
      await read(
        await log.fetch("https://a.test/", rpc(id, "tools/call", { name, ...(requestState && { requestState }) })),
      );
    }
    const all = await ended(log, 5);
    expect(all.map(({ call }) => call)).toEqual([1, 2, 1, 1, 5]);
    expect(all[1]?.received[0]?.label).toBe("input required");
  });

  test("a question of the server's and its answer", async () => {
    const ask = { jsonrpc: "2.0", id: 7, method: "sampling/createMessage", params: {} };
    const log = logOf((_, init) =>
      init?.method === "POST" ? new Response(null, { status: 202 }) : events(ask, result(5, {})),
    );
    await log.fetch("https://a.test/", rpc(5, "tools/call", { name: "x" }));
    await read(await log.fetch("https://a.test/"));
    for (const id of [7, "7"])
      await log.fetch("https://a.test/", { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id, result: {} }) });
    const all = await ended(log, 4);
    expect(all.map(({ title, call }) => [title, call])).toEqual([
      ["tools/call", 1],
      ["GET", 2],
      ["response", 2],
      ["response", 4],
    ]);
  });

  test("a call that is made anew is another one, whatever became of the first", async () => {
    const log = logOf((_, init) => json(result(JSON.parse(init?.body as string).id, { resultType: "input_required" }))); // The tests give strings.
    for (const id of [1, 2]) await read(await log.fetch("https://a.test/", rpc(id, "tools/call", { name: "x" })));
    await read(await log.fetch("https://a.test/", rpc(3, "tools/call", { name: "x", inputResponses: {} })));
    expect((await ended(log, 3)).map(({ call }) => call)).toEqual([1, 2, 2]);
  });
});

test("a thousand quick requests leave the last 300, and watchers hear of them now and then", async () => {
  const log = logOf(() => json(result(1, {})));
  let heard = 0;
  log.exchanges.watch(() => heard++);
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, id) => read(await log.fetch("https://a.test/", rpc(id, "ping")))),
  );
  const kept = await noted(log, (all) => all.at(-1)?.number === 1_000 && all.every(({ end }) => end === "complete"));
  expect([kept.length, kept[0]?.number]).toEqual([300, 701]);
  expect(heard).toBeLessThan(200);
});

test("no secret that passes is in any record, export or copy", async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9._~+-]{10,40}$/).map((text) => `Zq${text}`);
  await fc.assert(
    fc.asyncProperty(secret, fc.boolean(), async (value, isStream) => {
      const held = { access_token: value, nested: { refresh_token: value, list: [{ id_token: value }] } };
      const log = logOf(() => (isStream ? events({ jsonrpc: "2.0", id: 1, result: held }, held) : json(held)));
      const headers = {
        Authorization: `Bearer ${value}`,
        DPoP: value,
        Cookie: value,
        "X-Api-Key": value,
        "My-Secret": value,
      };
      const form = new URLSearchParams({
        code: value,
        client_secret: value,
        code_verifier: value,
        client_assertion: value,
      });
      const at = encodeURIComponent(value);
      for (const [url, body] of [
        [
          `https://u:${at}@a.test/x?access_token=${at}&code=${at}`,
          JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: held }),
        ],
        ["https://a.test/token", form.toString()],
        ["https://a.test/register", JSON.stringify({ client_secret: value })],
      ] as const) {
        await read(await log.fetch(url, { method: "POST", headers, body }));
      }
      const all = await ended(log, 3);
      const texts = [
        JSON.stringify(all),
        JSON.stringify(harOf(all, { name: "test", version: "1" })),
        jsonLinesOf(all),
        ...all.map(curlOf),
      ];
      expect(texts.join("\n")).not.toContain(value);
    }),
    { numRuns: 30 },
  );
});

test("headers of the person's own are masked, whatever they are called", async () => {
  const log = logOf(() => json({}));
  await read(await log.fetch("https://mcp.test/mcp", { headers: { "x-tenant": "acme", "x-other": "seen" } }));
  const exchange = await only(log);
  expect(JSON.stringify(exchange)).not.toContain("acme");
  expect(exchange.requestHeaders).toContainEqual(["x-other", "seen"]);
});

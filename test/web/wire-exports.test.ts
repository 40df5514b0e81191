/** Files and copies of what was noted: that other programs can read them. */
import { describe, expect, test } from "vitest";
import type { WireExchange } from "../../web/wire/exchange.ts";
import { harOf } from "../../web/wire/har.ts";
import { mirrored } from "../../web/wire/mirrored.ts";
import { curlOf, jsonLinesOf, rawOf } from "../../web/wire/text-forms.ts";
import { harFaults } from "./wire-har-faults.ts";

const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "it's", arguments: { board: "küche", n: 3 } },
};
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
const done = { jsonrpc: "2.0", id: 1, result: { content: [] } };

const message = (at: number, value: unknown): WireExchange["received"][number] => {
  const text = JSON.stringify(value);
  return { at, text, label: "" };
};

function exchange(changes: Partial<WireExchange> = {}): WireExchange {
  return {
    number: 1,
    startedAt: Date.UTC(2026, 10, 30, 12),
    method: "POST",
    url: "https://a.test/mcp?a=1&token=•••• (3 characters)",
    requestHeaders: [
      ["content-type", "application/json"],
      ["mcp-name", "it's"],
    ],
    requestBody: JSON.stringify(call),
    requestSize: 99,
    title: "tools/call",
    name: "it's",
    status: 200,
    statusText: "OK",
    responseHeaders: [["content-type", "text/event-stream"]],
    isStream: true,
    received: [message(10, progress), message(30, done)],
    dropped: 0,
    size: 100,
    headersAt: 5,
    firstByteAt: 10,
    endedAt: 31,
    end: "complete",
    reason: "",
    links: [],
    ...changes,
  };
}

/** As it never got an answer. */
function unanswered(): WireExchange {
  const {
    status: _,
    headersAt: __,
    firstByteAt: ___,
    ...rest
  } = exchange({ end: "failed", received: [], responseHeaders: [] });
  return { ...rest, method: "GET", requestHeaders: [], requestBody: "", isStream: false };
}

describe("HAR", () => {
  test("has every field that version 1.2 demands, whatever became of the exchange", () => {
    const har: unknown = JSON.parse(JSON.stringify(harOf([exchange(), unanswered(), exchange({ url: "?" })], "0.1.0")));
    expect(harFaults(har)).toEqual([]);
  });

  test("the checker finds what is missing or of another type", () => {
    const har = JSON.parse(JSON.stringify(harOf([exchange()], "0.1.0")));
    har.log.entries[0].time = "1";
    delete har.log.entries[0].response.content.mimeType;
    delete har.log.creator;
    expect(harFaults(har)).toEqual(["log.creator", "log.entries[0].time", "log.entries[0].response.content.mimeType"]);
  });

  test("times add up, and a stream is there as it was sent", () => {
    expect(harOf([exchange()], "1")).toMatchObject({
      log: {
        entries: [
          {
            startedDateTime: "2026-11-30T12:00:00.000Z",
            time: 31,
            timings: { send: 0, wait: 5, receive: 26 },
            request: {
              queryString: [{ name: "a", value: "1" }, { name: "token" }],
              postData: { mimeType: "application/json" },
            },
            response: { content: { text: `data: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(done)}\n\n` } },
          },
        ],
      },
    });
  });
});

test("JSON Lines: a message a line, in the order of time, with where it went", () => {
  const second = exchange({
    number: 2,
    startedAt: Date.UTC(2026, 10, 30, 12) + 20,
    received: [],
    requestBody: "no JSON",
  });
  const batch = exchange({
    number: 3,
    startedAt: second.startedAt,
    requestBody: JSON.stringify([call, progress]),
    received: [],
  });
  const lines = jsonLinesOf([exchange(), second, batch])
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toEqual([
    { time: "2026-11-30T12:00:00.000Z", exchange: 1, direction: "sent", message: call },
    { time: "2026-11-30T12:00:00.010Z", exchange: 1, direction: "received", message: progress },
    { time: "2026-11-30T12:00:00.020Z", exchange: 3, direction: "sent", message: call },
    { time: "2026-11-30T12:00:00.020Z", exchange: 3, direction: "sent", message: progress },
    { time: "2026-11-30T12:00:00.030Z", exchange: 1, direction: "received", message: done },
  ]);
});

test("curl: quoted for a shell", () => {
  const text = curlOf(exchange());
  expect(text).toContain("-X POST 'https://a.test/mcp?a=1&token=•••• (3 characters)' \\\n");
  expect(text).toContain(`-H 'mcp-name: it'\\''s'`);
  expect(text).toContain(`--data-raw '${JSON.stringify(call).replace("it's", "it'\\''s")}'`);
  expect(curlOf(unanswered())).not.toContain("--data");
});

test("raw: request, response and events as on the wire", () => {
  expect(rawOf(exchange({ received: [{ at: 1, text: "a\nb", label: "", event: "e", id: "7" }] }))).toBe(
    `POST https://a.test/mcp?a=1&token=•••• (3 characters)\ncontent-type: application/json\nmcp-name: it's\n\n${JSON.stringify(call)}\n\nHTTP 200 OK\ncontent-type: text/event-stream\n\nevent: e\nid: 7\ndata: a\ndata: b\n\n`,
  );
});

describe("headers that repeat the body", () => {
  const body = {
    method: "tools/call",
    params: {
      name: "küche",
      arguments: { deep: { n: 3 } },
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    },
  };
  test.for([
    ["mcp-method", "tools/call", { plain: "tools/call", agrees: true }],
    ["mcp-method", "tools/list", { plain: "tools/list", agrees: false }],
    ["mcp-name", "=?base64?a8O8Y2hl?=", { plain: "küche", agrees: true }],
    ["mcp-name", "=?base64?!?=", { plain: undefined, agrees: false }],
    ["mcp-protocol-version", "2026-07-28", { plain: "2026-07-28", agrees: true }],
    ["mcp-param-n", "3", { plain: "3", agrees: true }],
    ["mcp-param-n", "4", { plain: "4", agrees: false }],
    ["mcp-session-id", "4", undefined],
    ["accept", "4", undefined],
  ] as const)("%s: %s", ([name, value, expected]) => {
    expect(mirrored(name, value, body)).toEqual(expected);
  });
  test("nothing is said of a body that says nothing", () => {
    expect(mirrored("mcp-method", "x", undefined)).toEqual({ plain: "x", agrees: undefined });
    expect(mirrored("mcp-protocol-version", "1", { method: "x" })).toEqual({ plain: "1", agrees: undefined });
  });
});

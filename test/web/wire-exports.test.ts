/** Files and copies of what was noted: that other programs can read them. */
import { describe, expect, test } from "vitest";
import type { WireExchange } from "../../web/wire/exchange.ts";
import { curlOf, harOf, jsonLinesOf } from "../../web/wire/exports.ts";
import { harFaults } from "./wire-har-faults.ts";

const CREATOR = { name: "test", version: "0.1.0" };
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
    title: "tools/call",
    name: "it's",
    call: 1,
    status: 200,
    statusText: "OK",
    responseHeaders: [["content-type", "text/event-stream"]],
    isStream: true,
    received: [message(10, progress), message(30, done)],
    dropped: 0,
    endedAt: 31,
    end: "complete",
    note: "",
    ...changes,
  };
}

/** As it never got an answer. */
function unanswered(): WireExchange {
  const { status: _, ...rest } = exchange({ end: "connection_failed", received: [], responseHeaders: [] });
  return { ...rest, method: "GET", requestHeaders: [], requestBody: "", isStream: false };
}

describe("HAR", () => {
  test("has every field that version 1.2 demands, whatever became of the exchange", () => {
    const har: unknown = JSON.parse(JSON.stringify(harOf([exchange(), unanswered(), exchange({ url: "?" })], CREATOR)));
    expect(harFaults(har)).toEqual([]);
  });

  test("the checker finds what is missing or of another type", () => {
    const har = JSON.parse(JSON.stringify(harOf([exchange()], CREATOR)));
    har.log.entries[0].time = "1";
    delete har.log.entries[0].response.content.mimeType;
    delete har.log.creator;
    expect(harFaults(har)).toEqual(["log.creator", "log.entries[0].time", "log.entries[0].response.content.mimeType"]);
  });

  test("times add up, and a stream is there as it was sent", () => {
    expect(JSON.parse(JSON.stringify(harOf([exchange()], CREATOR)))).toMatchObject({
      log: {
        entries: [
          {
            startedDateTime: "2026-11-30T12:00:00.000Z",
            time: 31,
            timings: { send: 0, wait: 10, receive: 21 },
            request: {
              queryString: [{ name: "a", value: "1" }, { name: "token" }],
              postData: { mimeType: "application/json" },
            },
            response: { content: { text: `data: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(done)}\n\n` } },
          },
        ],
      },
    });
    const received = [{ at: 1, text: "ä\nb", label: "", event: "e", id: "7" }];
    expect(harOf([exchange({ received })], CREATOR)).toMatchObject({
      log: { entries: [{ response: { content: { text: "event: e\nid: 7\ndata: ä\ndata: b\n\n", size: 33 } } }] },
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

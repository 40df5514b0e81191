import { describe, expect, test } from "vitest";
import { type Body, readBody } from "../../src/http/read-body.ts";
import { readReply } from "../kit/wire.ts";
import { serverWith } from "../kit/serve.ts";
import { rawRequest, type RawBody, streamOf, utf8 } from "./raw-request.ts";

const KIB = 1024;
const LIMITS = { maxBytes: 256 * KIB, timeoutMs: 5_000 };

const read = (body: RawBody, headers: Record<string, string> = {}, limits = LIMITS): Promise<Body> =>
  readBody(rawRequest(body, { headers }), limits);

/** Chunks without end. */
function* endless(bytes: number): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(bytes).fill(0x20);
}

describe("size", () => {
  test("a body exactly at the limit is read, one byte more is not", async () => {
    expect(await read("x".repeat(256 * KIB))).toEqual({ text: "x".repeat(256 * KIB) });
    expect(await read(`${"x".repeat(256 * KIB)}y`)).toMatchObject({ status: 413 });
  });

  test("the limit counts bytes, not characters", async () => {
    expect(await read("é".repeat(128 * KIB))).toHaveProperty("text");
    expect(await read("é".repeat(128 * KIB + 1))).toMatchObject({ status: 413 });
  });

  test("a body without end is cut at the limit and one chunk, and its reader cancelled", async () => {
    const source = streamOf(endless(64 * KIB));
    expect(await read(source.body)).toMatchObject({ status: 413 });
    expect(source.read()).toBeLessThanOrEqual(LIMITS.maxBytes + 64 * KIB);
    expect(source.cancelled()).toBe(true);
  });

  test("a declared length over the limit is refused unread", async () => {
    const source = streamOf(endless(64 * KIB));
    expect(await read(source.body, { "content-length": String(LIMITS.maxBytes + 1) })).toMatchObject({ status: 413 });
    expect(source.read()).toBe(0);
  });

  test.each(["9".repeat(15), "9".repeat(400)])(
    "a declared length of %s does not get past the limit",
    async (length) => {
      const source = streamOf(endless(64 * KIB));
      expect(await read(source.body, { "content-length": length })).toMatchObject({ status: 413 });
      expect(source.read()).toBeLessThanOrEqual(LIMITS.maxBytes + 64 * KIB);
    },
  );

  test.each(["-1", "1e3", "0x10", "ten", ""])("a declared length of %j counts as none", async (length) => {
    const source = streamOf([utf8("{}")]);
    expect(await read(source.body, { "content-length": length })).toEqual({ text: "{}" });
  });
});

describe("a declared length that is not true", () => {
  test("too small: nothing beyond it is taken, and the body is refused", async () => {
    const source = streamOf(endless(KIB));
    expect(await read(source.body, { "content-length": "10" })).toMatchObject({ status: 400 });
    expect(source.read()).toBeLessThanOrEqual(2 * KIB);
    expect(source.cancelled()).toBe(true);
  });

  test("too large: a body that ends early has broken off", async () => {
    const source = streamOf([utf8('{"a":'), utf8("1}")]);
    const body = await read(source.body, { "content-length": "100" });
    expect(body).toMatchObject({ status: 400 });
    expect(body).not.toHaveProperty("notUtf8");
  });

  test("too large, and no body at all: refused too", async () => {
    const body = await read(streamOf([]).body, { "content-length": "100" });
    expect(body).toMatchObject({ status: 400 });
  });

  test("a body that fits in one chunk ends there", async () => {
    const source = streamOf([utf8("{}")]);
    expect(await read(source.body, { "content-length": "2" })).toEqual({ text: "{}" });
  });
});

describe("text", () => {
  test.each<[name: string, body: RawBody]>([
    ["no body", null],
    ["an empty body", ""],
    ["a stream without chunks", streamOf([]).body],
    ["a stream of an empty chunk", streamOf([new Uint8Array(0)]).body],
  ])("%s is the empty text", async (_, body) => {
    expect(await read(body)).toEqual({ text: "" });
  });

  test("characters survive a cut at every byte", async () => {
    const text = '{"a":"é世😀"}';
    const bytes = utf8(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { body } = streamOf([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(await read(body)).toEqual({ text });
    }
  });

  test("characters survive a body of single bytes", async () => {
    const text = '{"a":"é世😀"}';
    const { body } = streamOf(Array.from(utf8(text), (byte) => Uint8Array.of(byte)));
    expect(await read(body)).toEqual({ text });
  });

  test.each<[name: string, bytes: number[]]>([
    ["a byte that is in no character", [0x22, 0xff, 0x22]],
    ["a continuation byte alone", [0x22, 0x80, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a character cut short", [0x22, 0xf0, 0x9f, 0x98]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("%s is not UTF-8, and the next body is none the worse", async (_, bytes) => {
    expect(await read(new Uint8Array(bytes))).toMatchObject({ status: 400, notUtf8: true });
    expect(await read(streamOf([new Uint8Array(bytes)]).body)).toMatchObject({ status: 400, notUtf8: true });
    expect(await read("{}")).toEqual({ text: "{}" });
  });

  test("a byte order mark is no part of the text", async () => {
    expect(await read(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toEqual({ text: "{}" });
  });
});

describe("bodies that do not arrive", () => {
  test("one that fails half-way has broken off", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(utf8('{"jsonrpc"'));
        else controller.error(new Error("connection reset"));
      },
    });
    expect(await read(body)).toEqual({ status: 400, reason: "the body broke off" });
  });

  test("one that fails at once has broken off", async () => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("reset")) });
    expect(await read(body)).toMatchObject({ status: 400 });
  });

  test.each<[name: string, first: Uint8Array[]]>([
    ["never starts", []],
    ["stops half-way", [utf8('{"jsonrpc"')]],
  ])("one that %s is given up after a while, and its reader cancelled", async (_, first) => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => first.forEach((chunk) => controller.enqueue(chunk)),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await read(body, {}, { ...LIMITS, timeoutMs: 20 })).toMatchObject({ status: 408 });
    expect(cancelled).toBe(true);
  });

  test("a trickle does not start the time anew with each byte", async () => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(utf8(" "));
      },
    });
    expect(await read(body, {}, { ...LIMITS, timeoutMs: 50 })).toMatchObject({ status: 408 });
  });
});

const framed = (body: RawBody, length: number, limits = LIMITS): Promise<Body> =>
  readBody(rawRequest(body, { headers: { "content-length": String(length) }, redirect: "manual" }), limits);

describe("as workerd takes it from a connection", () => {
  test.each([
    ["one piece", ['{"a":"é世😀"}']],
    ["several", ['{"a":', '"é世', '😀"}']],
  ])("a body of %s is read", async (_, pieces) => {
    const text = pieces.join("");
    expect(await framed(text, utf8(text).length)).toEqual({ text });
    expect(await framed(streamOf(pieces.map(utf8)).body, utf8(text).length)).toEqual({ text });
  });

  test("one over the limit is refused unread", async () => {
    const source = streamOf(endless(64 * KIB));
    expect(await framed(source.body, 11, { ...LIMITS, maxBytes: 10 })).toMatchObject({ status: 413 });
    expect(source.read()).toBe(0);
  });

  test.each([
    [[0xff], true],
    [[0x22, 0xf0, 0x9f, 0x98, 0x22], true],
    [[0xef, 0xbf, 0xbd], false],
  ])("bytes %j are not UTF-8: %j", async (bytes, notUtf8) => {
    const body = await framed(new Uint8Array(bytes), bytes.length);
    expect(body).toEqual(notUtf8 ? expect.objectContaining({ status: 400, notUtf8 }) : { text: "\ufffd" });
  });

  test("a byte order mark is no part of the text", async () => {
    expect(await framed(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 5)).toEqual({ text: "{}" });
  });

  test.each([
    ["shorter", 100, "the body broke off"],
    ["longer", 10, "the body is longer than Content-Length"],
  ])("one that a Worker in front has made %s than declared is refused", async (_, length, reason) => {
    expect(await framed(streamOf([utf8('{"a":"0123456789"}')]).body, length)).toEqual({ status: 400, reason });
  });

  test("one that fails half-way has broken off", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    expect(await framed(body, 100)).toMatchObject({ status: 400 });
  });
});

const never = (): ReadableStream<Uint8Array> => new ReadableStream({ start: () => undefined });

describe("over HTTP", () => {
  let runs = 0;
  const handler = serverWith((server) => server.tool("echo", {}, () => String((runs += 1))), {
    maxBodyBytes: 64 * KIB,
    bodyTimeoutMs: 30,
  });

  test.each<[name: string, request: () => Request, status: number, code?: number]>([
    ["too large", () => rawRequest(streamOf(endless(KIB)).body), 413],
    ["too slow", () => rawRequest(never()), 408],
    [
      "longer than declared",
      () => rawRequest(streamOf(endless(KIB)).body, { headers: { "content-length": "10" } }),
      400,
    ],
    ["compressed", () => rawRequest(streamOf(endless(KIB)).body, { headers: { "content-encoding": "gzip" } }), 415],
    ["not UTF-8", () => rawRequest(new Uint8Array([0xff])), 400, -32700],
    ["empty", () => rawRequest(""), 400, -32700],
    ["absent", () => rawRequest(null), 400, -32700],
  ])("a body that is %s runs nothing", async (_, request, status, code) => {
    runs = 0;
    const reply = await readReply(await handler.fetch(request()));
    expect({ status: reply.status, code: reply.message?.error?.code }).toEqual({ status, code });
    expect(Object.keys(reply.message ?? {})).not.toContain("id");
    expect(runs).toBe(0);
    expect(handler.errors).toEqual([]);
  });
});

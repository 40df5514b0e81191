/** Section A of the field cases: the JSON-RPC envelope. */
import { describe, expect, it } from "vitest";
import { expectError, headersFor, META, textOf } from "./client.ts";
import type { Field } from "./field.ts";
import { RawRequest } from "./socket.ts";

export function envelopeCases({ client }: Field): void {
  describe("envelope", () => {
    // RPC-04
    it("answers notifications with 202 and nothing, and lets none of them cancel another caller's request", async () => {
      const running = client.tool("wait", { ms: 200 }, { id: 99 });
      for (const params of [{ requestId: 99 }, { requestId: 99, _meta: META }]) {
        const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
        expect(await client.post(body)).toMatchObject({ status: 202, text: "", type: "" });
      }
      const unknown = await client.post('{"jsonrpc":"2.0","method":"notifications/no_such"}');
      expect(unknown).toMatchObject({ status: 202, text: "" });
      expect(await running).toMatchObject({ status: 200, id: 99, result: { resultType: "complete" } });
    });

    // RPC-05
    it.each([
      ["empty", "[]"],
      ["of a notification", '[{"jsonrpc":"2.0","method":"notifications/cancelled"}]'],
      ["of two calls", `[${echo(1)},${echo(2)}]`],
    ])("refuses a batch %s and runs nothing", async (_name, body) => {
      const before = await client.counters();
      for (const headers of [{}, { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s" }]) {
        expectError(await client.post(body, { headers }), 400, -32600);
      }
      expect(await client.counters()).toEqual(before);
    });

    // RPC-07
    it.each([
      ['{"jsonrpc":"2.0",', -32700, undefined],
      ["", -32700, undefined],
      ['"str"', -32600, undefined],
      ["null", -32600, undefined],
      ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600, 1],
      ['{"id":1,"method":"tools/list"}', -32600, 1],
      ['{"jsonrpc":"2.0","id":1,"method":5}', -32600, 1],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', -32600, 1],
    ])("refuses %j with 400 and %i", async (body, code, id) => {
      const answer = await client.post(body);
      expectError(answer, 400, code);
      expect(answer.id).toBe(id);
    });

    // RPC-08
    it.each([
      ['"name":"echo","name":"who"', "echo"],
      ['"name":"who","name":"echo"', "who"],
      ['"Name":"echo"', "echo"],
    ])("never runs another tool than Mcp-Name says when the body has %s", async (names, header) => {
      const params = `{${names},"arguments":{},"_meta":${JSON.stringify(META)}}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      const before = await client.counters();
      const answer = await client.post(body, { headers: headersFor("tools/call", { name: header }) });
      expect(answer.error?.code).toBeOneOf([-32020, -32602]);
      expect(await client.counters()).toEqual(before);
    });

    // RPC-11
    it.each([10_000, 200_000])("survives arguments nested %i levels deep", async (depth) => {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      for (const [name, member, path] of [
        ["echo", "text", "/api/mcp"],
        ["tree", "value", "/lab/mcp"],
      ] as const) {
        const params = `{"name":"${name}","arguments":{"${member}":${nested}},"_meta":${JSON.stringify(META)}}`;
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
        const answer = await client.post(body, { path, headers: headersFor("tools/call", { name }) });
        expect(answer.status).toBeOneOf([200, 400]);
        expect(answer.error !== undefined || answer.result?.["isError"] === true).toBe(true);
      }
      expect(textOf(await client.tool("echo", { text: "alive" }))).toBe("alive");
    });

    // RPC-16
    it.each(["1e400", "9".repeat(5_000)])("refuses an id that JavaScript cannot hold (%#)", async (id) => {
      const answer = await client.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{}}`);
      expectError(answer, 400, -32600);
      expect(answer.text).not.toMatch(/"id"|Infinity/);
    });

    it.each([
      ["-0", "0", 0],
      ["1E2", "100", 100],
    ])("takes %s for an integer", async (literal, header, value) => {
      const answer = await geo(literal, header);
      expect(answer.result).toMatchObject({ structuredContent: { n: value } });
    });

    it("reports a number beyond all bounds as the tool's error", async () => {
      expect((await geo("1e400", "1e400")).result).toMatchObject({ isError: true });
    });

    it("refuses a progress token beyond all bounds", async () => {
      const meta = JSON.stringify({ ...META, progressToken: 0 }).replace('"progressToken":0', '"progressToken":1e400');
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`;
      expectError(await client.post(body), 400, -32602);
    });

    it("waits no time for a negative number, and no more than a timer can for a huge one", async () => {
      expect(textOf(await client.tool("wait", { ms: -1 }))).toBe("Waited 0 ms.");
      const gone = new AbortController();
      const { aborted } = await client.counters();
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: { ms: 1e21 }, _meta: { ...META, progressToken: 1 } },
      });
      const headers = headersFor("tools/call", { name: "wait" });
      const response = await client.open(body, { headers, signal: gone.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      expect((await client.counters()).running).toBe(1);
      gone.abort();
      await expect.poll(() => client.counters()).toMatchObject({ aborted: aborted + 1, running: 0 });
    });
  });

  function geo(n: string, header: string) {
    const args = `{"region":"eu","n":${n},"b":true}`;
    const params = `{"name":"geo","arguments":${args},"_meta":${JSON.stringify(META)}}`;
    const mirrored = { "mcp-param-region": "eu", "mcp-param-n": header, "mcp-param-b": "true" };
    return client.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, {
      headers: { ...headersFor("tools/call", { name: "geo" }), ...mirrored },
    });
  }
}

const CHUNK = "x".repeat(65_536);
/** What the endpoint takes, in bytes. */
const LIMIT = 4 * 1024 * 1024;

export function bodyCases({ client }: Field): void {
  describe("bodies", () => {
    const head = Object.entries(headersFor("tools/call", { name: "echo" })).map(([name, value]) => `${name}: ${value}`);

    // RPC-09
    it("refuses an endless body once it is over the limit, without waiting for more, and runs nothing", async () => {
      const before = await client.counters();
      const request = new RawRequest(client.url);
      request.head("/api/mcp", [...head, "transfer-encoding: chunked"]);
      for (let sent = 0; sent <= LIMIT; sent += CHUNK.length) await request.chunk(CHUNK);
      const { status } = await request.answer();
      request.vanish();
      expect(status).toBe(413);
      expect(await client.counters()).toEqual(before);
    });

    it("takes no more than Content-Length says", async () => {
      const before = await client.counters();
      const request = new RawRequest(client.url);
      request.head("/api/mcp", [...head, "content-length: 10", "connection: close"]);
      request.write(echo(1));
      expect((await request.answer()).status).toBe(400);
      request.vanish();
      expect(await client.counters()).toEqual(before);
    });

    it.each(["gzip", "br", "x-unknown"])("refuses a body with content-encoding %s", async (encoding) => {
      const headers = { ...headersFor("tools/call", { name: "echo" }), "content-encoding": encoding };
      expect((await client.post(echo(1), { headers })).status).toBe(415);
    });
  });
}

function echo(id: number): string {
  const params = { name: "echo", arguments: { text: "x" }, _meta: META };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

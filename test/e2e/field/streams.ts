/** Sections D to G of the field cases: event streams, disconnects, progress, and requests that run side by side. */
import { describe, expect, it } from "vitest";
import { type Answer, type CallOptions, expectError, headersFor, META, textOf } from "./client.ts";
import type { Field } from "./field.ts";
import { RawRequest } from "./socket.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const LAB = "/lab/mcp";

export function streamCases(field: Field): void {
  const { client } = field;
  const opened = (name: string, args: object, { meta, path = LAB, signal }: CallOptions): Promise<Response> => {
    const params = { name, arguments: args, _meta: { ...META, ...meta } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    return client.open(body, { path, headers: headersFor("tools/call", { name }), ...(signal && { signal }) });
  };

  describe("event streams", () => {
    // SSE-02
    it("sends each message on one line of data, whatever is in it, and nothing that is not for this revision", async () => {
      const text = "a\rb\nc\r\nd\u2028e\u2029 data: x\n\nid: 1\nretry: 5";
      const answer = await client.tool("say", { text }, { path: LAB, meta: { ...META, progressToken: 0 } });
      expect(answer.type).toBe("text/event-stream");
      expect(answer.messages).toMatchObject([{ params: { progressToken: 0, message: text } }, { id: 1 }]);
      expect(textOf(answer)).toBe(text);
      expect(answer.text).toMatch(/^(?:data: \{[^\r\n]*\}\n\n)+$/);
    });

    it("keeps a quiet stream alive with comments", async () => {
      const answer = await client.tool("stubborn", { ms: 200 }, { path: LAB });
      expect(answer.type).toBe("text/event-stream");
      expect(answer.text.split("\n").filter((line) => line.startsWith(":")).length).toBeGreaterThan(1);
      expect(answer.text).toMatch(/^(?::[^\r\n]*\n\n)+data: \{[^\r\n]*\}\n\n$/);
    });

    // SSE-06
    it("sends headers and the first event while the call is running, marked against compression and buffering", async () => {
      const response = await opened("stubborn", { ms: 300 }, { meta: { progressToken: "p" } });
      const { headers } = response;
      expect(headers.get("cache-control")).toMatch(/no-cache.*no-transform/);
      expect(headers.get("x-accel-buffering")).toBe("no");
      expect(headers.get("content-encoding")).toBeNull();
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      const first = await reader?.read();
      expect(first?.value).toContain("notifications/progress");
      expect(first?.value).not.toContain('"result"');
      expect((await client.counters()).running).toBe(1);
      let rest = "";
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) rest += part.value;
      expect(rest).toContain('"result"');
    });
  });

  describe("disconnects", () => {
    it("aborts the handler of a caller that closes its stream", async () => {
      const { aborted } = await client.counters();
      await openAndLeave("wait", { ms: 30_000 }, "/api/mcp");
      await expect.poll(() => client.counters()).toMatchObject({ aborted: aborted + 1, running: 0 });
    });

    // CAN-02
    it("drops what a handler writes after its caller has gone, and serves the next one", async () => {
      const { aborted } = await client.counters();
      await openAndLeave("stubborn", { ms: 300 }, LAB);
      await expect.poll(() => client.counters()).toMatchObject({ aborted: aborted + 1, running: 0 });
      expect(textOf(await client.tool("echo", { text: "next" }))).toBe("next");
    });

    it("runs nothing for a caller that vanishes while it uploads, and does not call that its own fault", async () => {
      const before = await client.counters();
      const printed = field.output().length;
      const params = { name: "echo", arguments: { text: "x" }, _meta: META };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const request = new RawRequest(client.url);
      const lines = Object.entries(headersFor("tools/call", params)).map(([name, value]) => `${name}: ${value}`);
      request.head("/api/mcp", [...lines, `content-length: ${body.length}`]);
      request.write(body.slice(0, 40));
      await new Promise((resolve) => setTimeout(resolve, 50));
      request.vanish();
      expect(await client.counters()).toEqual(before);
      expect(field.output().slice(printed)).not.toMatch(/mcp-edge:|Uncaught/);
    });
  });

  describe("progress", () => {
    // PRG-02
    it("gives a client that takes JSON alone its result, without the progress", async () => {
      const options = { meta: { ...META, progressToken: 1 }, headers: { accept: "application/json" } };
      const answer = await client.tool("wait", { ms: 50 }, options);
      expect(answer).toMatchObject({ status: 200, type: "application/json", result: { resultType: "complete" } });
      expect(answer.messages).toHaveLength(1);
    });

    // PRG-03
    it.each([1.5, null, {}, true])("refuses %j as a progress token", async (progressToken) => {
      expectError(await client.tool("wait", { ms: 20 }, { meta: { ...META, progressToken } }), 400, -32602);
    });

    it("reports only values that increase, and none after the result", async () => {
      const meta = { ...META, progressToken: "" };
      const answer = await client.tool("report", { values: [1, 1, 3, 2, 4.5] }, { meta });
      expect(progressOf(answer)).toEqual([1, 3, 4.5]);
      expect(answer.messages.at(-1)).toHaveProperty("result");
    });
  });

  describe("requests side by side", () => {
    // CONC-02
    it("serves a second caller while the first is streaming, and goes on when the first is gone", async () => {
      const gone = new AbortController();
      const first = await opened(
        "wait",
        { ms: 30_000 },
        { meta: { progressToken: 1 }, path: "/api/mcp", signal: gone.signal },
      );
      await first.body?.getReader().read();
      const second = client.tool("wait", { ms: 100 }, { id: "second", meta: { ...META, progressToken: 2 } });
      expect(textOf(await client.tool("echo", { text: "third" }))).toBe("third");
      gone.abort();
      const answer = await second;
      expect(answer).toMatchObject({ id: "second", result: { resultType: "complete" } });
      expect(new Set(tokensOf(answer))).toEqual(new Set([2]));
      await expect.poll(async () => (await client.counters()).running).toBe(0);
    });
  });

  /** Reads the first event, so that the call is known to run, then hangs up. */
  async function openAndLeave(name: string, args: object, path: string): Promise<void> {
    const gone = new AbortController();
    const meta = { progressToken: 1, [LOG_LEVEL]: "debug" };
    const response = await opened(name, args, { meta, path, signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
  }
}

function progressOf(answer: Answer): unknown[] {
  return paramsOf(answer).map(({ progress }) => progress);
}

function tokensOf(answer: Answer): unknown[] {
  return paramsOf(answer).map(({ progressToken }) => progressToken);
}

function paramsOf({ messages }: Answer): { progress?: unknown; progressToken?: unknown }[] {
  const reports = messages.filter(({ method }) => method === "notifications/progress");
  return reports.map(({ params }) => params as { progress?: unknown }); // Every notification has an object for params.
}

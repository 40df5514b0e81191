/** Section B of the field cases: headers. */
import { describe, expect, it } from "vitest";
import { type Answer, expectError, headersFor, META } from "./client.ts";
import type { Field } from "./field.ts";
import { sendRaw } from "./socket.ts";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } });
const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "echo", arguments: { text: "x" }, _meta: META },
});

export function headerCases({ client }: Field): void {
  describe("headers", () => {
    // HDR-03
    it.each([
      ["MCP-Protocol-Version is missing", { "mcp-protocol-version": undefined }],
      ["Mcp-Method is missing", { "mcp-method": undefined }],
      ["Mcp-Name is missing", { "mcp-name": undefined }],
      ["Mcp-Method is another", { "mcp-method": "tools/list" }],
      ["Mcp-Method differs by case", { "mcp-method": "Tools/Call" }],
      ["Mcp-Name is another", { "mcp-name": "other" }],
    ])("refuses a call when %s", async (_what, headers) => {
      const answer = await client.tool("echo", { text: "x" }, { headers });
      expectError(answer, 400, -32020);
      expect(answer.id).toBe(1);
    });

    it("does not care about the case of header names, nor about a name that a method does not have", async () => {
      const lines = ["CONTENT-TYPE: application/json", "Mcp-PROTOCOL-version: 2026-07-28", "MCP-METHOD: tools/list"];
      expect((await sendRaw(client.url, "/api/mcp", [...lines, "accept: */*"], LIST)).status).toBe(200);
      expect((await client.call("tools/list", {}, { headers: { "mcp-name": "stray" } })).status).toBe(200);
    });

    // HDR-04
    it.each([
      ["Mcp-Method lines that differ", ["mcp-method: tools/list", "mcp-method: tools/call", "mcp-name: echo"]],
      ["equal Mcp-Method lines", ["mcp-method: tools/call", "mcp-method: tools/call", "mcp-name: echo"]],
      ["Mcp-Name lines that differ", ["mcp-method: tools/call", "mcp-name: echo", "mcp-name: who"]],
      ["equal Mcp-Name lines", ["mcp-method: tools/call", "mcp-name: echo", "mcp-name: echo"]],
    ])("refuses two %s", async (_what, lines) => {
      const common = ["content-type: application/json", "accept: */*", "mcp-protocol-version: 2026-07-28"];
      const { status, text } = await sendRaw(client.url, "/api/mcp", [...common, ...lines], CALL);
      expect(status).toBe(400);
      expect(text).toContain("-32020");
    });

    // HDR-08
    it.each([
      "*/*",
      "application/*, text/*",
      "text/event-stream;q=0.9, application/json;q=1",
      "text/event-stream, application/json",
      "APPLICATION/JSON, TEXT/EVENT-STREAM",
      "application/json",
    ])("serves JSON to Accept: %s", async (accept) => {
      expect(await client.call("tools/list", {}, { headers: { accept } })).toMatchObject({
        status: 200,
        type: "application/json",
      });
    });

    it("serves an event stream to a client that takes nothing else", async () => {
      const headers = { accept: "text/event-stream" };
      expect(await client.call("tools/list", {}, { headers })).toMatchObject({
        status: 200,
        type: "text/event-stream",
        result: { resultType: "complete" },
      });
    });

    it("serves a client that sends no Accept, and refuses one that takes neither type", async () => {
      const { accept: _, ...headers } = headersFor("tools/list", {});
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      expect((await sendRaw(client.url, "/api/mcp", lines, LIST)).status).toBe(200);
      expect((await client.call("tools/list", {}, { headers: { accept: "text/html" } })).status).toBe(406);
    });

    // HDR-09
    it.each([
      ["application/json; charset=utf-8", 200],
      ["Application/JSON;charset=UTF-8", 200],
      ["application/json;", 200],
      ["text/plain", 415],
      ["application/json-patch+json", 415],
      ["text/plain; x=application/json", 415],
    ])("answers Content-Type %s with %i", async (type, status) => {
      const answer: Answer = await client.call("tools/list", {}, { headers: { "content-type": type } });
      expect(answer.status).toBe(status);
    });

    it("refuses a body without a Content-Type", async () => {
      const { "content-type": _, ...headers } = headersFor("tools/list", {});
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      expect((await sendRaw(client.url, "/api/mcp", lines, LIST)).status).toBe(415);
    });
  });
}

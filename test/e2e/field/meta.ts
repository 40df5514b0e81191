/** Sections B and C of the field cases: per-request metadata, and what is left of older revisions. */
import { describe, expect, it } from "vitest";
import { type Answer, ELICITS, expectError, META } from "./client.ts";
import type { Field } from "./field.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

export function metaCases({ client }: Field): void {
  describe("metadata", () => {
    // META-01
    it.each([
      ["no capabilities", { [VERSION]: "2026-07-28" }],
      ["null for capabilities", { ...META, [CAPABILITIES]: null }],
      ["a string for capabilities", { ...META, [CAPABILITIES]: "x" }],
      ["an array for capabilities", { ...META, [CAPABILITIES]: [] }],
      ["a number for the version", { ...META, [VERSION]: 20260728 }],
      ["nothing at all", {}],
      ["an empty clientInfo", { ...META, [CLIENT_INFO]: {} }],
    ])("refuses _meta with %s as invalid params", async (_what, meta) => {
      expectError(await client.call("tools/list", {}, { meta }), 400, -32602);
    });

    // META-02
    it.each(["2027-01-01", "1900-01-01"])("names what it supports to a client of %s", async (version) => {
      const options = { id: "v", meta: { ...META, [VERSION]: version }, headers: { "mcp-protocol-version": version } };
      const answer = await client.call("tools/list", {}, options);
      expectError(answer, 400, -32022);
      expect(answer).toMatchObject({ id: "v", type: "application/json", error: { data: { requested: version } } });
      expect(answer.error?.data?.["supported"]).toContain("2026-07-28");
    });

    it("refuses an empty version", async () => {
      const options = { meta: { ...META, [VERSION]: "" }, headers: { "mcp-protocol-version": "" } };
      const { status, error } = await client.call("tools/list", {}, options);
      expect(status).toBe(400);
      expect(error?.code).toBeOneOf([-32022, -32602, -32020]);
    });

    // META-03
    it("judges each request by its own capabilities, however many come at once", async () => {
      const pairs = Array.from({ length: 50 }, (_, index) => [
        client.tool("ask", {}, { id: `a${index}`, meta: ELICITS }),
        client.tool("ask", {}, { id: `b${index}` }),
      ]);
      const answers = await Promise.all(pairs.flat());
      for (const [index, answer] of answers.entries()) {
        if (index % 2 === 0) {
          expect(answer).toMatchObject({ id: `a${index / 2}`, result: { resultType: "input_required" } });
        } else {
          expectError(answer, 400, -32021);
          expect(answer.error?.data).toMatchObject({ requiredCapabilities: { elicitation: {} } });
        }
      }
    });

    // LOG-01
    it("logs only to the request that asked, and only what it asked for", async () => {
      const [none, warning] = await Promise.all([log(undefined), log("warning")]);
      expect(levels(none)).toEqual([]);
      expect(levels(warning)).toEqual(["error"]);
      expect(levels(await log("debug"))).toEqual(["info", "error"]);
      expectError(await log("loud"), 400, -32602);
    });
  });

  describe("older revisions", () => {
    // ERA-03
    it("tells a client of an older revision which one it speaks", async () => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const headers = { "mcp-protocol-version": undefined, "mcp-method": undefined };
      const answer = await client.post(body, { headers });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.error)).toContain("2026-07-28");
    });

    it.each(["GET", "DELETE"])("allows no %s", async (method) => {
      const response = await fetch(new URL("/api/mcp", client.url), {
        method,
        headers: { accept: "text/event-stream" },
      });
      await response.body?.cancel();
      expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
    });

    // ERA-04
    it.each([
      "ping",
      "initialize",
      "logging/setLevel",
      "resources/subscribe",
      "resources/unsubscribe",
      "roots/list",
      "sampling/createMessage",
    ])("has no method %s any more", async (method) => {
      const answer = await client.call(method, {}, { id: 7 });
      expectError(answer, 404, -32601);
      expect(answer.id).toBe(7);
    });
  });

  function log(level: string | undefined): Promise<Answer> {
    const meta = level === undefined ? META : { ...META, [LOG_LEVEL]: level };
    return client.tool("log", {}, { meta, path: "/lab/mcp" });
  }
}

function levels({ messages }: Answer): unknown[] {
  return messages
    .filter(({ method }) => method === "notifications/message")
    .map(({ params }) => (params as { level?: unknown }).level); // Every notification has an object for params.
}

import { expect, test } from "vitest";
import { isLegacyAnswer } from "../../../src/client/legacy-signals.ts";
import { parsed } from "../../../src/protocol/json-text.ts";

interface Row {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly legacy: boolean;
  readonly because: string;
}

const error = (code: number, message = "no", data?: unknown): object => ({
  jsonrpc: "2.0",
  id: 1,
  error: { code, message, data },
});

const ROWS: readonly Row[] = [
  { name: "400, no body", status: 400, body: "", legacy: true, because: "an empty body is no modern error" },
  { name: "400, a page", status: 400, body: "<h1>no</h1>", legacy: true, because: "nor is a page" },
  { name: "400, cut JSON", status: 400, body: '{"jsonrpc":"2.0","err', legacy: true, because: "nor half a message" },
  {
    name: "400, −32000 of the TypeScript SDK",
    status: 400,
    body: error(-32000, "Bad Request: Server not initialized"),
    legacy: true,
    because: "the code is none of this era's",
  },
  {
    name: "400, −32600 of the Python SDK",
    status: 400,
    body: { ...error(-32600, "Bad Request: Missing session ID"), id: "server-error" },
    legacy: true,
    because: "it misses a session, which this era has not",
  },
  { name: "400, −32700", status: 400, body: error(-32700), legacy: true, because: "our JSON is fine" },
  {
    name: "400, an error without jsonrpc",
    status: 400,
    body: { error: { code: -32022, message: "x" } },
    legacy: true,
    because: "it is not JSON-RPC",
  },
  { name: "400, −32020", status: 400, body: error(-32020), legacy: false, because: "modern servers compare headers" },
  { name: "400, −32021", status: 400, body: error(-32021), legacy: false, because: "capabilities per request" },
  {
    name: "400, −32022 with a modern version",
    status: 400,
    body: error(-32022, "no", { supported: ["2027-01-01", "2025-11-25"], requested: "2026-07-28" }),
    legacy: false,
    because: "there is a modern version to try",
  },
  {
    name: "400, −32022 with legacy versions only",
    status: 400,
    body: error(-32022, "no", { supported: ["2025-11-25", "2025-06-18"], requested: "2026-07-28" }),
    legacy: true,
    because: "it names what it speaks",
  },
  { name: "400, −32022 bare", status: 400, body: error(-32022), legacy: false, because: "the error itself is modern" },
  { name: "400, −32602", status: 400, body: error(-32602), legacy: false, because: "how modern servers judge _meta" },
  { name: "404, −32601", status: 404, body: error(-32601), legacy: false, because: "how they refuse a method" },
  { name: "404, no body", status: 404, body: "", legacy: true, because: "HTTP+SSE servers have nothing to POST to" },
  { name: "404, a page", status: 404, body: "Cannot POST /sse", legacy: true, because: "same" },
  { name: "404, −32001", status: 404, body: error(-32001, "Session not found"), legacy: true, because: "sessions" },
  { name: "400, −32601", status: 400, body: error(-32601), legacy: true, because: "modern servers use 404 for it" },
  { name: "405, no body", status: 405, body: "", legacy: true, because: "HTTP+SSE servers take only GET there" },
  { name: "405, −32000", status: 405, body: error(-32000, "Method not allowed."), legacy: true, because: "same" },
  { name: "406", status: 406, body: error(-32000, "Not Acceptable"), legacy: true, because: "no modern error" },
  { name: "422 of a framework", status: 422, body: { detail: [] }, legacy: true, because: "no modern error" },
  { name: "401", status: 401, body: "", legacy: false, because: "signing in comes first" },
  { name: "403", status: 403, body: error(-32000, "Invalid Host"), legacy: false, because: "it says who, not what" },
  { name: "429", status: 429, body: "", legacy: false, because: "later may be better" },
  { name: "500", status: 500, body: "", legacy: false, because: "an outage is no era" },
  { name: "503", status: 503, body: error(-32603), legacy: false, because: "an outage is no era" },
  { name: "302", status: 302, body: "", legacy: false, because: "nobody has answered yet" },
  { name: "200, a result", status: 200, body: { jsonrpc: "2.0", id: 1, result: {} }, legacy: false, because: "usable" },
  { name: "202, no body", status: 202, body: "", legacy: false, because: "it is broken in any era" },
  { name: "200, −32601", status: 200, body: error(-32601), legacy: true, because: "modern servers use 404 for it" },
  { name: "200, −32600", status: 200, body: error(-32600), legacy: true, because: "our request is in order" },
  { name: "200, −32602", status: 200, body: error(-32602, "no tool x"), legacy: false, because: "about the arguments" },
  {
    name: "200, −32602 of the Python SDK",
    status: 200,
    body: error(-32602, "Invalid request parameters"),
    legacy: true,
    because: "its words for an unknown method and for no handshake",
  },
  { name: "200, −32603", status: 200, body: error(-32603), legacy: false, because: "the tool failed" },
  {
    name: "400, −32022 with supported of another shape",
    status: 400,
    body: error(-32022, "no", { supported: [1, null] }),
    legacy: false,
    because: "the error itself is modern",
  },
  { name: "400, deep JSON", status: 400, body: "[".repeat(200_000), legacy: true, because: "it does not parse" },
];

test.each(ROWS)("$name → legacy: $legacy, $because", ({ status, body, legacy }) => {
  expect(isLegacyAnswer(status, typeof body === "string" ? parsed(body) : body)).toBe(legacy);
});

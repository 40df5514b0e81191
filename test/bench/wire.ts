/**
 * The requests of the bench, as they are on the wire, and the judgement of what comes back.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http
 */
export type Era = "modern" | "legacy";

export interface WireRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Call {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly progressToken?: string;
  readonly id?: number;
}

const MODERN = "2026-07-28";
/** The latest revision that mcp-lite serves without a session. */
const LEGACY = "2025-06-18";
const CLIENT = { name: "bench-client", version: "1.0.0" };

export function wireRequest({ method, params = {}, progressToken, id = 1 }: Call, era: Era): WireRequest {
  const token = progressToken === undefined ? {} : { progressToken };
  const meta =
    era === "legacy"
      ? token
      : {
          "io.modelcontextprotocol/protocolVersion": MODERN,
          "io.modelcontextprotocol/clientInfo": CLIENT,
          "io.modelcontextprotocol/clientCapabilities": {},
          ...token,
        };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
  const { name } = params;
  const mirrored = { "mcp-method": method, ...(typeof name === "string" && { "mcp-name": name }) };
  return {
    body,
    headers: {
      "content-type": "application/json",
      // With both, mcp-lite answers everything as a stream, which costs it a good deal.
      accept:
        era === "legacy" && progressToken === undefined ? "application/json" : "application/json, text/event-stream",
      "mcp-protocol-version": era === "modern" ? MODERN : LEGACY,
      ...(era === "modern" && mirrored),
      // In front of a server it is always there; `new Request()` does not set it.
      "content-length": String(Buffer.byteLength(body)),
    },
  };
}

export function toRequest({ body, headers }: WireRequest): Request {
  return new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
}

export interface Expected {
  readonly id: number;
  readonly era: Era;
  /** Must be in the result's text. */
  readonly text: string;
  readonly notifications: number;
}

/** @throws {Error} when a reply is not the correct one: a contestant that answers wrongly is not measured */
export function assertReply(status: number, contentType: string, text: string, expected: Expected): void {
  const wrong = (what: string): Error => new Error(`${what}: ${status} ${contentType} ${text.slice(0, 400)}`);
  if (status !== 200) throw wrong("not 200");
  const messages = contentType.startsWith("text/event-stream") ? eventData(text) : [text];
  if (messages.length !== expected.notifications + 1) throw wrong(`${messages.length - 1} notifications`);
  const reply = JSON.parse(messages.at(-1) ?? "") as { id?: unknown; result?: Record<string, unknown> }; // Judged below.
  if (reply.id !== expected.id) throw wrong("another id");
  if (reply.result === undefined || reply.result["isError"] === true) throw wrong("an error");
  if (!JSON.stringify(reply.result).includes(expected.text)) throw wrong(`without ${expected.text}`);
  if (expected.era === "legacy") return;
  if (reply.result["resultType"] !== "complete") throw wrong("without resultType");
  if (!JSON.stringify(reply.result["_meta"] ?? {}).includes("io.modelcontextprotocol/serverInfo"))
    throw wrong("without serverInfo");
}

function eventData(stream: string): string[] {
  return stream.split("\n\n").flatMap((event) => {
    const line = event.split("\n").find((field) => field.startsWith("data: "));
    return line === undefined ? [] : [line.slice("data: ".length)];
  });
}

/**
 * The plainest client there is: it sends what a case says, right or wrong, and shows all that came back.
 */
import { expect } from "vitest";
import { isObject } from "../../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
export const ELICITS = { ...META, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The media type alone. */
  readonly type: string;
  readonly text: string;
  /** Every JSON-RPC message of the body, in order. */
  readonly messages: readonly JsonObject[];
  /** Of the response among them; undefined where there is none. */
  readonly id: unknown;
  readonly result: JsonObject | undefined;
  readonly error: { code: number; message: string; data?: JsonObject } | undefined;
}

export interface CallOptions {
  readonly id?: unknown;
  /** Default {@link META}. */
  readonly meta?: JsonObject;
  /** Undefined leaves a header out. */
  readonly headers?: Record<string, string | undefined>;
  /** Default `/api/mcp`. */
  readonly path?: string;
  readonly signal?: AbortSignal;
}

/** Every error code that any answer held, for the case about codes a server must not emit. */
export const codesSeen: Set<number> = new Set();

export class FieldClient {
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  get url(): URL {
    return new URL(this.#url());
  }

  /** A well-formed request, but for what the options change. */
  call(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<Answer> {
    const { id = 1, meta = META, headers, ...rest } = options;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
    return this.post(body, { ...rest, headers: { ...headersFor(method, params), ...headers } });
  }

  tool(name: string, args?: unknown, options: CallOptions & { extra?: JsonObject } = {}): Promise<Answer> {
    const { extra, ...rest } = options;
    return this.call("tools/call", { name, ...(args !== undefined && { arguments: args }), ...extra }, rest);
  }

  /** Raw body text, with the headers of a `tools/list` unless others are given. */
  async post(body: string, options: Omit<CallOptions, "id" | "meta"> = {}): Promise<Answer> {
    return readAnswer(await this.open(body, options));
  }

  /** As {@link post}, with the body left unread. */
  open(body: string, { path = "/api/mcp", headers, signal }: Omit<CallOptions, "id" | "meta"> = {}): Promise<Response> {
    const all = Object.entries({ ...headersFor("tools/list", {}), ...headers });
    return fetch(new URL(path, this.url), {
      method: "POST",
      headers: all.filter((entry): entry is [string, string] => entry[1] !== undefined),
      body,
      ...(signal && { signal }),
    });
  }

  async counters(): Promise<{ calls: Record<string, number>; aborted: number; running: number }> {
    const { result } = await this.tool("probe", {});
    return result?.["structuredContent"] as Awaited<ReturnType<FieldClient["counters"]>>; // As the fixture's probe.ts says.
  }
}

export function headersFor(method: string, params: JsonObject): Record<string, string> {
  const name = method === "resources/read" ? params["uri"] : params["name"];
  const named = ["tools/call", "prompts/get", "resources/read"].includes(method) && typeof name === "string";
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(named && { "mcp-name": encodeName(name) }),
  };
}

function encodeName(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const messages = type === "text/event-stream" ? readEvents(text) : type === "application/json" ? [parse(text)] : [];
  const reply = messages.find((message) => "result" in message || "error" in message);
  const answer = {
    status: response.status,
    headers: response.headers,
    type,
    text,
    messages,
    id: reply?.["id"],
    result: reply?.["result"] as Answer["result"], // Cases assert what they expect of both.
    error: reply?.["error"] as Answer["error"],
  };
  if (answer.error !== undefined) codesSeen.add(answer.error.code);
  return answer;
}

function readEvents(text: string): JsonObject[] {
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return data.map((line) => parse(line.slice("data: ".length)));
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new TypeError(`not a JSON-RPC message: ${text}`);
  return value;
}

/** The first text block of a tool's result. */
export function textOf({ result }: Answer): string {
  const [block] = (result?.["content"] ?? []) as { text?: string }[]; // Of a tool's result, always an array of blocks.
  return block?.text ?? "";
}

export function expectError(answer: Answer, status: number, code: number): void {
  expect({ status: answer.status, code: answer.error?.code, result: answer.result }).toEqual({
    status,
    code,
    result: undefined,
  });
}

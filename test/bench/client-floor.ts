/**
 * A client as somebody writes it for one server: the right headers and `_meta`, a time-out, results and errors told apart,
 * pages read to their end, progress handed on. No bounds, no retries, no input requests.
 */
import { createParser } from "eventsource-parser";
import type { BenchClient } from "./client-wire.ts";
import { SERVER_INFO } from "./tools.ts";

const VERSION = "2026-07-28";
const TIMEOUT_MS = 60_000;
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": SERVER_INFO,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Parsed JSON of a server that is trusted to keep to the schema. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progressToken?: number };
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}
interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly tools: readonly unknown[];
  readonly nextCursor?: string;
}

export async function connect(url: string, fetch: typeof globalThis.fetch): Promise<BenchClient> {
  let lastId = 0;

  async function request(method: string, params: Record<string, unknown>, onProgress?: () => void): Promise<Result> {
    const id = (lastId += 1);
    const _meta = onProgress === undefined ? META : { ...META, progressToken: id };
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
    };
    if (typeof params["name"] === "string") headers["mcp-name"] = params["name"];
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal: controller.signal });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const message = isStream ? await readStream(response, id, onProgress) : await response.json<Message>();
      if (message.error !== undefined) throw new Error(`${message.error.code} ${message.error.message}`);
      if (message.id !== id || message.result === undefined) throw new Error("malformed");
      return message.result;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async listTools() {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await request("tools/list", cursor === undefined ? {} : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return tools;
    },
    async callTool(name, args, onProgress) {
      const { content } = await request("tools/call", { name, arguments: args }, onProgress);
      return content[0]?.text ?? "";
    },
  };
}

async function readStream({ body }: Response, id: number, onProgress?: () => void): Promise<Message> {
  if (body === null) throw new Error("no body");
  let found: Message | undefined;
  const parser = createParser({
    onEvent({ data }) {
      const message = JSON.parse(data) as Message;
      if (message.method === undefined) found = message;
      else if (message.method === "notifications/progress" && message.params?.progressToken === id) onProgress?.();
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended");
    parser.feed(decoder.decode(value, { stream: true }));
    if (found === undefined) continue;
    void reader.cancel();
    return found;
  }
}

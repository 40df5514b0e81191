/**
 * A server made of prepared answers, and what the contestants are as clients of it.
 *
 * Every client counts its ids up by one and has its progress token be the id, so that answers can be made before the
 * clock starts.
 */
import { searchTools, SERVER_INFO } from "./tools.ts";

export interface BenchClient {
  listTools(): Promise<readonly unknown[]>;
  /** The text of the result. */
  callTool(name: string, args: Record<string, unknown>, onProgress?: () => void): Promise<string>;
}

/** Ready to call: whatever handshake there is has been made. */
export type Connect = (url: string, fetch: typeof globalThis.fetch) => Promise<BenchClient>;

export interface ClientCase {
  readonly title: string;
  /** How many events of progress come before the result, and how long each is on the wire. */
  readonly events: number;
  readonly eventLength: number;
  readonly limit: number;
  /** A slice of such a case is one call. */
  readonly isLong?: boolean;
}

const EVENT_LENGTH = 200;
const CHUNK_BYTES = 65_536;

export const CLIENT_CASES: readonly ClientCase[] = [
  { title: "call, JSON", events: 0, eventLength: EVENT_LENGTH, limit: 1.6 },
  { title: "call, 10 progress", events: 10, eventLength: EVENT_LENGTH, limit: 2 },
  {
    title: "call, 50 MB of progress",
    events: 50_000_000 / EVENT_LENGTH,
    eventLength: EVENT_LENGTH,
    limit: 2.5,
    isLong: true,
  },
];

export const TOOL_NAME = "search_0";
export const ANSWER = "harbour, page 3";
export const ARGUMENTS = { query: "harbour", page: 3, order: "newest", tags: ["a", "b"] };

const META = { "io.modelcontextprotocol/serverInfo": SERVER_INFO };
const TOOLS = searchTools(1).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
const CACHEABLE = { resultType: "complete", ttlMs: 60_000, cacheScope: "public", _meta: META };
const RESULTS: Readonly<Record<string, object>> = {
  "server/discover": { ...CACHEABLE, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
  "tools/list": { ...CACHEABLE, tools: TOOLS },
};

function reply(id: number, result: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** Answers what comes before the first call, and tells the id that was used last. */
export function createPreparedServer() {
  let lastId = 0;
  const prepared: Response[] = [];
  return {
    fetch: async (_url: unknown, init?: RequestInit): Promise<Response> => {
      const ready = prepared.pop();
      if (ready !== undefined) return ready;
      // All of them send text; of JSON-RPC.
      const { id, method } = JSON.parse(init?.body as string) as { id: number; method: string };
      const result = RESULTS[method];
      if (result === undefined) throw new Error(`no answer to ${method}`);
      lastId = id;
      return new Response(reply(id, result), { headers: { "content-type": "application/json" } });
    },
    /** Has the answers to the next calls ready. */
    prepare: (count: number, benchCase: ClientCase): void => {
      for (let index = 0; index < count; index += 1) prepared.push(callReply((lastId += 1), benchCase));
      prepared.reverse();
    },
  };
}

function callReply(id: number, { events, eventLength }: ClientCase): Response {
  const result = { resultType: "complete", content: [{ type: "text", text: ANSWER }], _meta: META };
  if (events === 0) return new Response(reply(id, result), { headers: { "content-type": "application/json" } });
  const texts = Array.from({ length: events }, (_, index) => progressEvent(id, index + 1, { events, eventLength }));
  const bytes = new TextEncoder().encode(`${texts.join("")}event: message\ndata: ${reply(id, result)}\n\n`);
  return new Response(streamOf(bytes), { headers: { "content-type": "text/event-stream" } });
}

function progressEvent(
  id: number,
  progress: number,
  { events, eventLength }: Pick<ClientCase, "events" | "eventLength">,
) {
  const head = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":${progress},"total":${events},"message":"`;
  const tail = `"}}\n\n`;
  return `${head}${"reading ".repeat(20).slice(0, Math.max(eventLength - head.length - tail.length, 0))}${tail}`;
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      // A copy of its own, as a socket brings it.
      controller.enqueue(bytes.slice(offset, (offset += CHUNK_BYTES)));
      if (offset >= bytes.length) controller.close();
    },
  });
}

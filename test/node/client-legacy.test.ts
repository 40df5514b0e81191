/** The legacy client over sockets, against servers written with the official package. */
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import {
  InMemoryClientRequestAdapter,
  InMemorySessionAdapter,
  McpServer as LiteServer,
  StreamableHttpTransport,
} from "mcp-lite";
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { createEraSession } from "../../src/client/era-session.ts";
import { createHttpSession } from "../../src/client/http-session.ts";
import { isLegacyAnswer } from "../../src/client/legacy-signals.ts";
import type { Connection, RequestOptions, Session } from "../../src/client/session.ts";
import { legacyFallback } from "../../src/client-legacy.ts";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { requestFor } from "../kit/post.ts";

const NOTHING = fromJsonSchema<Record<string, never>>({ type: "object", properties: {} });
const text = (said: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: said }],
});

type Tool = (ctx: ServerContext) => Promise<{ content: { type: "text"; text: string }[] }>;

const TOOLS: Readonly<Record<string, Tool>> = {
  echo: () => Promise.resolve(text("echo")),
  count: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return text("not counted");
    for (let progress = 1; progress <= 3; progress += 1) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    return text("counted");
  },
  log: async ({ mcpReq }) => {
    await mcpReq.log("debug", "quiet");
    await mcpReq.log("error", "loud");
    return text("logged");
  },
  ask: async ({ mcpReq }) => {
    const answer = await mcpReq.elicitInput({
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string", default: "Ann" } } },
    });
    return text(JSON.stringify(answer));
  },
  drop: async ({ http }) => {
    // Lets go of the connection, as before a long wait; the answer is stored for whoever comes back.
    http?.closeSSE?.();
    return Promise.resolve(text("picked up"));
  },
  wait: ({ mcpReq }) =>
    new Promise((resolve) => {
      mcpReq.signal.addEventListener("abort", () => {
        cancelled();
        resolve(text("cancelled"));
      });
    }),
};

/** Called when the server sees that `wait` was cancelled. */
let cancelled: () => void = () => undefined;

function officialServer(): McpServer {
  const server = new McpServer(
    { name: "official", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: "Be brief." },
  );
  for (const [name, run] of Object.entries(TOOLS)) {
    server.registerTool(name, { description: name, inputSchema: NOTHING }, (_args, ctx) => run(ctx));
  }
  return server;
}

/** Sessions with all that the official transport has: ids, a stream of the server's own, and a log to resume from. */
class SessionServer {
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  readonly servers: McpServer[] = [];

  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? await this.#begin() : this.#transports.get(id);
    return known?.handleRequest(request) ?? new Response(null, { status: 404 });
  };

  /** As after a restart. */
  forgetAll(): void {
    this.#transports.clear();
  }

  async #begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
      eventStore: memoryLog(),
      retryInterval: 10,
    });
    const server = officialServer();
    this.servers.push(server);
    await server.connect(transport);
    return transport;
  }

  get size(): number {
    return this.#transports.size;
  }
}

type EventStore = NonNullable<
  NonNullable<ConstructorParameters<typeof WebStandardStreamableHTTPServerTransport>[0]>["eventStore"]
>;

function memoryLog(): EventStore {
  const events: { readonly stream: string; readonly message: Parameters<EventStore["storeEvent"]>[1] }[] = [];
  return {
    storeEvent: (stream, message) => Promise.resolve(String(events.push({ stream, message }))),
    replayEventsAfter: async (lastEventId, { send }) => {
      const { stream = "" } = events[Number(lastEventId) - 1] ?? {};
      for (const [index, event] of events.entries()) {
        const isMessage = index >= Number(lastEventId) && event.stream === stream && "jsonrpc" in event.message;
        if (isMessage && Object.keys(event.message).length > 1) await send(String(index + 1), event.message);
      }
      return stream;
    },
  };
}

const running: RunningServer[] = [];
const sessions: Session[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function listen(fetch: (request: Request) => Promise<Response>): Promise<string> {
  const server = await serve({ fetch });
  running.push(server);
  return `${server.url}/mcp`;
}

function connectionTo(url: string, input: Connection["input"] = {}): Connection {
  return {
    url,
    fetch: (target, init) => fetch(target, init),
    info: { name: "tester", version: "1.0.0" },
    capabilities: { elicitation: { form: {} } },
    input,
    auth: undefined,
    signIns: { underWay: 0, failure: undefined },
    headers: {},
    limits: { maxMessageBytes: 1_000_000, maxStreamBytes: 10_000_000 },
    onWarning: (message) => expect.soft(message).toBe(undefined),
    now: () => Date.now(),
    random: () => Math.random(),
  };
}

async function connect(url: string, input?: Connection["input"]): Promise<Session> {
  const session = await legacyFallback().connect(connectionTo(url, input), undefined);
  sessions.push(session);
  return session;
}

async function call(session: Session, name: string, options: RequestOptions = {}): Promise<unknown> {
  const { content } = await session.request({ method: "tools/call", params: { name, arguments: {} }, options });
  return Array.isArray(content) ? (content as JsonObject[])[0]?.["text"] : undefined;
}

function listenWithoutSessions(): Promise<string> {
  const handler = createMcpHandler(officialServer);
  return listen((request) => handler.fetch(request));
}

describe("an official server without sessions", () => {
  test("is greeted, asked and left", async () => {
    const session = await connect(await listenWithoutSessions());
    expect(await session.describe()).toMatchObject({
      era: "legacy",
      version: "2025-11-25",
      info: { name: "official" },
      instructions: "Be brief.",
    });
    expect(await call(session, "echo")).toBe("echo");
    const { tools } = await session.request({ method: "tools/list", params: {}, options: {} });
    expect(tools).toHaveLength(Object.keys(TOOLS).length);
  });

  test("reports progress on the stream of the call", async () => {
    const seen: number[] = [];
    const session = await connect(await listenWithoutSessions());
    expect(await call(session, "count", { onProgress: ({ progress }) => seen.push(progress) })).toBe("counted");
    expect(seen).toEqual([1, 2, 3]);
  });

  test("grants no changes, having no stream to tell of them", async () => {
    const session = await connect(await listenWithoutSessions());
    const leaving = new AbortController();
    const sink = {
      acknowledged: (granted: unknown): void => {
        expect(granted).toEqual({});
        leaving.abort();
      },
      notified: () => undefined,
    };
    expect(await session.openStream({ toolsListChanged: true }, sink, leaving.signal)).toEqual({ how: "closed" });
  });
});

describe("an official server with sessions", () => {
  test("has its session ended when the client leaves", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    expect(await call(session, "echo")).toBe("echo");
    expect(server.size).toBe(1);
    await session.close();
    expect(server.size).toBe(0);
  });

  test("that has forgotten its sessions is greeted again, once for all calls", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    server.forgetAll();
    expect(await Promise.all(Array.from({ length: 10 }, () => call(session, "echo")))).toEqual(Array(10).fill("echo"));
    expect(server.servers).toHaveLength(2);
  });

  test("asks the user in the middle of a call", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch), {
      elicit: ({ message }) => Promise.resolve(message === "Who?" ? { action: "accept" } : { action: "decline" }),
    });
    expect(await call(session, "ask")).toBe('{"action":"accept","content":{"name":"Ann"}}');
  });

  test("asks outside of calls, on its own stream", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch), {
      roots: () => Promise.resolve({ roots: [{ uri: "file:///home" }] }),
    });
    await call(session, "echo");
    const roots = await server.servers[0]?.server.listRoots();
    expect(roots).toEqual({ roots: [{ uri: "file:///home" }] });
  });

  test("logs what was asked for", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    const heard: unknown[] = [];
    expect(await call(session, "log", { onLog: ({ data }) => heard.push(data), logLevel: "error" })).toBe("logged");
    expect(heard).toEqual(["loud"]);
  });

  test("lets go of a call's connection, and has its answer fetched", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    expect(await call(session, "drop")).toBe("picked up");
  });

  test("sees that a call was cancelled", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    const seen = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    await expect(call(session, "wait", { timeoutMs: 200 })).rejects.toMatchObject({ code: "timeout" });
    await seen;
  });

  test("tells of changed lists", async () => {
    const server = new SessionServer();
    const session = await connect(await listen(server.fetch));
    const leaving = new AbortController();
    const heard: string[] = [];
    const sink = {
      acknowledged: (granted: unknown): void => {
        expect(granted).toEqual({ toolsListChanged: true });
        server.servers[0]?.sendToolListChanged();
      },
      notified: (method: string): void => {
        heard.push(method);
        leaving.abort();
      },
    };
    expect(await session.openStream({ toolsListChanged: true }, sink, leaving.signal)).toEqual({ how: "closed" });
    expect(heard).toEqual(["notifications/tools/list_changed"]);
  });

  test("gives itself away by its answer to a modern request", async () => {
    const url = await listen(new SessionServer().fetch);
    const response = await fetch(requestFor("server/discover", {}, { url }));
    expect(isLegacyAnswer(response.status, await response.json())).toBe(true);
  });

  test("is found out by the first modern request, which is then served in its own era", async () => {
    const server = new SessionServer();
    const connection = connectionTo(await listen(server.fetch));
    const legacy = legacyFallback();
    const session = createEraSession(createHttpSession({ ...connection, legacy }), legacy, connection);
    sessions.push(session);
    expect(await Promise.all([call(session, "echo"), call(session, "echo")])).toEqual(["echo", "echo"]);
    expect(await session.describe()).toMatchObject({ era: "legacy", version: "2025-11-25" });
    expect(server.size).toBe(1);
  });
});

test("a server of another maker, of 2025-03-26, is asked and asks in turn", async () => {
  const server = new LiteServer({ name: "lite", version: "1.0.0" });
  server.tool("ask", {
    inputSchema: { type: "object", properties: {} },
    handler: async (_args, ctx) => {
      const schema = { type: "object", properties: { name: { type: "string", default: "Ann" } } };
      return text(JSON.stringify(await ctx.elicit({ message: "Who?", schema })));
    },
  });
  const transport = new StreamableHttpTransport({
    sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 100 }),
    clientRequestAdapter: new InMemoryClientRequestAdapter(),
  });
  const session = await connect(await listen(transport.bind(server)), {
    elicit: () => Promise.resolve({ action: "accept" }),
  });
  expect(await session.describe()).toMatchObject({ version: "2025-03-26", info: { name: "lite" } });
  expect(await call(session, "ask")).toBe('{"action":"accept","content":{"name":"Ann"}}');
});

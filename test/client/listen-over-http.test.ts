/** Case SUB-03: what a client makes of the streams of a real server, and of answers that are none. */
import { describe, expect, test } from "vitest";
import { McpClient } from "../../src/client/mcp-client.ts";
import type { ListenEvent, ListeningState, ListenOptions } from "../../src/client/listening.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { serverWith } from "../kit/serve.ts";

const FILTER = { toolsListChanged: true };
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CHANGED = "notifications/tools/list_changed";

interface Sent {
  readonly id: number;
  readonly signal: AbortSignal | null | undefined;
}
type Answer = (sent: Sent) => Response;

/** A client whose requests are answered by these, one after the other; the last one goes on answering. */
function connect(answers: readonly Answer[], options: ListenOptions = {}) {
  const sent: Sent[] = [];
  const states: ListeningState[] = [];
  const events: ListenEvent[] = [];
  const client = new McpClient("https://mcp.test/mcp", {
    info: { name: "listener", version: "1.0.0" },
    random: () => 0, // So that the first wait is none.
    fetch: async (_url, init) => {
      const { id } = JSON.parse(init?.body as string) as { id: number }; // As the client writes it.
      sent.push({ id, signal: init?.signal });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return answer?.({ id, signal: init?.signal }) ?? new Response(null, { status: 500 });
    },
  });
  const listening = client.listen(FILTER, {
    onEvent: (event) => void events.push(event),
    onState: (state) => void states.push(state),
    ...options,
  });
  return { client, listening, sent, states, events };
}

const notification = (id: number, method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  method,
  params: { _meta: { "io.modelcontextprotocol/subscriptionId": id }, ...params },
});
const acknowledged = (id: number, notifications: object = FILTER): object =>
  notification(id, ACKNOWLEDGED, { notifications });

/** A stream of these messages, which then stays open, or breaks off. */
function stream(messages: readonly object[], end: "open" | "cut" | "close" = "close"): Response {
  const bytes = new TextEncoder().encode(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(""));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: (controller) => {
      if (end === "cut") controller.error(new Error("ECONNRESET"));
      if (end === "close") controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function refusal(status: number, code?: number, headers: Record<string, string> = {}): Answer {
  return ({ id }) => {
    const body =
      code === undefined ? "<h1>No</h1>" : JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: "no" } });
    const type = code === undefined ? "text/html" : "application/json";
    return new Response(body, { status, headers: { "content-type": type, ...headers } });
  };
}

const open: Answer = ({ id }) => stream([acknowledged(id)], "open");

/** Every kind of notification that is not to be heard. */
const strange: Answer = ({ id }) =>
  stream([
    notification(id, CHANGED),
    acknowledged(id + 1),
    acknowledged(id, { toolsListChanged: true, promptsListChanged: true }),
    notification(id + 1, CHANGED),
    notification(id, "notifications/prompts/list_changed"),
    { jsonrpc: "2.0", method: CHANGED },
    { jsonrpc: "2.0", id, result: { resultType: "complete" } },
  ]);

async function ended(listening: AsyncIterable<ListenEvent>): Promise<unknown> {
  try {
    for await (const _event of listening);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a client that listens", () => {
  test("hears nothing that comes before the acknowledgment, of another subscription, or that was not granted", async () => {
    const { listening, events, states } = connect([strange]);
    expect(await ended(listening)).toBeUndefined();
    expect(events).toEqual([]);
    expect(states).toContainEqual({ phase: "live", granted: FILTER });
  });

  test.each(["cut", "close"] as const)(
    "asks anew under another id when its stream ends by %s, and says so",
    async (how) => {
      const { listening, sent, events } = connect([
        ({ id }) => stream([acknowledged(id), notification(id, CHANGED)], how),
        ({ id }) => stream([acknowledged(id)], "open"),
      ]);
      const iterator = listening[Symbol.asyncIterator]();
      expect((await iterator.next()).value).toEqual({ type: "toolsListChanged" });
      expect((await iterator.next()).value).toEqual({ type: "resumed" });
      expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
      expect(events).toEqual([{ type: "toolsListChanged" }, { type: "resumed" }]);
      listening.close();
    },
  );

  test.each([
    ["503 with a page", refusal(503, undefined, { "retry-after": "7" }), "http_error"],
    ["503 with an error", refusal(503, -32603, { "retry-after": "7" }), -32603],
    ["429", refusal(429, -32603, { "retry-after": "7" }), -32603],
  ])("waits as long as it is told to by %s", async (_name, answer, code) => {
    const waiting = Promise.withResolvers<ListeningState>();
    const { listening, sent } = connect([answer], {
      onState: (state) => state.phase === "waiting" && waiting.resolve(state),
    });
    expect(await waiting.promise).toMatchObject({ phase: "waiting", ms: 7_000, error: { code } });
    listening.close();
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["a server without subscriptions", refusal(404, -32601), -32601],
    ["a server without subscriptions that says 200", refusal(200, -32601), -32601],
    ["a filter that is refused", refusal(400, -32602), -32602],
    ["no such endpoint", refusal(404), "http_error"],
    ["401", refusal(401), "unauthorized"],
    ["403", refusal(403), "forbidden"],
  ])("gives up on %s", async (_name, answer, code) => {
    const { listening, sent } = connect([answer]);
    expect(await ended(listening)).toMatchObject({ code });
    await expect(listening.joined()).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  test("lets go of its stream when it is closed, and when its client is", async () => {
    const one = connect([open]);
    await one.listening.joined();
    one.listening.close();
    expect(one.sent[0]?.signal?.aborted).toBe(true);
    const other = connect([open]);
    await other.listening.joined();
    await other.client.close();
    expect(other.sent[0]?.signal?.aborted).toBe(true);
    expect(await ended(other.listening)).toMatchObject({ code: "aborted" });
    expect(other.listening.state.phase).toBe("ended");
    expect(other.sent).toHaveLength(1);
  });
});

function server(maxLifetimeMs?: number) {
  const subscriptions = new Subscriptions(maxLifetimeMs === undefined ? {} : { maxLifetimeMs });
  const handler = serverWith(
    (mcp) => void mcp.tool("touch", {}, async (_args, { notify }) => (await notify.toolsChanged(), "touched")),
    { server: { subscriptions }, keepAliveMs: 20 },
  );
  const client = new McpClient("https://mcp.test/mcp", {
    info: { name: "listener", version: "1.0.0" },
    random: () => 0,
    fetch: async (input, init) => handler.fetch(new Request(input, init)),
  });
  return { client, subscriptions };
}

describe("a client that listens to this package's server", () => {
  test("ends with the server's own end of it", async () => {
    const { client } = server(50);
    const listening = client.listen(FILTER);
    expect(await ended(listening)).toBeUndefined();
    expect(listening.state).toEqual({ phase: "ended", error: undefined });
  });

  test("comes again if it is to", async () => {
    const { client } = server(50);
    const listening = client.listen(FILTER, { rejoinAfterEnd: true });
    for await (const event of listening) {
      expect(event).toEqual({ type: "resumed" });
      break;
    }
  });

  test("keeps several subscriptions apart, and leaves none behind", async () => {
    const { client, subscriptions } = server();
    const listenings = [client.listen(FILTER), client.listen({ promptsListChanged: true }), client.listen(FILTER)];
    const [one, none, other] = await Promise.all(listenings.map((listening) => listening.joined()));
    expect([one, none, other]).toEqual([FILTER, {}, FILTER]);
    listenings[0]?.close();
    await client.callTool("touch");
    for await (const event of listenings[2] ?? []) {
      expect(event).toEqual({ type: "toolsListChanged" });
      break;
    }
    listenings[1]?.close();
    await expect.poll(() => subscriptions.open).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/client/legacy/deferred.ts";
import type { Session, StreamEnd } from "../../../src/client/session.ts";
import type { SubscriptionFilter } from "../../../src/protocol/subscription.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";
import { accepted, call, FakeServer, refusal, result, stream } from "./fake-server.ts";

interface Listening {
  readonly granted: Promise<SubscriptionFilter>;
  readonly heard: [method: string, params: JsonObject][];
  /** Resolves once so much was heard. */
  until(count: number): Promise<void>;
  readonly end: Promise<StreamEnd>;
  leave(): void;
}

function listen(session: Session, filter: SubscriptionFilter): Listening {
  const leaving = new AbortController();
  const heard: [string, JsonObject][] = [];
  let look: (() => void) | undefined;
  const { promise: granted, resolve: acknowledged } = deferred<SubscriptionFilter>();
  const sink = {
    acknowledged,
    notified: (method: string, params: JsonObject): void => {
      heard.push([method, params]);
      look?.();
    },
  };
  return {
    granted,
    heard,
    until: (count) =>
      new Promise((resolve) => {
        look = () => heard.length >= count && resolve();
        look();
      }),
    end: session.openStream(filter, sink, leaving.signal),
    leave: () => leaving.abort(),
  };
}

const TOOLS = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";

describe("listening to changes", () => {
  test("is granted what the server's capabilities promise, and hears nothing else", async () => {
    const own = stream();
    const server = new FakeServer({ GET: () => own.response });
    const session = await server.connect();
    const listening = listen(session, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["note://a"],
    });
    expect(await listening.granted).toEqual({ toolsListChanged: true, resourceSubscriptions: ["note://a"] });
    expect(server.of("resources/subscribe").map(({ message }) => message["params"])).toEqual([{ uri: "note://a" }]);
    own.send({ method: "notifications/prompts/list_changed" });
    own.send({ method: "notifications/resources/list_changed" });
    own.send({ method: UPDATED, params: { uri: "note://ab" } });
    own.send({ method: UPDATED, params: { uri: "note://a" } });
    own.send({ method: UPDATED, params: { uri: "note://a/part" } });
    own.send({ method: TOOLS });
    await listening.until(3);
    expect(listening.heard).toEqual([
      [UPDATED, { uri: "note://a" }],
      [UPDATED, { uri: "note://a/part" }],
      [TOOLS, {}],
    ]);
    await session.close();
    expect(await listening.end).toEqual({ how: "closed" });
  });

  test("is granted nothing where the server has no stream for it, and stays open", async () => {
    const server = new FakeServer();
    const session = await server.connect();
    const listening = listen(session, { toolsListChanged: true, resourceSubscriptions: ["note://a"] });
    expect(await listening.granted).toEqual({});
    expect(server.of("resources/subscribe")).toHaveLength(0);
    listening.leave();
    expect(await listening.end).toEqual({ how: "closed" });
  });

  test("is granted only the URIs that the server took", async () => {
    const own = stream();
    const server = new FakeServer({
      GET: () => own.response,
      "resources/subscribe": (one) =>
        JSON.stringify(one.message).includes("secret") ? refusal(one, -32002) : result(one, {}),
    });
    const session = await server.connect();
    const uris = Array.from({ length: 12 }, (_, index) => (index === 7 ? "note://secret" : `note://${index}`));
    const listening = listen(session, { resourceSubscriptions: uris });
    expect(await listening.granted).toEqual({ resourceSubscriptions: uris.filter((uri) => !uri.includes("secret")) });
  });

  test("hears what was said before the acknowledgment after it", async () => {
    const own = stream();
    const server = new FakeServer({
      GET: () => own.response,
      "resources/subscribe": async (one) => {
        own.send({ method: TOOLS });
        await new Promise((resolve) => setTimeout(resolve, 20));
        return result(one, {});
      },
    });
    const session = await server.connect();
    const order: string[] = [];
    const leaving = new AbortController();
    const end = session.openStream(
      { toolsListChanged: true, resourceSubscriptions: ["note://a"] },
      {
        acknowledged: () => order.push("acknowledged"),
        notified: (method) => {
          order.push(method);
          leaving.abort();
        },
      },
      leaving.signal,
    );
    await end;
    expect(order).toEqual(["acknowledged", TOOLS]);
  });

  test("shares one stream, and a URI is given back when the last who wanted it leaves", async () => {
    const own = stream();
    const server = new FakeServer({ GET: () => own.response });
    const session = await server.connect();
    const first = listen(session, { resourceSubscriptions: ["note://a", "note://b"] });
    await first.granted;
    const second = listen(session, { resourceSubscriptions: ["note://a"] });
    await second.granted;
    own.send({ method: UPDATED, params: { uri: "note://a" } });
    await Promise.all([first.until(1), second.until(1)]);
    first.leave();
    expect(await first.end).toEqual({ how: "closed" });
    const [b] = await server.until("resources/unsubscribe");
    expect(b?.message["params"]).toEqual({ uri: "note://b" });
    second.leave();
    const [, a] = await server.until("resources/unsubscribe", 2);
    expect(a?.message["params"]).toEqual({ uri: "note://a" });
    expect(server.of("GET")).toHaveLength(1);
  });

  test("breaks when the stream ends without an id to go on from, and can be begun again", async () => {
    const streams = [stream(), stream()];
    const server: FakeServer = new FakeServer({
      GET: () => streams[server.of("GET").length - 1]?.response ?? accepted(),
    });
    const session = await server.connect();
    const first = listen(session, { toolsListChanged: true });
    await first.granted;
    streams[0]?.end();
    expect(await first.end).toMatchObject({ how: "broken" });
    const again = listen(session, { toolsListChanged: true });
    expect(await again.granted).toEqual({ toolsListChanged: true });
    streams[1]?.send({ method: TOOLS });
    await again.until(1);
  });

  test("goes on when the stream can be resumed", async () => {
    const first = stream("retry: 1\nid: a\ndata:\n\n");
    const second = stream();
    const server: FakeServer = new FakeServer({
      GET: ({ headers }) => (headers.get("last-event-id") === "a" ? second.response : first.response),
    });
    const session = await server.connect();
    const listening = listen(session, { toolsListChanged: true });
    await listening.granted;
    first.end();
    second.send({ method: TOOLS }, "id: b");
    await listening.until(1);
    expect(server.of("GET")).toHaveLength(2);
  });

  test("breaks when the session is lost, and goes on in the next one", async () => {
    const streams = [stream(), stream()];
    const server: FakeServer = new FakeServer({
      GET: () => streams[server.of("GET").length - 1]?.response ?? accepted(),
      "tools/call": (one) =>
        server.of("initialize").length === 1 ? new Response(null, { status: 404 }) : result(one, {}),
    });
    const session = await server.connect();
    const listening = listen(session, { toolsListChanged: true });
    await listening.granted;
    await call(session);
    expect(await listening.end).toMatchObject({ how: "broken" });
    expect(server.of("GET")[0]?.signal?.aborted).toBe(true);
    const again = listen(session, { toolsListChanged: true });
    expect(await again.granted).toEqual({ toolsListChanged: true });
  });

  test("is rejected when the stream cannot be had just now", async () => {
    const server = new FakeServer({ GET: () => new Response(null, { status: 503 }) });
    const session = await server.connect();
    await expect(listen(session, { toolsListChanged: true }).end).rejects.toMatchObject({ code: "http_error" });
  });
});

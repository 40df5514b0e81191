/** Servers that have forgotten a session and do not say so as the specification has it, which is with 404. */
import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/client/session.ts";
import { McpError, ProtocolError } from "../../../src/protocol/errors.ts";
import type { SubscriptionFilter } from "../../../src/protocol/subscription.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";
import { type Call, call, FakeServer, initialized, json, result, stream } from "./fake-server.ts";

const TOOLS = { toolsListChanged: true };

/** A read, which may be sent again. */
function read(session: Session): Promise<JsonObject> {
  return session.request({ method: "tools/list", params: {}, options: {} });
}

/** Knows the session of its newest handshake, and answers requests of others with `refuse`. */
function forgetful(refuse: (call: Call) => Response, answers: ConstructorParameters<typeof FakeServer>[0] = {}) {
  const answer = (one: Call): Response => (isLost(server, one) ? refuse(one) : result(one, { ok: true }));
  const server: FakeServer = new FakeServer({
    initialize: (one) => initialized(one, {}, `s-${server.of("initialize").length}`),
    "tools/call": answer,
    "tools/list": answer,
    ping: answer,
    ...answers,
  });
  return server;
}

/** Of the first session, from its second call on. */
function isLost(server: FakeServer, { headers }: Call): boolean {
  const asked = server.of("tools/call").length + server.of("tools/list").length;
  return headers.get("mcp-session-id") === "s-1" && asked > 1;
}

const error = (code: number, message: string, id: unknown = null): Response =>
  json({ jsonrpc: "2.0", id, error: { code, message } }, { status: 400 });

describe("a session that was lost", () => {
  test.each([
    { by: "the example servers", refuse: () => error(-32_000, "Bad Request: No valid session ID provided") },
    { by: "the official transport", refuse: () => error(-32_000, "Bad Request: Server not initialized") },
    { by: "the Python SDK", refuse: () => error(-32_600, "Bad Request: No valid session ID", "server-error") },
    { by: "its older one", refuse: () => new Response("Bad Request: No valid session ID provided", { status: 400 }) },
  ])("is begun anew where $by says so with 400", async ({ refuse }) => {
    const server = forgetful(refuse);
    const session = await server.connect();
    expect(await read(session)).toEqual({ ok: true });
    expect(await read(session)).toEqual({ ok: true });
    expect(server.of("initialize")).toHaveLength(2);
    expect(server.of("tools/list")).toHaveLength(3);
  });

  test("is begun anew for the next request only, where a 400 is all that says that a call was not served", async () => {
    const server = forgetful(() => error(-32_000, "Bad Request: Server not initialized"));
    const session = await server.connect();
    await call(session);
    await expect(call(session)).rejects.toMatchObject({ code: -32_000 });
    expect(server.of("tools/call")).toHaveLength(2);
    expect(await call(session)).toEqual({ ok: true });
    expect(server.of("initialize")).toHaveLength(2);
    expect(server.of("tools/call")).toHaveLength(3);
  });

  test.each([
    ["a page", () => new Response("Paid, but the database session could not be closed", { status: 400 })],
    ["an error", () => error(-32_000, "No valid session ID provided by the payment service")],
    ["an error", () => error(-32_000, "The upstream said: Bad Request: Server not initialized")],
  ])("is another matter than %s that speaks of some session", async (_what, refuse) => {
    const server = forgetful(refuse);
    const session = await server.connect();
    await read(session);
    await expect(read(session)).rejects.toSatisfy((e) => e instanceof McpError || e instanceof ProtocolError);
    expect(server.of("initialize")).toHaveLength(1);
    expect(server.of("tools/list")).toHaveLength(2);
  });

  test.each([
    { what: "another reason", refuse: () => error(-32_000, "Bad Request: Mistaken") },
    { what: "the request's own number", refuse: (one: Call) => error(-32_602, "session: missing", one.message["id"]) },
  ])("is another matter than 400 with $what", async ({ refuse }) => {
    const server = forgetful(refuse);
    const session = await server.connect();
    await call(session);
    await expect(call(session)).rejects.toBeInstanceOf(ProtocolError);
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("is begun anew once, and then the server's words are the answer", async () => {
    const server = new FakeServer({ "tools/list": () => error(-32_000, "Bad Request: No valid session ID provided") });
    const session = await server.connect();
    await expect(read(session)).rejects.toMatchObject({ code: -32_000 });
    expect(server.of("initialize")).toHaveLength(2);
  });

  test.each([400, 404])("has its stream again in the next one, where the server refuses it with %d", async (status) => {
    const streams = [stream(), stream()];
    const server: FakeServer = forgetful(() => new Response(null, { status: 404 }), {
      GET: ({ headers }) => {
        const isFirst = server.of("GET").length === 1;
        if (!isFirst && headers.get("mcp-session-id") === "s-1") return new Response(null, { status });
        return (isFirst ? streams[0] : streams[1])?.response ?? error(0, "");
      },
    });
    const session = await server.connect();
    const first = granted(session, TOOLS);
    expect(await first.filter).toEqual(TOOLS);
    streams[0]?.fail();
    expect(await first.end).toMatchObject({ how: "broken" });
    expect(await granted(session, TOOLS).filter).toEqual(TOOLS);
    expect(server.of("initialize")).toHaveLength(2);
  });

  test("is noticed by who listens before anybody calls", async () => {
    let isRestarted = false;
    const refuseOld = ({ headers }: Call): Response | undefined =>
      isRestarted && headers.get("mcp-session-id") === "s-1"
        ? error(-32_000, "No valid session ID provided")
        : undefined;
    const server: FakeServer = new FakeServer({
      initialize: (one) => initialized(one, {}, `s-${server.of("initialize").length}`),
      ping: (one) => refuseOld(one) ?? result(one, {}),
      GET: (one) => refuseOld(one) ?? stream().response,
    });
    const session = await server.connect();
    isRestarted = true;
    expect(await granted(session, TOOLS).filter).toEqual(TOOLS);
    expect(server.of("initialize")).toHaveLength(2);
  });
});

function granted(
  session: Awaited<ReturnType<FakeServer["connect"]>>,
  filter: SubscriptionFilter,
): { filter: Promise<SubscriptionFilter>; end: Promise<unknown> } {
  let end: Promise<unknown> = Promise.resolve();
  const acknowledged = new Promise<SubscriptionFilter>((resolve, reject) => {
    const sink = { acknowledged: resolve, notified: () => undefined };
    end = session.openStream(filter, sink, new AbortController().signal);
    end.catch(reject);
  });
  return { filter: acknowledged, end };
}

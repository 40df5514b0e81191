/** How a client finds out which era a server is of, and that it does so once. */
import { describe, expect, test } from "vitest";
import type { LegacyConnector } from "../../src/client.ts";
import { createEraSession } from "../../src/client/era-session.ts";
import { deferred } from "../../src/client/legacy/deferred.ts";
import { isLegacyAnswer } from "../../src/client/legacy-signals.ts";
import type { Session } from "../../src/client/session.ts";
import { McpError, ProtocolError } from "../../src/protocol/errors.ts";
import { MODERN_VERSION } from "../../src/protocol/versions.ts";
import { against, codeOf, error, event, result, type Sent, stream, text } from "./fake-fetch.ts";

interface FakeLegacy extends LegacyConnector {
  connections: number;
  closed: number;
  /** What the handshake waits for. */
  greeting: Promise<unknown>;
  /** What a request is refused with. */
  refusal: () => ProtocolError | undefined;
  readonly methods: string[];
}

/** A legacy server that answers everything; or, with `failure`, one that is none. */
function legacyEra(failure?: McpError): FakeLegacy {
  const legacy: FakeLegacy = {
    connections: 0,
    closed: 0,
    greeting: Promise.resolve(),
    refusal: () => undefined,
    methods: [],
    isLegacyAnswer,
    over: (modern, connection) => createEraSession(modern, legacy, connection),
    async connect() {
      legacy.connections += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      await legacy.greeting;
      if (failure !== undefined) throw failure;
      return session;
    },
  };
  const session: Session = {
    request({ method }) {
      legacy.methods.push(method);
      const refusal = legacy.refusal();
      if (refusal !== undefined) return Promise.reject(refusal);
      return Promise.resolve({ ...text("legacy"), tools: [] });
    },
    describe: () =>
      Promise.resolve({
        era: "legacy",
        version: "2025-11-25",
        info: undefined,
        capabilities: {},
        instructions: undefined,
      }),
    openStream: () => Promise.resolve({ how: "closed" }),
    close() {
      legacy.closed += 1;
      return Promise.resolve();
    },
  };
  return legacy;
}

const empty = (status: number) => () => new Response("", { status });
const served = (sent: Sent) => result(sent, text("modern"));

describe("a server is taken for a legacy one, and the request sent again there,", () => {
  test.each<[string, (sent: Sent) => Response]>([
    ["an empty 400", empty(400)],
    ["an empty 404", empty(404)],
    ["an empty 405", empty(405)],
    ["an error of no era in a 400", (sent) => error(sent, -32000, { status: 400 })],
    [
      "an error of no era on a stream",
      ({ id }) => stream([": hello\r\n\r\n", event({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })]),
    ],
    [
      "an error of no era in a page's clothes",
      ({ id }) =>
        new Response(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "no" } }), {
          status: 400,
          headers: { "content-type": "text/html" },
        }),
    ],
    ["older revisions alone", (sent) => error(sent, -32022, { status: 400, data: { supported: ["2025-11-25"] } })],
  ])("after %s", async (_name, answer) => {
    const legacy = legacyEra();
    const { client, sent } = against(answer, { legacy });
    expect(await client.callTool("t")).toMatchObject({ content: [{ text: "legacy" }] });
    await client.listTools();
    expect(legacy.methods).toEqual(["tools/call", "tools/list"]);
    expect([sent.length, legacy.connections]).toEqual([1, 1]);
  });
});

describe("a server is not taken for a legacy one", () => {
  test.each<[string, (sent: Sent) => Response, string | number]>([
    [
      "that says so in a body of no type",
      ({ id }) => {
        const body = new TextEncoder().encode(
          JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32021, message: "no" } }),
        );
        return new Response(body, { status: 400 });
      },
      -32021,
    ],
    ["that misses a header", (sent) => error(sent, -32020, { status: 400 }), -32020],
    ["that misses a capability", (sent) => error(sent, -32021, { status: 400 }), -32021],
    ["that does not know the method", (sent) => error(sent, -32601, { status: 404 }), -32601],
    ["that fails", empty(500), "http_error"],
    ["that is not there", empty(503), "http_error"],
    ["that has had enough", empty(429), "http_error"],
    ["that wants to know who asks", empty(401), "unauthorized"],
    [
      "that speaks newer revisions alone",
      (sent) => error(sent, -32022, { status: 400, data: { supported: ["2030-01-01"] } }),
      "no_common_version",
    ],
  ])("%s", async (_name, answer, code) => {
    const legacy = legacyEra();
    const { client } = against((sent) => (sent.method === "tools/list" ? result(sent, { tools: [] }) : answer(sent)), {
      legacy,
    });
    expect(await codeOf(client.callTool("t"))).toBe(code);
    expect(legacy.connections).toBe(0);
  });

  test("once it has answered as a modern one, whatever it says later", async () => {
    const legacy = legacyEra();
    const { client } = against((sent, index) => (index < 2 ? served(sent) : empty(404)()), { legacy });
    await client.callTool("t");
    expect(await codeOf(client.callTool("t"))).toBe("http_error");
    expect(legacy.connections).toBe(0);
  });

  test("without anybody who speaks that era", async () => {
    const { client } = against(empty(400));
    expect(await codeOf(client.callTool("t"))).toBe("http_error");
  });
});

test("requests that start at once share one handshake", async () => {
  const legacy = legacyEra();
  const { client } = against(empty(400), { legacy });
  await Promise.all([client.callTool("a"), client.callTool("b"), client.discover()]);
  expect(legacy.connections).toBe(1);
  expect((await client.discover()).era).toBe("legacy");
});

test("a server of neither era is what its first answer said", async () => {
  const { client } = against(empty(404), { legacy: legacyEra(new McpError("no_common_era", "neither")) });
  await expect(client.callTool("t")).rejects.toMatchObject({ code: "http_error", cause: { status: 404 } });
});

test("a handshake that fails is what failed, and is tried again with the next request", async () => {
  const legacy = legacyEra(new McpError("connection_failed", "gone"));
  const { client } = against(empty(400), { legacy });
  expect(await codeOf(client.callTool("t"))).toBe("connection_failed");
  expect(await codeOf(client.callTool("t"))).toBe("connection_failed");
  expect(legacy.connections).toBe(2);
});

describe("what may change something is sent in one era alone:", () => {
  test("a call goes after a question of what the server is, and a read does not", async () => {
    const legacy = legacyEra();
    const { client, sent } = against((one) => result(one, { ...text("modern"), tools: [] }), { legacy });
    await client.callTool("pay");
    await client.callTool("pay");
    expect(sent.map(({ method }) => method)).toEqual(["server/discover", "tools/call", "tools/call"]);
    const other = against((one) => result(one, { tools: [] }), { legacy: legacyEra() });
    await other.client.listTools();
    expect(other.sent.map(({ method }) => method)).toEqual(["tools/list"]);
  });

  test("a legacy server never sees a modern call", async () => {
    const legacy = legacyEra();
    const { client, sent } = against(empty(400), { legacy });
    await Promise.all([client.callTool("pay"), client.callTool("pay")]);
    expect(sent.map(({ method }) => method)).not.toContain("tools/call");
    expect(legacy.methods).toEqual(["tools/call", "tools/call"]);
  });

  test("a call whose answer looks like a legacy one is not sent again", async () => {
    const legacy = legacyEra();
    const { client, sent } = against((one) => (one.method === "tools/call" ? empty(400)() : served(one)), { legacy });
    expect(await codeOf(client.callTool("pay"))).toBe("http_error");
    expect(sent.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    expect(legacy.connections).toBe(0);
  });

  test("a call is not sent at all where nothing tells what the server is", async () => {
    const { client, sent } = against(empty(503), { legacy: legacyEra(), retries: 0 });
    expect(await codeOf(client.callTool("pay"))).toBe("http_error");
    expect(sent.map(({ method }) => method)).toEqual(["server/discover"]);
  });

  test("a server that is at work on a request is of this era, whatever the error that it ends with", async () => {
    const legacy = legacyEra();
    const { client } = against(
      ({ id }) =>
        stream([
          event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: id, progress: 1 } }),
          event({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }),
        ]),
      { legacy },
    );
    expect(await codeOf(client.listTools())).toBe(-32601);
    expect(legacy.connections).toBe(0);
  });
});

describe("a handshake that takes for ever", () => {
  const forEver = new Promise(() => undefined);

  test("is given up by who aborts, and by whose time is over, each for themselves", async () => {
    const legacy = legacyEra();
    const greeting = deferred<undefined>();
    legacy.greeting = greeting.promise;
    const { client } = against(empty(400), { legacy });
    const leaving = new AbortController();
    const aborted = codeOf(client.callTool("a", {}, { signal: leaving.signal }));
    const late = codeOf(client.listTools({ timeoutMs: 20 }));
    const patient = client.callTool("c");
    expect(await late).toBe("timeout");
    leaving.abort();
    expect(await aborted).toBe("aborted");
    greeting.resolve(undefined);
    expect(await patient).toMatchObject({ content: [{ text: "legacy" }] });
    expect(legacy.connections).toBe(1);
  });

  test("is waited for beyond the request's time while somebody signs in for it", async () => {
    const legacy = legacyEra();
    legacy.connect = async (connection) => {
      connection.signIns.underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 150));
      connection.signIns.underWay -= 1;
      return legacyEra().connect(connection, undefined);
    };
    const { client } = against(empty(400), { legacy });
    expect(await client.listTools({ timeoutMs: 40 })).toEqual([]);
  });

  test("ends when the client is closed, which its connector is told", async () => {
    const legacy = legacyEra();
    let given: AbortSignal | undefined;
    const greeted = new Promise<void>((resolve) => {
      legacy.connect = (_connection, signal) => {
        given = signal;
        resolve();
        return forEver as Promise<Session>; // Nobody ever gets one.
      };
    });
    const { client } = against(empty(400), { legacy });
    const call = codeOf(client.listTools());
    await greeted;
    await client.close();
    expect(await call).toBe("aborted");
    expect(given?.aborted).toBe(true);
  });
});

test("a legacy server that says that it speaks this era now is asked in it, and from then on", async () => {
  let isUpgraded = false;
  const legacy = legacyEra();
  const unsupported = new ProtocolError(-32022, "no", { supported: [MODERN_VERSION] });
  const { client, sent } = against((one) => (isUpgraded ? served(one) : empty(400)()), { legacy });
  legacy.refusal = () => (isUpgraded ? unsupported : undefined);
  await client.callTool("t");
  isUpgraded = true;
  expect(await client.callTool("t")).toMatchObject({ content: [{ text: "modern" }] });
  expect(await client.callTool("t")).toMatchObject({ content: [{ text: "modern" }] });
  expect(sent.map(({ method }) => method)).toEqual(["server/discover", "tools/call", "tools/call"]);
  expect(legacy.methods).toEqual(["tools/call", "tools/call"]);
  await client.close();
  expect(legacy.closed).toBe(1);
});

test("closing the client closes the session that it has", async () => {
  const legacy = legacyEra();
  const { client } = against(empty(400), { legacy });
  await client.callTool("t");
  await client.close();
  expect(legacy.closed).toBe(1);
});

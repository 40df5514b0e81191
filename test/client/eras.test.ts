/** How a client finds out which era a server is of, and that it does so once. */
import { describe, expect, test } from "vitest";
import type { LegacyConnector } from "../../src/client.ts";
import { createEraSession } from "../../src/client/era-session.ts";
import { isLegacyAnswer } from "../../src/client/legacy-signals.ts";
import type { Session } from "../../src/client/session.ts";
import { McpError } from "../../src/protocol/errors.ts";
import { against, codeOf, error, result, type Sent, text } from "./fake-fetch.ts";

interface FakeLegacy extends LegacyConnector {
  connections: number;
  closed: number;
  readonly methods: string[];
}

/** A legacy server that answers everything; or, with `failure`, one that is none. */
function legacyEra(failure?: McpError): FakeLegacy {
  const legacy: FakeLegacy = {
    connections: 0,
    closed: 0,
    methods: [],
    isLegacyAnswer,
    over: (modern, connection) => createEraSession(modern, legacy, connection),
    async connect() {
      legacy.connections += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (failure !== undefined) throw failure;
      return session;
    },
  };
  const session: Session = {
    request({ method }) {
      legacy.methods.push(method);
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
    const { client } = against((sent, index) => (index === 0 ? served(sent) : empty(404)()), { legacy });
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

test("closing the client closes the session that it has", async () => {
  const legacy = legacyEra();
  const { client } = against(empty(400), { legacy });
  await client.callTool("t");
  await client.close();
  expect(legacy.closed).toBe(1);
});

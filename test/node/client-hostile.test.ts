/**
 * What hostile servers do to a client: each attempt ends in an error that says what happened, soon, and without the
 * client having taken in more than it had to. Real sockets, since half of it is about what is not read.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { McpClientOptions } from "../../src/client/client-options.ts";
import { McpClient } from "../../src/client/mcp-client.ts";
import { resultCache } from "../../src/client/result-cache.ts";
import type { RequestOptions } from "../../src/client/session.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { HostileServer } from "../kit/hostile-server.ts";

const MIB = 1_048_576;
/** What sockets and their buffers take in on both sides before anybody reads. */
const BUFFERS = 24 * MIB;
const LIMITS = { maxMessageBytes: 4 * MIB, maxStreamBytes: 16 * MIB };
/** Tells an end from a hang. */
const DEADLINE_MS = 20_000;

let server: HostileServer;
let neighbour: HostileServer;

beforeAll(async () => {
  [server, neighbour] = await Promise.all([HostileServer.start(), HostileServer.start()]);
  server.elsewhere = neighbour.url;
});

afterAll(async () => {
  await Promise.all([server.close(), neighbour.close()]);
});

afterEach(() => {
  server.sent = 0;
  server.visits.clear();
  neighbour.visits.clear();
});

function connect(path: string, options: Partial<McpClientOptions> = {}): McpClient {
  const info = { name: "brave", version: "1.0.0" };
  return new McpClient(server.url + path, { info, limits: LIMITS, retries: 0, ...options });
}

const elicit = async (): Promise<Record<string, unknown>> => ({ action: "accept", content: {} });

function call(path: string, options: RequestOptions = {}): Promise<unknown> {
  return connect(path).callTool("any", {}, options);
}

describe("a server that does not stop", () => {
  test.each([
    ["comments", "/endless-comments", LIMITS.maxStreamBytes],
    ["progress", "/endless-progress", LIMITS.maxStreamBytes],
    ["one event", "/endless-event", LIMITS.maxMessageBytes],
    ["lines of one event", "/endless-lines", LIMITS.maxMessageBytes],
    ["JSON", "/huge-body", LIMITS.maxMessageBytes],
    ["JSON of a length that it declares", "/huge-declared", LIMITS.maxMessageBytes],
    ["compressed JSON", "/zip-bomb", LIMITS.maxMessageBytes],
  ])(
    "sending %s is left soon after the limit",
    async (_what, path, limit) => {
      await expect(call(path, { onProgress: () => undefined })).rejects.toMatchObject({
        name: "McpError",
        code: "too_large",
      });
      expect(server.sent).toBeLessThan(limit + BUFFERS);
    },
    DEADLINE_MS,
  );

  test(
    "sending a page with its error is left as well",
    async () => {
      await expect(call("/huge-error-page")).rejects.toMatchObject({ name: "McpError" });
      expect(server.sent).toBeLessThan(LIMITS.maxMessageBytes + BUFFERS);
    },
    DEADLINE_MS,
  );
});

describe("a server that takes its time", () => {
  test.each([
    ["says nothing", "/silence"],
    ["sends a byte now and then", "/drip"],
    ["sends comments now and then", "/drip-events"],
  ])(
    "and %s is not waited for",
    async (_what, path) => {
      await expect(call(path, { timeoutMs: 100 })).rejects.toMatchObject({ name: "McpError", code: "timeout" });
    },
    DEADLINE_MS,
  );

  test(
    "and reports progress all the while is not waited for without end",
    async () => {
      const options = { timeoutMs: 5_000, maxTimeoutMs: 200, onProgress: () => undefined };
      await expect(call("/drip-progress", options)).rejects.toMatchObject({ name: "McpError", code: "timeout" });
    },
    DEADLINE_MS,
  );

  test(
    "is left at once when the caller has had enough",
    async () => {
      const controller = new AbortController();
      const calling = call("/drip-progress", { signal: controller.signal, onProgress: () => controller.abort() });
      await expect(calling).rejects.toMatchObject({ name: "McpError", code: "aborted" });
    },
    DEADLINE_MS,
  );
});

describe("an answer that breaks off", () => {
  test.each([
    ["before it begins", "/reset", "connection_failed"],
    ["within the length that was declared", "/half-body", /^(?:stream_ended|connection_failed)$/],
    ["within its JSON", "/half-json", /^(?:stream_ended|invalid_response)$/],
    ["within an event", "/half-event", "stream_ended"],
  ])(
    "%s is an error, and no result",
    async (_where, path, code) => {
      await expect(call(path)).rejects.toMatchObject({ name: "McpError", code: expect.stringMatching(code) });
    },
    DEADLINE_MS,
  );
});

describe("a redirect", () => {
  test("to another origin is not followed, and nothing is sent there", async () => {
    const client = connect("/redirect", { headers: { "x-secret": "s3cret" } });
    const error: unknown = await client.listTools().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "McpError", code: "redirect_refused" });
    expect(String(error)).not.toContain("s3cret");
    expect(neighbour.visits.size).toBe(0);
  });

  test("in a circle is left", async () => {
    await expect(call("/redirect-loop")).rejects.toMatchObject({ name: "McpError", code: "redirect_refused" });
    expect(server.visits.get("/redirect-loop")).toBeLessThan(6);
  });
});

describe("a list without an end", () => {
  test.each(["/cursor-loop", "/cursor-growth"])(
    "(%s) is given up",
    async (path) => {
      await expect(connect(path).listTools()).rejects.toMatchObject({ name: "McpError", code: "list_loop" });
      expect(server.visits.get(path)).toBeLessThan(2_000);
    },
    DEADLINE_MS,
  );

  test(
    "whose pages are fat is given up before it fills the memory",
    async () => {
      await expect(connect("/fat-pages").listTools()).rejects.toMatchObject({ name: "McpError", code: "list_loop" });
      expect(server.sent).toBeLessThan(128 * MIB);
    },
    DEADLINE_MS,
  );

  test(
    "whose pages are slow takes no longer than a request may",
    async () => {
      const listing = connect("/slow-pages").listTools({ maxTimeoutMs: 300 });
      await expect(listing).rejects.toMatchObject({ name: "McpError", code: "timeout" });
    },
    DEADLINE_MS,
  );
});

test("a server that is never content with a token or an answer is given up", async () => {
  const auth = { headers: async () => ({ authorization: "Bearer t0ken" }), challenged: async () => true };
  const error: unknown = await connect("/challenge", { auth })
    .listTools()
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: "McpError", code: "unauthorized" });
  expect(String(error)).not.toContain("t0ken");
  expect(server.visits.get("/challenge")).toBeLessThanOrEqual(3);
  await expect(connect("/questions", { input: { elicit } }).callTool("any")).rejects.toMatchObject({
    name: "McpError",
    code: "too_many_rounds",
  });
});

describe("a schema or value made to hang who checks it", () => {
  test(
    "by its pattern is checked like any other",
    async () => {
      const warnings: string[] = [];
      const onWarning = (message: string): void => void warnings.push(message);
      const client = connect("/slow-pattern", { schemas: interpreterEngine(), onWarning });
      await client.listTools();
      const { issues } = await client.callTool("slow");
      expect(issues).toEqual([expect.objectContaining({ message: expect.stringContaining("pattern") })]);
      expect(warnings).toEqual([]);
    },
    DEADLINE_MS,
  );

  test(
    "nested a million deep is found too deep",
    async () => {
      const client = connect("/deep", { schemas: interpreterEngine() });
      await client.listTools();
      const { issues } = await client.callTool("deep");
      expect(issues).toEqual([{ path: "", message: "is nested too deeply" }]);
    },
    DEADLINE_MS,
  );

  test.each([
    ["output schema", "/deep-output-schema"],
    ["input schema", "/deep-input-schema"],
    ["list that may be kept", "/deep-list"],
    ["error", "/deep-error"],
    ["question", "/deep-question"],
  ])(
    "is met as well where the %s is nested that deeply",
    async (_what, path) => {
      const client = connect(path, { schemas: interpreterEngine(), cache: resultCache(), input: { elicit } });
      for (const work of [() => client.listTools(), () => client.callTool("any")]) {
        const outcome: unknown = await work().catch((error: unknown) => error);
        // A stack that overflows would be a RangeError.
        expect(outcome instanceof Error ? outcome.name : "result").toMatch(/^(?:McpError|ProtocolError|result)$/);
      }
    },
    DEADLINE_MS,
  );

  test("with names of prototypes changes none", async () => {
    await connect("/prototype").callTool("any");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("icons that are not images by HTTPS or in place are dropped, and the tools stay", async () => {
  const [painted, plain, odd] = await connect("/icons").listTools();
  expect(painted?.icons).toEqual([{ src: "https://host/icon.png" }, { src: "data:image/png;base64,AAAA" }]);
  expect(plain).not.toHaveProperty("icons");
  expect(odd).toMatchObject({ name: "odd" });
  expect(odd).not.toHaveProperty("icons");
});

test(
  "a subscription to a server that floods it keeps to what it can, and ends when it is closed",
  async () => {
    const listening = connect("/flood").listen({ resourceSubscriptions: ["note://a"] });
    await listening.joined();
    const first = await listening[Symbol.asyncIterator]().next();
    expect(first.value?.type).toMatch(/^(?:resourceUpdated|resumed)$/);
    listening.close();
    expect(listening.state.phase).toBe("ended");
  },
  DEADLINE_MS,
);

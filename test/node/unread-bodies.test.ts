/**
 * Requests that are answered before their body was read: the connection carries the next one, or ends.
 */
import { Agent, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createFetchHandler, type FetchHandler } from "../../src/core.ts";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import { requestFor } from "../kit/post.ts";
import { emptyServer } from "../kit/serve.ts";

const running: RunningServer[] = [];
const agents: Agent[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function listen(handler: FetchHandler): Promise<string> {
  const server = await serve(handler, { onError: () => undefined });
  running.push(server);
  return server.url;
}

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Answer {
  readonly status: number | undefined;
  /** Tells connections apart. */
  readonly port: number | undefined;
}

/** A client with one connection, which sends each body whole before it asks for anything else. */
function clientOf(url: string): (sent: Sent) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return ({ path = "/mcp", method = "POST", headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const all = { ...CONFORMING, ...headers, "content-length": String(Buffer.byteLength(body)) };
      const request = send(`${url}${path}`, { agent, method, headers: all }, (response) => {
        const port = response.socket.localPort;
        response.resume().on("end", () => resolve({ status: response.statusCode, port }));
      });
      request.on("error", reject).end(body);
    });
}

const GOOD = requestFor("tools/call", { name: "run" });
const CONFORMING = Object.fromEntries(GOOD.headers);
const GOOD_BODY = await GOOD.text();

const mcp = (): FetchHandler =>
  createFetchHandler(
    emptyServer().tool("run", {}, () => "ok"),
    { maxBodyBytes: 100_000, authenticate: ({ headers }) => (headers.has("x-stranger") ? REFUSAL() : null) },
  );
const REFUSAL = (): Response => new Response(null, { status: 401 });

describe("a connection whose large request was refused", () => {
  test.each<[kind: string, status: number, sent: Omit<Sent, "body">]>([
    ["for its path", 404, { path: "/wrong" }],
    ["for its method", 405, { method: "PUT" }],
    ["for its content type", 415, { headers: { "content-type": "text/plain" } }],
    ["for its declared length", 413, {}],
    ["for its origin", 403, { headers: { origin: "https://evil.test" } }],
    ["for its host", 403, { headers: { host: "evil.test" } }],
    ["for who sent it", 401, { headers: { "x-stranger": "1" } }],
  ])("%s serves the next, however large the body was", async (_kind, status, sent) => {
    const ask = clientOf(await listen(mcp()));
    const { port } = await ask({ body: GOOD_BODY });
    for (const size of [100_001, 200_000, 1_000_000, 5_000_000]) {
      expect(await ask({ ...sent, body: "x".repeat(size) })).toEqual({ status, port });
      expect(await ask({ body: GOOD_BODY })).toEqual({ status: 200, port });
    }
  });

  test("by a handler that fails serves the next, too", async () => {
    const ask = clientOf(
      await listen({
        fetch: async (request) => (request.url.endsWith("/mcp") ? new Response() : Promise.reject(new Error("broken"))),
      }),
    );
    const { status, port } = await ask({ path: "/broken", body: "x".repeat(1_000_000) });
    expect(status).toBe(500);
    expect(await ask({ body: "" })).toEqual({ status: 200, port });
  });
});

/** Declares a long body, sends the beginning of it, and nothing more. */
function beginUpload(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\nbegin`);
  return socket.setEncoding("latin1");
}

describe("a body that never ends", () => {
  test("loses its connection after the answer", async () => {
    const url = await listen({ fetch: async () => new Response("no", { status: 404 }) });
    const socket = beginUpload(url);
    let received = "";
    socket.on("data", (text: string) => (received += text));
    await new Promise((resolve) => socket.on("close", resolve));
    expect(received).toContain("HTTP/1.1 404 Not Found");
  });

  test("keeps its connection until the answer, even when the handler cancelled it long before", async () => {
    const url = await listen({
      fetch: async (request) => {
        await request.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        return new Response("no", { status: 404 });
      },
    });
    const answer = await new Promise((resolve) => beginUpload(url).on("data", resolve).on("close", resolve));
    expect(answer).toContain("HTTP/1.1 404 Not Found");
  });

  test("fails for whoever still reads it after the answer", async () => {
    let late!: Promise<unknown>;
    const url = await listen({
      fetch: async (request) => {
        late = request.text().catch((error: unknown) => error);
        return new Response();
      },
    });
    await new Promise((resolve) => beginUpload(url).on("data", resolve));
    expect(await late).toBeInstanceOf(TypeError);
  });
});

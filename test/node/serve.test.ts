import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createFetchHandler, type FetchHandler, type RequestContext } from "../../src/core.ts";
import { type RunningServer, serve, type ServeOptions } from "../../src/node/serve.ts";
import { requestFor } from "../kit/post.ts";
import { emptyServer } from "../kit/serve.ts";
import { eventsOf, readReply, textOf } from "../kit/wire.ts";
import { ChunkReader } from "../http/stream-reader.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Listens on a port of the system's choice. */
async function listen(handler: FetchHandler, options: ServeOptions = {}): Promise<string> {
  const server = await serve(handler, options);
  running.push(server);
  return server.url;
}

const answering = (fetch: (request: Request) => Response | Promise<Response>): FetchHandler => ({
  fetch: async (request) => fetch(request),
});

const mcp = (run: (ctx: RequestContext) => string | Promise<string>): FetchHandler =>
  createFetchHandler(
    emptyServer().tool("run", {}, (_args, ctx) => run(ctx)),
    { maxBodyBytes: 100_000 },
  );

/** A conforming call to the server at `url`. */
function callTo(url: string, options: Parameters<typeof requestFor>[2] = {}): Promise<Response> {
  return fetch(requestFor("tools/call", { name: "run" }, { ...options, url: `${url}/mcp` }));
}

/** What comes back for raw bytes, once the server closes or nothing more comes. */
async function exchange(url: string, bytes: string, idleMs = 200): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => (received += text));
  socket.on("error", () => undefined); // A reset is an answer too.
  socket.write(bytes, "latin1");
  await new Promise((resolve) => {
    socket.on("close", resolve);
    socket.setTimeout(idleMs, () => resolve(undefined));
  });
  socket.destroy();
  return received;
}

const statusLine = (received: string): string => received.split("\r\n", 1)[0] ?? "";

const post = (body: string): string =>
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

describe("an MCP server on node:http", () => {
  test("answers a call", async () => {
    const reply = await readReply(await callTo(await listen(mcp(() => "ok"))));
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(textOf(reply)).toBe("ok");
  });

  test("sends the first event while the handler still runs", async () => {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const url = await listen(
      mcp(async (ctx) => {
        ctx.progress(1);
        await ended;
        return "ok";
      }),
    );
    const response = await callTo(url, { progressToken: 0 });
    const reader = new ChunkReader(response);
    expect(await reader.next()).toContain("notifications/progress");
    end();
    expect(eventsOf((await reader.rest()).join(""))).toHaveLength(1);
  });

  test("cancels a call whose client goes away", async () => {
    let abort!: (reason: unknown) => void;
    const aborted = new Promise((resolve) => (abort = resolve));
    const url = await listen(
      mcp(async (ctx) => {
        ctx.progress(1);
        ctx.signal.addEventListener("abort", () => abort(ctx.signal.reason));
        await aborted;
        return "late";
      }),
    );
    const reader = new ChunkReader(await callTo(url, { progressToken: 0 }));
    await reader.next();
    await reader.cancel();
    expect(await aborted).toMatchObject({ name: "AbortError" });
  });

  test("cancels a call whose client goes away before there is any answer", async () => {
    let abort!: () => void;
    const aborted = new Promise<void>((resolve) => (abort = resolve));
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const url = await listen(
      mcp(async (ctx) => {
        ctx.signal.addEventListener("abort", abort);
        begin();
        await aborted;
        return "late";
      }),
    );
    const controller = new AbortController();
    const sent = callTo(url, { signal: controller.signal, headers: { accept: "application/json" } });
    await begun;
    controller.abort();
    await expect(sent).rejects.toThrow();
    await aborted;
  });

  test("refuses a body over the limit with 413, and the client learns of it", async () => {
    const url = await listen(mcp(() => "ok"));
    const { headers } = requestFor("tools/call", { name: "run" });
    for (const size of [100_001, 20_000_000]) {
      const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: "x".repeat(size) });
      expect(response.status).toBe(413);
      await response.text();
    }
    expect((await callTo(url)).status).toBe(200);
  });

  test("refuses an endless body with 413 and hangs up on it", async () => {
    const url = await listen(mcp(() => "ok"));
    const { headers } = requestFor("tools/call", { name: "run" });
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => (received += text));
    socket.on("error", () => undefined); // EPIPE, in the end.
    socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n${lines}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
    const pump = setInterval(() => socket.write(chunk.repeat(16)), 2);
    await new Promise((resolve) => socket.on("close", resolve));
    clearInterval(pump);
    expect(statusLine(received)).toBe("HTTP/1.1 413 Payload Too Large");
  });

  test("takes one request after the other on a connection", async () => {
    const url = await listen(answering(async (request) => new Response(await request.text())));
    const received = await exchange(url, post("first") + post("second"));
    expect(received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(received.indexOf("first")).toBeLessThan(received.indexOf("second"));
  });

  test("works through many calls at once", async () => {
    const url = await listen(mcp(async () => pause(5).then(() => "ok")));
    const replies = await Promise.all(
      Array.from({ length: 50 }, async (_, id) => readReply(await callTo(url, { id }))),
    );
    expect(replies.map(({ message }) => message?.id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
  });
});

describe("requests", () => {
  test("arrive whole: method, path, query, headers and body", async () => {
    let seen: unknown;
    const url = await listen(
      answering(async (request) => {
        seen = {
          method: request.method,
          url: request.url,
          probe: request.headers.get("x-probe"),
          connection: request.headers.get("connection"),
          body: await request.text(),
        };
        return new Response();
      }),
    );
    await fetch(`${url}/a//b?c=%2F`, { method: "PATCH", headers: { "x-probe": "é" }, body: "héllo" });
    expect(seen).toEqual({ method: "PATCH", url: `${url}/a//b?c=%2F`, probe: "é", connection: null, body: "héllo" });
  });

  test("stream in as they are sent", async () => {
    const url = await listen(answering((request) => new Response(request.body)));
    let send!: (text: string) => void;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => (text === "" ? controller.close() : controller.enqueue(new TextEncoder().encode(text)));
      },
    });
    const init = { method: "POST", body, duplex: "half" };
    const sent = fetch(url, init);
    send("ping");
    const reader = new ChunkReader(await sent);
    expect(await reader.next()).toBe("ping");
    send("");
    expect(await reader.rest()).toEqual([]);
  });

  test("that break off half-way fail where the body is read", async () => {
    let failed!: (error: unknown) => void;
    const failure = new Promise((resolve) => (failed = resolve));
    const url = await listen(
      answering(async (request) => {
        await request.text().catch(failed);
        return new Response();
      }),
    );
    await exchange(url, "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf", 20);
    expect(await failure).toBeInstanceOf(Error);
  });

  test.each<[name: string, head: string]>([
    ["no HTTP", "\u0016\u0003\u0001"],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
    ["two hosts", "GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.test\r\n\r\n"],
    ["a host with a path in it", "GET / HTTP/1.1\r\nhost: localhost/evil\r\n\r\n"],
    ["a host with a user in it", "GET / HTTP/1.1\r\nhost: evil@localhost\r\n\r\n"],
    ["a host that is none", "GET / HTTP/1.1\r\nhost: a b\r\n\r\n"],
    ["a port that is none", "GET / HTTP/1.1\r\nhost: localhost:99999\r\n\r\n"],
    ["a target without a path", "OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["a target of another scheme", "GET file:///etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["a method that fetch forbids", "TRACE / HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a header with a line feed", "GET / HTTP/1.1\r\nhost: localhost\r\nx: a\u0000b\r\n\r\n"],
  ])("with %s are refused, and the next is served", async (_, head) => {
    let reached = 0;
    const url = await listen(answering(() => new Response(String((reached += 1)))));
    expect(statusLine(await exchange(url, head))).toBe("HTTP/1.1 400 Bad Request");
    expect(reached).toBe(0);
    expect(await (await fetch(url)).text()).toBe("1");
  });

  test("to a whole URL are for that URL", async () => {
    const url = await listen(answering((request) => new Response(request.url)));
    const head = "GET http://localhost/x HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    expect(await exchange(url, head)).toContain("http://localhost/x");
  });

  test("whose path begins with two slashes stay on this host", async () => {
    const url = await listen(answering((request) => new Response(request.url)));
    const head = "GET //evil.test/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    expect(await exchange(url, head)).toContain("http://localhost//evil.test/x");
  });
});

describe("responses", () => {
  test("keep their status, headers and repeated cookies, without those of a connection", async () => {
    const headers = new Headers({
      "x-own": "1",
      connection: "x",
      "keep-alive": "timeout=1",
      "transfer-encoding": "gzip",
    });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    const url = await listen(answering(() => new Response("body", { status: 418, headers })));
    const received = await exchange(url, "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(statusLine(received)).toContain("418");
    expect(received).toContain("x-own: 1\r\n");
    expect(received).toContain("set-cookie: a=1\r\nset-cookie: b=2\r\n");
    expect(received).not.toMatch(/connection: x|timeout=1\r|gzip/i);
  });

  test("to HEAD have headers and no body", async () => {
    let cancelled = false;
    const body = (): ReadableStream<Uint8Array> => new ReadableStream({ cancel: () => void (cancelled = true) });
    const url = await listen(
      answering(() => new Response(body(), { headers: { "content-type": "text/event-stream" } })),
    );
    const received = await exchange(url, "HEAD / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    expect(received.endsWith("\r\n\r\n")).toBe(true);
    expect(received).toContain("text/event-stream");
    expect(cancelled).toBe(true);
  });

  test("without a body end at once", async () => {
    const url = await listen(answering(() => new Response(null, { status: 204 })));
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  test("are pulled no faster than the client reads", async () => {
    let pulled = 0;
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream(
        {
          pull(controller) {
            pulled += 1;
            controller.enqueue(new Uint8Array(65_536));
          },
        },
        { highWaterMark: 0 },
      );
    const url = await listen(answering(() => new Response(body())));
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    socket.pause();
    await pause(300);
    const before = pulled;
    await pause(100);
    expect(pulled).toBe(before); // The buffers of two sockets are full, and nothing more is made.
    socket.destroy();
  });

  test("that fail half-way are broken off, so that nobody takes them for whole", async () => {
    const errors: unknown[] = [];
    const failure = new Error("half-way");
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode("half"));
          controller.error(failure);
        },
      });
    const url = await listen(
      answering(() => new Response(body())),
      { onError: (error) => errors.push(error) },
    );
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    expect(errors).toEqual([failure]);
  });

  test("that never come because a handler fails are 500 without any detail", async () => {
    const errors: unknown[] = [];
    const url = await listen(
      answering(() => Promise.reject(new Error("secret"))),
      { onError: (error) => errors.push(error) },
    );
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([500, ""]);
    expect(errors).toHaveLength(1);
  });
});

const from = async (url: string, host: string): Promise<string> =>
  statusLine(await exchange(url, `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`));

describe("host names", () => {
  const hello = answering(() => new Response("hello"));

  test.each(["localhost", "localhost:1", "127.0.0.1", "[::1]", "LOCALHOST"])(
    "%s is one of this machine",
    async (host) => {
      expect(await from(await listen(hello), host)).toBe("HTTP/1.1 200 OK");
    },
  );

  test.each(["evil.test", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "localhost."])(
    "%s is refused by a server on a loopback address, because only a re-pointed name leads there",
    async (host) => {
      expect(await from(await listen(hello), host)).toBe("HTTP/1.1 403 Forbidden");
    },
  );

  test("a whole URL in place of the path does not get around that", async () => {
    const head = "GET http://evil.test/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    expect(statusLine(await exchange(await listen(hello), head))).toBe("HTTP/1.1 403 Forbidden");
  });

  test("a server that other machines can reach answers to any", async () => {
    const url = await listen(hello, { hostname: "0.0.0.0" });
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(await from(url.replace("localhost", "127.0.0.1"), "any.test")).toBe("HTTP/1.1 200 OK");
  });
});

describe("closing", () => {
  test("waits for work that outlives the replies, and for what that work adds", async () => {
    const done: string[] = [];
    const handler: FetchHandler = {
      fetch: async (_request, _env, runtime) => {
        const work = pause(20).then(() => {
          done.push("first");
          return runtime?.waitUntil?.(pause(20).then(() => done.push("second")));
        });
        runtime?.waitUntil?.(work);
        return new Response();
      },
    };
    const server = await serve(handler);
    await (await fetch(server.url)).text();
    await server.close();
    expect(done).toEqual(["first", "second"]);
  });

  test("is not held up by failing work", async () => {
    const errors: unknown[] = [];
    const handler: FetchHandler = {
      fetch: async (_request, _env, runtime) => {
        runtime?.waitUntil?.(Promise.reject(new Error("late")));
        return new Response();
      },
    };
    const server = await serve(handler, { onError: (error) => errors.push(error) });
    await (await fetch(server.url)).text();
    await server.close();
    expect(errors).toHaveLength(1);
  });

  test("ends streams that would go on for ever, and cancels their calls", async () => {
    let cancelled = false;
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: () => void (cancelled = true),
      });
    const server = await serve(answering(() => new Response(body())));
    const response = await fetch(server.url);
    const read = response.arrayBuffer().catch((error: unknown) => error);
    await server.close();
    expect(await read).toBeInstanceOf(Error);
    await expect.poll(() => cancelled).toBe(true);
  });

  test("lets a running reply end", async () => {
    const server = await serve(answering(async () => pause(50).then(() => new Response("whole"))));
    const sent = fetch(server.url);
    await pause(20);
    await server.close();
    expect(await (await sent).text()).toBe("whole");
  });

  test("takes no more requests", async () => {
    const server = await serve(answering(() => new Response()));
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test("a port that is taken is an error of serve()", async () => {
    const url = await listen(answering(() => new Response()));
    await expect(
      serve(
        answering(() => new Response()),
        { port: Number(new URL(url).port) },
      ),
    ).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  test("env reaches the handler", async () => {
    const handler: FetchHandler<{ KEY: string }> = { fetch: async (_request, env) => new Response(env?.KEY) };
    const server = await serve(handler, { env: { KEY: "k" } });
    expect(await (await fetch(server.url)).text()).toBe("k");
    await server.close();
  });
});

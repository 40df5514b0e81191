/**
 * `serve`: a fetch handler behind `node:http`.
 *
 * Bodies stream both ways with back-pressure, a client that goes away aborts `request.signal` and cancels the response
 * body, and `close()` waits for what handlers passed to `waitUntil`. A request's body can be read until its response is
 * sent; what is left then is thrown away, so that the connection can carry the next request. TLS, compression and static
 * files are the business of whatever stands in front.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FetchHandler } from "../http/fetch-handler.ts";
import { isAllowedHost } from "../http/origin.ts";

export interface ServeOptions<Env = unknown> {
  /** Default 0: any free port. */
  port?: number;
  /** The address to listen on. Default `127.0.0.1`, which other machines cannot reach. */
  hostname?: string;
  /** What handlers find in `ctx.env`. */
  env?: Env;
  /** Told of a handler that rejects, which `createFetchHandler` never does. Default `console.error`. */
  onError?: (error: unknown) => void;
}

export interface RunningServer {
  /** `http://host:port`, without a path. */
  readonly url: string;
  /** Takes no more requests, lets running ones end for a second, and waits for their background work. */
  close(): Promise<void>;
}

/** How long a request may take to arrive as a whole. Node's own default is five minutes. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long `close()` lets replies run on. An event stream may never end by itself. */
const CLOSE_GRACE_MS = 1_000;
/** How long after the answer the rest of a body is thrown away. Many clients read no answer before they have sent it all. */
const LINGER_MS = 1_000;

/** Resolves once connections are accepted. @throws what listening throws, such as EADDRINUSE */
export async function serve<Env = unknown>(
  handler: FetchHandler<Env>,
  { port = 0, hostname = "127.0.0.1", env, onError = console.error }: ServeOptions<Env> = {},
): Promise<RunningServer> {
  const background = new Set<Promise<unknown>>();
  const runtime = {
    waitUntil(work: Promise<unknown>): void {
      const settled = work.catch(onError).finally(() => background.delete(settled));
      background.add(settled);
    },
  };
  let bound = "";
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (incoming, outgoing) => {
    answer(incoming, outgoing, (request) => {
      // Against DNS rebinding. Only here is it known that nothing but this machine can have meant this server.
      if (isLoopback(bound) && !isAllowedHost(request.url, "loopback") && hostnameOf(request.url) !== bound) {
        return new Response("This server does not answer to that host name\n", { status: 403 });
      }
      return handler.fetch(request, env, runtime);
    }).catch((error: unknown) => {
      onError(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    });
  });
  server.listen(port, hostname);
  await once(server, "listening"); // Rejects on "error".
  const address = server.address() as AddressInfo; // A string only for pipes.
  bound = address.address;
  const name = address.family === "IPv6" ? `[${bound}]` : bound;
  return {
    url: `http://${isAnyAddress(bound) ? "localhost" : name}:${address.port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearTimeout(impatient);
      while (background.size > 0) await Promise.all(background);
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Response | Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const request = toRequest(incoming, outgoing, gone.signal);
  if (request === undefined) return void outgoing.writeHead(400, { connection: "close" }).end();
  await write(await handle(request), outgoing);
}

/** Undefined for a target, host or method that no `Request` can have. */
function toRequest(incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Request | undefined {
  const { method = "GET", rawHeaders } = incoming;
  const url = urlOf(incoming);
  if (url === undefined) return undefined;
  const hasBody = method !== "GET" && method !== "HEAD";
  try {
    const headers = new Headers();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
      if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, value);
    }
    const init = { method, headers, signal, ...(hasBody && { body: bodyOf(incoming, outgoing), duplex: "half" }) };
    return new Request(url, init);
  } catch {
    return undefined;
  }
}

/** RFC 9110 section 7.6.1: these concern one connection, and Node sets its own. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A name or address, and maybe a port: nothing that would move the boundary between host and path. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d*)?$/i;

function urlOf({ url: target = "", headersDistinct }: IncomingMessage): string | undefined {
  const [host = "", ...others] = headersDistinct["host"] ?? [];
  if (others.length > 0 || !HOST.test(host)) return undefined;
  // RFC 9112 section 3.2: a path, or a whole URL, which then counts instead of Host.
  const url = target.startsWith("/") ? `http://${host}${target}` : target;
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/**
 * `Readable.toWeb` would destroy the socket when a handler cancels the body, and with it the answer that says why. Here
 * the rest is thrown away instead, and so it is when a handler answers without reading on: a body that stays unread holds
 * up every later request of its connection.
 */
function bodyOf(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  let cut = ignore;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const take = (chunk: Buffer): void => {
          incoming.pause();
          controller.enqueue(chunk);
        };
        const end = (): void => controller.close();
        const fail = (error: unknown): void => controller.error(error); // ECONNRESET, when the client goes away half-way.
        incoming.on("data", take).on("end", end).on("error", fail).pause();
        cut = () => void incoming.off("data", take).off("end", end).off("error", fail).on("error", ignore).resume();
        outgoing.once("finish", () => {
          if (incoming.complete) return; // All of it is here, and holds up nothing.
          cut();
          controller.error(new TypeError("The response was sent before the request's body was read"));
          setTimeout(() => incoming.complete || incoming.destroy(), LINGER_MS).unref();
        });
      },
      pull: () => void incoming.resume(),
      cancel: () => cut(),
    },
    { highWaterMark: 0 },
  );
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  const { body, headers, status } = response;
  outgoing.statusCode = status;
  for (const [name, value] of headers) if (!HOP_BY_HOP.has(name)) outgoing.appendHeader(name, value);
  if (body === null || outgoing.req.method === "HEAD") {
    await body?.cancel();
    outgoing.end();
    return;
  }
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(ignore));
  outgoing.flushHeaders(); // A stream may say nothing for a while.
  for (let chunk = await reader.read(); !chunk.done && !outgoing.destroyed; chunk = await reader.read()) {
    if (!outgoing.write(chunk.value)) await roomOrEnd(outgoing);
  }
  outgoing.end();
}

/** "drain" never comes once the client is gone. */
function roomOrEnd(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
    if (outgoing.destroyed) done();
  });
}

function hostnameOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");
}

function isAnyAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

function ignore(): void {
  // Errors of a connection that nobody is interested in any more.
}

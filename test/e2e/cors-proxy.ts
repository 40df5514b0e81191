/**
 * CORS in front of a server that knows nothing of it: what its operator would put there to let pages in. Everything else
 * passes as it is, streams as they come.
 */
import { createServer, request } from "node:http";

export interface CorsProxy {
  /** The endpoint for pages. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param target an endpoint on loopback */
export async function startCorsProxy(target: string): Promise<CorsProxy> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const asked = incoming.headers["access-control-request-headers"] ?? "*";
    outgoing.setHeader("access-control-allow-origin", "*");
    outgoing.setHeader("access-control-allow-methods", "GET, POST, DELETE");
    outgoing.setHeader("access-control-allow-headers", asked);
    outgoing.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate, retry-after");
    if (incoming.method === "OPTIONS") return void outgoing.writeHead(204).end();
    const { origin: _origin, ...headers } = incoming.headers;
    const { method } = incoming;
    const path = incoming.url ?? pathname;
    const onward = request(
      { hostname, port, path, method, headers: { ...headers, host: `${hostname}:${port}` } },
      (reply) => {
        for (const [name, value] of Object.entries(reply.headers))
          if (value !== undefined && !name.startsWith("access-control-")) outgoing.setHeader(name, value);
        outgoing.writeHead(reply.statusCode ?? 502);
        outgoing.flushHeaders();
        reply.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}${pathname}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Signing in from a program on somebody's own machine: a listener on loopback receives the authorization response.
 *
 * @see RFC 8252 section 7.3
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Interaction } from "../client/oauth/interaction.ts";

export interface LoopbackRedirectOptions {
  /** Shows the URL to the person. Default: opens the system's browser. */
  openUrl?: (url: string) => Promise<void> | void;
  /** Default: any free one. Fix it for authorization servers that compare redirect URIs with their port. */
  port?: number;
  /** Default `/callback`. */
  path?: string;
}

const PAGE = "<!doctype html><meta charset=utf-8><title>Signed in</title><p>You can close this window.</p>";
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  // The address holds the code.
  "referrer-policy": "no-referrer",
  connection: "close",
};

export function loopbackRedirect(options: LoopbackRedirectOptions = {}): Interaction {
  const { openUrl = openInBrowser, port = 0, path = "/callback" } = options;
  return {
    async open() {
      const server = createServer();
      // Never the name: `localhost` can lead to another interface than the one listened on.
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      if (typeof address !== "object" || address === null) throw new TypeError("The listener has no port");
      const redirectUri = `http://127.0.0.1:${address.port}${path}`;
      return {
        redirectUri,
        async authorize(url, signal) {
          const response = callback(server, redirectUri, { state: url.searchParams.get("state"), signal });
          // What opens a browser may run for as long as the browser does.
          const opening = Promise.resolve(url.href).then(openUrl);
          return Promise.race([response, opening.then(() => response)]);
        },
        close() {
          server.close();
          server.closeAllConnections();
        },
      };
    },
  };
}

/** The first request to the redirect URI that carries this flow's state; whatever else knocks is turned away. */
function callback(
  server: Server,
  redirectUri: string,
  { state, signal }: { state: string | null; signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    server.on("request", (request, response) => {
      const url = new URL(redirectUri);
      // A request target is a path and a query, whatever else a client writes there.
      url.search = /\?(.*)$/.exec(request.url ?? "")?.[1] ?? "";
      const isCallback =
        request.method === "GET" &&
        request.url?.split("?", 1)[0] === url.pathname &&
        url.searchParams.get("state") === state;
      response.writeHead(isCallback ? 200 : 404, HEADERS);
      response.end(isCallback ? PAGE : "", () => {
        if (isCallback) resolve(url.href);
      });
    });
  });
}

/** The URL is an argument of its own, never part of a command line. */
function openInBrowser(url: string): Promise<void> {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", url]
        : ["xdg-open", url];
  return new Promise((resolve, reject) => {
    execFile(command ?? "", args, (error) => {
      if (error === null) resolve();
      else reject(new Error("Cannot open a browser", { cause: error }));
    });
  });
}

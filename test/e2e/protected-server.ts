/**
 * An MCP server that wants a token, and the authorization server that issues them, for pages of any origin: two origins on
 * loopback. Whoever comes to the authorization server has a page with a button before them.
 */
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { serve } from "../../src/node/serve.ts";

export interface ProtectedServer {
  /** The endpoint of the MCP server. */
  readonly url: string;
  /** Of the authorization server. */
  readonly issuer: string;
  /** What the authorization server was asked for, in order: method and path, or `grant <type> by <client>`. */
  readonly log: string[];
  /** Whether clients may register themselves. */
  registers: boolean;
  /** Makes all tokens that were issued worthless. */
  forget(): void;
  stop(): Promise<void>;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-expose-headers": "www-authenticate",
};

export async function startProtectedServer(): Promise<ProtectedServer> {
  const tokens = new Set<string>();
  const log: string[] = [];
  const mcp = new McpServer({ name: "secret keeper", version: "1.0.0" });
  mcp.tool("whisper", { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }, () => "the secret");
  const handler = createFetchHandler(mcp, { allowedOrigins: ["loopback"] });
  const authority = await serve({
    fetch: (request) => issue(request, { tokens, log, registers: () => running.registers }),
  });
  const resource = await serve({
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/.well-known/oauth-protected-resource/mcp")
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [authority.url] }, { headers: CORS });
      const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
      if (request.method === "POST" && !tokens.has(token)) {
        const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        return new Response(null, { status: 401, headers: { ...CORS, "www-authenticate": challenge } });
      }
      return handler.fetch(request);
    },
  });
  const running: ProtectedServer = {
    url: `${resource.url}/mcp`,
    issuer: authority.url,
    log,
    registers: true,
    forget: () => tokens.clear(),
    async stop() {
      await Promise.all([authority.close(), resource.close()]);
    },
  };
  return running;
}

interface Authority {
  readonly tokens: Set<string>;
  readonly log: string[];
  readonly registers: () => boolean;
}

async function issue(request: Request, { tokens, log, registers }: Authority): Promise<Response> {
  const { pathname, searchParams, origin } = new URL(request.url);
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
  log.push(`${request.method} ${pathname}`);
  switch (pathname) {
    case "/.well-known/oauth-authorization-server":
      return Response.json(metadata(origin, registers()), { headers: CORS });
    case "/register":
      return Response.json({ client_id: "registered" }, { status: 201, headers: CORS });
    case "/authorize":
      return new Response(consent(searchParams, origin), { headers: { "content-type": "text/html" } });
    case "/token": {
      const form = new URLSearchParams(await request.text());
      log.push(`grant ${form.get("grant_type")} by ${form.get("client_id")}`);
      const token = `token-${log.length}`;
      tokens.add(token);
      return Response.json(
        { access_token: token, token_type: "Bearer", expires_in: 3_600, refresh_token: "again" },
        { headers: CORS },
      );
    }
    default:
      return new Response(null, { status: 404, headers: CORS });
  }
}

function metadata(issuer: string, registers: boolean): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...(registers && { registration_endpoint: `${issuer}/register` }),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

function consent(params: URLSearchParams, issuer: string): string {
  const back = new URL(params.get("redirect_uri") ?? "");
  back.search = new URLSearchParams({ code: "c", state: params.get("state") ?? "", iss: issuer }).toString();
  const href = back.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html><html lang="en"><title>Sign in</title><link rel="icon" href="data:,"><a href="${href}">Allow</a></html>`;
}

/**
 * Authorization servers and protected MCP servers that live in this process, behind a `fetch`.
 */
import type { AuthProvider, SignedRequest } from "../../../src/client/auth-provider.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";

export interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Of a form body. */
  readonly form: URLSearchParams;
  readonly body: string;
}

type Handler = (seen: Seen) => Response | Promise<Response>;

export class FakeNetwork {
  readonly seen: Seen[] = [];
  readonly #routes = new Map<string, Handler>();

  /** Answers requests for a URL without its query; the last handler counts. */
  on(url: string, handler: Handler): this {
    this.#routes.set(url, handler);
    return this;
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const body = typeof init.body === "string" ? init.body : "";
    const headers = new Headers(init.headers);
    const seen: Seen = { method: init.method ?? "GET", url, headers, body, form: new URLSearchParams(body) };
    this.seen.push(seen);
    const handler = this.#routes.get(`${url.origin}${url.pathname}`);
    return handler === undefined ? new Response("Not here", { status: 404 }) : handler(seen);
  };

  /** What was asked of a URL. */
  to(url: string): Seen[] {
    return this.seen.filter((seen) => `${seen.url.origin}${seen.url.pathname}` === url);
  }

  /** Everything that was asked, in order. */
  get log(): string[] {
    return this.seen.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`);
  }
}

export interface FakeIssuer {
  readonly issuer: string;
  /** Tokens that are good, with their scopes. */
  readonly tokens: Map<string, string>;
  /** Merged into each token response. */
  extra: JsonObject;
  /** Merged into the response to an authorization request; an undefined value takes a parameter away. */
  callback: Record<string, string | undefined>;
  metadata: JsonObject;
}

/** An authorization server that grants whatever it is asked for. */
export function fakeIssuer(network: FakeNetwork, issuer: string, metadata: JsonObject = {}): FakeIssuer {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const fake: FakeIssuer = {
    issuer,
    tokens: new Map(),
    extra: {},
    callback: {},
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...metadata,
    },
  };
  let count = 0;
  network.on(`${origin}/.well-known/oauth-authorization-server${path}`, () => Response.json(fake.metadata));
  network.on(`${issuer}/register`, () => Response.json({ client_id: `client-${++count}` }, { status: 201 }));
  network.on(`${issuer}/authorize`, ({ url }) => {
    const location = new URL(url.searchParams.get("redirect_uri") ?? "");
    const params = {
      code: `code-${++count}`,
      state: url.searchParams.get("state") ?? "",
      iss: issuer,
      ...fake.callback,
    };
    for (const [name, value] of Object.entries(params)) if (value !== undefined) location.searchParams.set(name, value);
    fake.tokens.set("asked", url.searchParams.get("scope") ?? "");
    return new Response(null, { status: 302, headers: { location: location.href } });
  });
  network.on(`${issuer}/token`, () => {
    const token = `token-${++count}-of-${origin}`;
    fake.tokens.set(token, fake.tokens.get("asked") ?? "");
    return Response.json({ access_token: token, token_type: "Bearer", expires_in: 3600, ...fake.extra });
  });
  return fake;
}

export const SERVER = "https://mcp.test/api/mcp";
export const RESOURCE_METADATA = "https://mcp.test/.well-known/oauth-protected-resource/api/mcp";

export interface FakeServer {
  issuers: FakeIssuer[];
  /** What calls need. */
  scope: string | undefined;
  metadata: JsonObject;
}

/** An MCP server that takes the tokens of its issuers, if they have the scope. */
export function fakeServer(network: FakeNetwork, ...issuers: FakeIssuer[]): FakeServer {
  const server: FakeServer = { issuers, scope: undefined, metadata: {} };
  network.on(RESOURCE_METADATA, () =>
    Response.json({
      resource: SERVER,
      authorization_servers: server.issuers.map(({ issuer }) => issuer),
      ...server.metadata,
    }),
  );
  network.on(SERVER, ({ headers }) => {
    const token = headers.get("authorization")?.replace(/^\w+ /, "") ?? "";
    const scopes = server.issuers.map(({ tokens }) => tokens.get(token)).find((granted) => granted !== undefined);
    if (scopes === undefined) return challenge(401, server.scope);
    if (server.scope !== undefined && !scopes.split(" ").includes(server.scope)) return challenge(403, server.scope);
    return Response.json({ ok: true });
  });
  return server;
}

function challenge(status: 401 | 403, scope: string | undefined): Response {
  const params = [`resource_metadata="${RESOURCE_METADATA}"`];
  if (scope !== undefined) params.push(`scope="${scope}"`);
  if (status === 403) params.push(`error="insufficient_scope"`);
  return new Response(null, { status, headers: { "www-authenticate": `Bearer ${params.join(", ")}` } });
}

/** Sends a request as the client does: three times at most. */
export async function send(
  network: FakeNetwork,
  provider: AuthProvider,
  { signal, url = SERVER }: { signal?: AbortSignal; url?: string } = {},
): Promise<number> {
  const request: SignedRequest = { url, method: "POST", signal };
  for (let attempt = 1; ; attempt++) {
    const headers = { ...(await provider.headers(request)) };
    const response = await network.fetch(url, { method: "POST", headers });
    const isRefused = response.status === 401 || response.status === 403;
    if (!isRefused) provider.responded?.(response);
    if (!isRefused || attempt === 3 || !(await provider.challenged(response, request))) return response.status;
  }
}

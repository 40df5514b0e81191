/**
 * The authorization request and the judgement of its response, without I/O.
 *
 * @see spec 2026-07-28 basic/authorization#authorization-response-validation
 * @see RFC 6749 section 4.1, RFC 7636, RFC 8707, RFC 9207
 */
import { McpError } from "../../protocol/errors.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { parseUrl } from "./endpoint-url.ts";
import { scopeParam } from "./grant.ts";
import { sha256 } from "./pkce.ts";
import type { PendingFlow } from "./store.ts";
import { refusal } from "./token-endpoint.ts";

/**
 * @param trusted whether this client's maker named the issuer, rather than the MCP server alone
 * @throws {McpError} `pkce_unsupported`, `issuer_mismatch`, `unauthorized`
 */
export function assertFitForCode(server: AuthorizationServer, trusted: boolean): URL {
  const { authorizationEndpoint: endpoint, tokenEndpoint } = server;
  if (endpoint === undefined)
    throw new McpError("unauthorized", "The authorization server has no authorization endpoint");
  // MUST — security-considerations#authorization-code-protection: a missing list means no PKCE.
  if (!server.challengeMethods.includes("S256")) {
    throw new McpError("pkce_unsupported", "The authorization server does not support PKCE (S256)");
  }
  // Our choice, against mix-up: someone else's authorization endpoint beside an own token endpoint is how codes are stolen, and
  // only `iss` in the response would tell.
  if (!trusted && !server.sendsIssuer && endpoint.origin !== tokenEndpoint.origin) {
    throw new McpError("issuer_mismatch", "The authorization server's endpoints are of different origins");
  }
  return endpoint;
}

export async function authorizationUrl(endpoint: URL, state: string, flow: PendingFlow): Promise<URL> {
  const url = new URL(endpoint);
  const scope = scopeParam(flow.scopes);
  const params: Record<string, string | undefined> = {
    response_type: "code",
    client_id: flow.clientId,
    redirect_uri: flow.redirectUri,
    state,
    code_challenge: await sha256(flow.verifier),
    code_challenge_method: "S256",
    resource: flow.resource,
    scope,
    // OpenID Connect section 11: offline access is only given with the person's consent.
    prompt: flow.scopes?.includes("offline_access") === true ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  url.hash = "";
  return url;
}

/** Parameters that count only if there is one of them. */
const SINGLE = ["state", "iss", "code", "error"];

/** @throws {McpError} `state_mismatch`, `issuer_mismatch`, or `unauthorized` with what the server said */
export function readCode(callbackUrl: string, state: string, flow: PendingFlow): string {
  const params = parseUrl(callbackUrl)?.searchParams ?? new URLSearchParams();
  if (params.get("state") !== state || SINGLE.some((name) => params.getAll(name).length > 1)) {
    throw new McpError("state_mismatch", "The authorization response belongs to another request");
  }
  const iss = params.get("iss");
  // MUST — compared as strings, before anything else of the response is looked at or shown.
  if (iss === null ? flow.sendsIssuer : iss !== flow.issuer) {
    throw new McpError("issuer_mismatch", "The authorization response comes from another issuer");
  }
  const code = params.get("code");
  if (params.has("error")) {
    const json = { error: params.get("error"), error_description: params.get("error_description") };
    throw refusal({ status: 200, json }, "The authorization server");
  }
  if (code === null || code === "") throw new McpError("invalid_response", "The authorization response holds no code");
  return code;
}

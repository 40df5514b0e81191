/**
 * Tokens without a person in front of the client: for services, and for workloads and employees whom somebody else vouches
 * for. Each is bound to the issuer that it was set up with.
 *
 * @see spec extensions/auth/oauth-client-credentials, extensions/auth/enterprise-managed-authorization
 * @see RFC 6749 section 4.4, RFC 7523, RFC 8693
 */
import { McpError } from "../../protocol/errors.ts";
import { discoverAuthorizationServer } from "./authorization-server.ts";
import { type OAuthClient, secretClient } from "./client-authentication.ts";
import { secureUrl } from "./endpoint-url.ts";
import { boundTo, type Grant, type GrantContext, scopeParam } from "./grant.ts";
import { postTokenRequest, requestTokens, type TokenParams } from "./token-endpoint.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

export interface ServiceOptions {
  /** The authorization server at which the client is registered. No other one is sent anything. */
  issuer: string;
  /** `secretClient(…)` or `keyClient(…)`. */
  client: OAuthClient;
}

function serviceGrant(
  { issuer, client }: ServiceOptions,
  params: (context: GrantContext) => TokenParams | Promise<TokenParams>,
): Grant {
  return {
    pickIssuer: (listed) => boundTo([issuer], listed),
    async obtain(context) {
      const { resource } = context;
      const common = { resource, scope: scopeParam(context.scopes) };
      const tokens = await requestTokens(context, client, { ...common, ...(await params(context)) });
      return { ...tokens, clientId: client.clientId };
    },
    refresher: (_context, clientId) => Promise.resolve(clientId === client.clientId ? client : undefined),
  };
}

/** A service on its own behalf. */
export function clientCredentials(options: ServiceOptions): Grant {
  return serviceGrant(options, () => ({ grant_type: "client_credentials" }));
}

export interface WorkloadOptions extends ServiceOptions {
  /** Gets a JWT with which the platform vouches for the workload, made for this audience. Asked for each token. */
  assertion: (audience: { readonly issuer: string; readonly resource: string }) => Promise<string>;
}

/** A workload with an identity of its platform (workload identity federation). */
export function workloadIdentity(options: WorkloadOptions): Grant {
  return serviceGrant(options, async ({ server: { issuer }, resource }) => ({
    grant_type: JWT_BEARER,
    assertion: await options.assertion({ issuer, resource }),
  }));
}

export interface EnterpriseOptions extends ServiceOptions {
  /** The enterprise's identity provider, and this client as it is known there. */
  identityProvider: { issuer: string; clientId: string; clientSecret?: string };
  /** What the identity provider issued when the person signed in. Asked for each token. */
  subjectToken: () => Promise<string>;
  /** Default an OpenID Connect ID token. */
  subjectTokenType?: "urn:ietf:params:oauth:token-type:id_token" | "urn:ietf:params:oauth:token-type:saml2";
}

/** An employee whom the enterprise's identity provider vouches for (enterprise-managed authorization). */
export function enterpriseManaged(options: EnterpriseOptions): Grant {
  return serviceGrant(options, async (context) => ({
    grant_type: JWT_BEARER,
    assertion: await exchange(context, options),
  }));
}

/** Trades the identity assertion for one that the MCP server's authorization server takes. */
async function exchange(context: GrantContext, options: EnterpriseOptions): Promise<string> {
  // The identity provider is named by this client's maker, and may well live inside the enterprise's network.
  const inside = { ...context, guard: secureUrl };
  const server = await discoverAuthorizationServer(inside, options.identityProvider.issuer);
  const client = secretClient(options.identityProvider);
  const json = await postTokenRequest({ ...inside, server, dpop: undefined }, client, {
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    audience: context.server.issuer,
    resource: context.resource,
    scope: scopeParam(context.scopes),
    subject_token: await options.subjectToken(),
    subject_token_type: options.subjectTokenType ?? "urn:ietf:params:oauth:token-type:id_token",
  });
  const assertion = json["access_token"];
  if (json["issued_token_type"] !== ID_JAG || typeof assertion !== "string" || assertion === "") {
    throw new McpError("invalid_response", "The identity provider sent no identity assertion grant");
  }
  return assertion;
}

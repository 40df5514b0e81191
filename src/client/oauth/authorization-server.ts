/**
 * Reads the metadata of an authorization server.
 *
 * @see spec 2026-07-28 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
 * @see RFC 8414, OpenID Connect Discovery 1.0
 */
import { clip, McpError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/types.ts";
import type { UrlGuard } from "./endpoint-url.ts";
import { type Discovery, firstDocument, isStrings } from "./resource-metadata.ts";

export interface AuthorizationServer {
  readonly issuer: string;
  readonly tokenEndpoint: URL;
  readonly authorizationEndpoint: URL | undefined;
  readonly registrationEndpoint: URL | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly authMethods: readonly string[] | undefined;
  readonly challengeMethods: readonly string[];
  readonly dpopAlgorithms: readonly string[];
  /** Whether it names itself in authorization responses. */
  readonly sendsIssuer: boolean;
  /** Whether it reads client ID metadata documents. */
  readonly readsClientDocuments: boolean;
}

/** MUST, in this order: RFC 8414, then OpenID Connect, whose documents lie in two places when the issuer has a path. */
export function serverMetadataUrls(issuer: URL): string[] {
  const { origin } = issuer;
  const path = issuer.pathname.replace(/\/$/, "");
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** @throws {McpError} `discovery_failed`, `issuer_mismatch`, `invalid_response` and what requests throw */
export async function discoverAuthorizationServer(discovery: Discovery, issuer: string): Promise<AuthorizationServer> {
  const url = discovery.guard(issuer, "The issuer");
  const document = await firstDocument(discovery, serverMetadataUrls(url), "authorization server metadata");
  if (document === undefined) {
    throw new McpError("discovery_failed", `No authorization server metadata at ${clip(url.host)}`);
  }
  // MUST — identical as strings: a trailing slash makes another issuer.
  if (document["issuer"] !== issuer) {
    throw new McpError("issuer_mismatch", `The metadata at ${clip(url.host)} are those of another issuer`);
  }
  return readServer(document, issuer, discovery.guard);
}

function readServer(document: JsonObject, issuer: string, guard: UrlGuard): AuthorizationServer {
  const endpoint = (name: string): URL | undefined =>
    document[name] === undefined ? undefined : guard(document[name], `The ${name}`);
  const strings = (name: string): readonly string[] | undefined => {
    const value = document[name];
    return isStrings(value) ? value : undefined;
  };
  return {
    issuer,
    tokenEndpoint: guard(document["token_endpoint"], "The token_endpoint"),
    authorizationEndpoint: endpoint("authorization_endpoint"),
    registrationEndpoint: endpoint("registration_endpoint"),
    scopes: strings("scopes_supported"),
    authMethods: strings("token_endpoint_auth_methods_supported"),
    challengeMethods: strings("code_challenge_methods_supported") ?? [],
    dpopAlgorithms: strings("dpop_signing_alg_values_supported") ?? [],
    sendsIssuer: document["authorization_response_iss_parameter_supported"] === true,
    readsClientDocuments: document["client_id_metadata_document_supported"] === true,
  };
}

/**
 * Which client to be at an authorization server.
 *
 * @see spec 2026-07-28 basic/authorization/client-registration
 */
import { McpError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { type OAuthClient, type SecretMethod, secretClient } from "./client-authentication.ts";
import { isLoopback, secureUrl } from "./endpoint-url.ts";
import type { GrantContext } from "./grant.ts";
import { requestJson } from "./json-request.ts";
import { type OAuthStore, readRecord, type StoredClient } from "./store.ts";
import { refusal, type TokenContext } from "./token-endpoint.ts";

/** The ways in which this client can be known. The first that fits is taken, in this order. */
export interface ClientIdentity {
  /** Registered beforehand, each at the issuer that knows it. */
  registered?: readonly RegisteredClient[];
  /** Where this client publishes its metadata: an `https:` URL with a path, which is its id at every issuer that reads such. */
  metadataUrl?: string;
  /** Metadata for dynamic registration, `client_name` above all. Absent: this client does not register itself. */
  dynamic?: JsonObject;
}

export interface RegisteredClient {
  issuer: string;
  clientId: string;
  clientSecret?: string;
  method?: SecretMethod;
}

/** @throws {McpError} `unauthorized` when the server takes none of the ways, `insecure_url`, and what requests throw */
export async function chooseClient(
  context: GrantContext,
  identity: ClientIdentity,
  redirectUri: string,
): Promise<OAuthClient> {
  const { server, store, now } = context;
  const known = knownClient(context, identity);
  if (known !== undefined) return secretClient(known);
  if (identity.dynamic === undefined || server.registrationEndpoint === undefined) {
    throw new McpError("unauthorized", "The authorization server registers no clients like this");
  }
  const kept = await readClient(store, server.issuer);
  if (kept?.redirectUri === redirectUri && (kept.expiresAt ?? Infinity) > now()) return secretClient(kept);
  const client = await register(context, identity.dynamic, redirectUri);
  // Tokens of other servers of this issuer may be bound to the one that is replaced.
  await store.set(clientKey(server.issuer, client.clientId), client);
  await store.set(clientKey(server.issuer), client);
  return secretClient(client);
}

/** The client that holds a refresh token, which no other one can use. */
export async function findClient(
  context: GrantContext,
  identity: ClientIdentity,
  clientId: string,
): Promise<OAuthClient | undefined> {
  const candidates = [knownClient(context, identity), await readClient(context.store, context.server.issuer, clientId)];
  const found = candidates.find((candidate) => candidate?.clientId === clientId);
  return found === undefined ? undefined : secretClient(found);
}

function knownClient(
  { server }: TokenContext,
  { registered, metadataUrl }: ClientIdentity,
): { clientId: string; clientSecret?: string; method?: SecretMethod } | undefined {
  const client = registered?.find(({ issuer }) => issuer === server.issuer);
  if (client !== undefined) return client;
  if (metadataUrl === undefined || !server.readsClientDocuments) return undefined;
  const url = secureUrl(metadataUrl, "The URL of the client's metadata");
  // MUST — #implementation-requirements.
  if (url.protocol !== "https:" || url.pathname === "/" || url.hash !== "") {
    throw new McpError("insecure_url", "The URL of the client's metadata must use https: and have a path");
  }
  return { clientId: metadataUrl };
}

const clientKey = (...names: readonly string[]): string => ["client", ...names].join(" ");

function readClient(store: OAuthStore, ...names: readonly string[]): Promise<StoredClient | undefined> {
  return readRecord<StoredClient>(store, clientKey(...names), ["clientId", "redirectUri"]);
}

/** @see RFC 7591 */
async function register(
  { server, http, signal }: TokenContext,
  metadata: JsonObject,
  redirectUri: string,
): Promise<StoredClient> {
  const url = server.registrationEndpoint;
  if (url === undefined) throw new McpError("unauthorized", "The authorization server registers no clients");
  const methods: readonly SecretMethod[] = ["none", "client_secret_basic", "client_secret_post"];
  const body = {
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    // MUST — #application-type-and-redirect-uri-constraints: left out, it means "web".
    application_type: isNative(redirectUri) ? "native" : "web",
    token_endpoint_auth_method: methods.find((method) => server.authMethods?.includes(method)) ?? "none",
    ...metadata,
    redirect_uris: [redirectUri],
  };
  const headers = { "content-type": "application/json" };
  const reply = await requestJson(http, { url, headers, body: JSON.stringify(body), signal });
  if (reply.status !== 201 && reply.status !== 200) throw refusal(reply, "The registration endpoint");
  return readRegistration(reply.json ?? {}, redirectUri);
}

function isNative(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return isLoopback(url) || url.protocol !== "https:";
}

function readRegistration(json: JsonObject, redirectUri: string): StoredClient {
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = json;
  if (typeof clientId !== "string" || clientId === "") {
    throw new McpError("invalid_response", "The registration endpoint sent no client_id");
  }
  const expires = Number(json["client_secret_expires_at"] ?? 0);
  return {
    clientId,
    redirectUri,
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(typeof method === "string" ? { method } : {}),
    // Zero: never.
    ...(expires > 0 ? { expiresAt: expires * 1000 } : {}),
  };
}

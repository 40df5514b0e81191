/**
 * Finds out which authorization servers a protected MCP server trusts.
 *
 * @see spec 2026-07-28 basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 * @see RFC 9728
 */
import { McpError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { coversServer, parseUrl, type UrlGuard } from "./endpoint-url.ts";
import { type OAuthHttp, requestJson } from "./json-request.ts";

/** What discovery needs. */
export interface Discovery {
  readonly http: OAuthHttp;
  readonly guard: UrlGuard;
  readonly signal: AbortSignal | undefined;
}

export interface ProtectedResource {
  /** As published, since authorization servers compare it as a string. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

/** MUST, in this order: with the endpoint's path inserted, then at the root. */
export function resourceMetadataUrls(server: URL): string[] {
  const root = `${server.origin}/.well-known/oauth-protected-resource`;
  const inserted = `${root}${server.pathname === "/" ? "" : server.pathname}${server.search}`;
  return inserted === root ? [root] : [inserted, root];
}

/**
 * @param announced the `resource_metadata` of the challenge, which goes before the well-known places
 * @returns undefined when the server publishes none
 * @throws {McpError} `resource_mismatch` when it is about another server
 */
export async function discoverResource(
  discovery: Discovery,
  server: URL,
  announced: string | undefined,
): Promise<ProtectedResource | undefined> {
  const urls = announced === undefined ? resourceMetadataUrls(server) : [announced];
  const document = await firstDocument(discovery, urls, "resource metadata");
  return document === undefined ? undefined : readResource(document, server);
}

function readResource(document: JsonObject, server: URL): ProtectedResource {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
  const url = typeof resource === "string" ? parseUrl(resource) : undefined;
  // MUST — RFC 9728 section 3.3: else a server could have tokens issued for another one.
  if (typeof resource !== "string" || url === undefined || !coversServer(url, server)) {
    throw new McpError("resource_mismatch", "The server's resource metadata is about another resource");
  }
  if (!isStrings(issuers) || issuers.length === 0) {
    throw new McpError("invalid_response", "The resource metadata names no authorization server");
  }
  return { resource, issuers, scopes: isStrings(scopes) ? scopes : undefined };
}

/**
 * The first of the URLs that answers with a JSON object. A place that answers anything else, or cannot be reached (as
 * browsers report an error page without CORS headers), is passed over.
 */
export async function firstDocument(
  { http, guard, signal }: Discovery,
  urls: readonly string[],
  what: string,
): Promise<JsonObject | undefined> {
  for (const text of urls) {
    try {
      const { status, json } = await requestJson(http, { url: guard(text, `The URL of ${what}`), signal });
      if (status === 200 && json !== undefined) return json;
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== "connection_failed") throw error;
    }
  }
  return undefined;
}

export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** How a provider comes by tokens: the part that differs between people, services and workloads. */
import { McpError } from "../../protocol/errors.ts";
import type { OAuthClient } from "./client-authentication.ts";
import type { OAuthStore, PendingFlow } from "./store.ts";
import type { TokenContext, TokenResponse } from "./token-endpoint.ts";

export interface GrantContext extends TokenContext {
  readonly store: OAuthStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The MCP server's endpoint. */
  readonly endpoint: string;
  /** Its resource identifier. */
  readonly resource: string;
  /** Undefined: none are asked for. */
  readonly scopes: readonly string[] | undefined;
}

export interface IssuedTokens extends TokenResponse {
  readonly clientId: string;
}

export interface Grant {
  /**
   * Which of the authorization servers that the MCP server trusts to turn to.
   *
   * @param known the one that issued the tokens so far
   * @throws {McpError} `issuer_mismatch` when none of them knows this client
   */
  pickIssuer(listed: readonly string[], known: string | undefined): string;
  obtain(context: GrantContext): Promise<IssuedTokens>;
  /** The client that may use a refresh token; undefined when there is no such client any more. */
  refresher(context: GrantContext, clientId: string): Promise<OAuthClient | undefined>;
  /** Goes on with a flow that left the page. */
  resume?(context: GrantContext, returning: ReturningFlow): Promise<IssuedTokens>;
}

/** A flow whose response has arrived. */
export interface ReturningFlow {
  readonly state: string;
  readonly flow: PendingFlow;
  readonly callbackUrl: string;
}

/**
 * For credentials that were made for one issuer. Where the MCP server trusts another one they are of no use, and whoever
 * that is must not see them.
 *
 * @see spec 2026-07-28 basic/authorization/client-registration#authorization-server-binding
 */
export function boundTo(issuers: readonly string[], listed: readonly string[]): string {
  const issuer = issuers.find((candidate) => listed.includes(candidate));
  if (issuer === undefined) {
    throw new McpError("issuer_mismatch", "This client is registered with no authorization server of this server's");
  }
  return issuer;
}

export function scopeParam(scopes: readonly string[] | undefined): string | undefined {
  return scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" ");
}

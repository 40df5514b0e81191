/** What a provider is made of, and what it offers beside signing requests. */
import type { AuthProvider } from "../auth-provider.ts";
import type { ProofMaker } from "./dpop.ts";
import type { Grant } from "./grant.ts";
import type { OAuthStore } from "./store.ts";

export interface OAuthOptions {
  /** The MCP server's endpoint. Tokens are sent to its origin alone. */
  server: string | URL;
  /** How to come by tokens. */
  grant: Grant;
  /** Default: memory. */
  store?: OAuthStore;
  /** Binds tokens to a key where the authorization server can. Default: bearer tokens. */
  dpop?: ProofMaker;
  /** The authorization server of an MCP server that publishes no resource metadata. */
  issuer?: string;
  fetch?: typeof fetch;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** For one request to an authorization server. Default 30,000. */
  timeoutMs?: number;
  /** How long a person may take to sign in. Default 600,000. */
  signInTimeoutMs?: number;
  /** Of one answer of an authorization server. Default 256 KiB. */
  maxBytes?: number;
}

export interface OAuthProvider extends AuthProvider {
  /**
   * Finishes a sign-in that left the page: call it with `location.href` when the page loads.
   *
   * @returns whether the URL is the response to a sign-in of this provider
   * @throws {McpError} when it is, and was refused
   */
  resume(callbackUrl: string): Promise<boolean>;
  /** Forgets the tokens and the key that they are bound to. */
  signOut(): Promise<void>;
}

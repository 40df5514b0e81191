/**
 * What signs a client's requests: the seam between the client and whatever gets it tokens. `mcp-edge/client/oauth` makes
 * such providers; a fixed token is three lines.
 *
 * @see spec 2026-07-28 basic/authorization
 */

export interface AuthProvider {
  /** Headers for one HTTP request to the server, such as `authorization` and `dpop`. Called for each. */
  headers(request: SignedRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * The server answered 401, or 403 with a challenge. Gets another token where that is possible, which may involve a
   * person. The response's body is not to be read.
   *
   * @returns whether the request is worth sending again; a client sends it three times at most
   * @throws {McpError} `unauthorized` and others, saying why there is no token to be had
   */
  challenged(response: Response, request: SignedRequest): Promise<boolean>;
  /** Sees every other response, for those that carry something for the next request (`dpop-nonce`). */
  responded?(response: Response): void;
  /** Resolves once `principal` knows, where that takes reading a store. */
  ready?(): Promise<void>;
  /**
   * Whose requests these are, as far as caches care. Undefined: nobody is signed in. Without it nothing private is kept.
   */
  principal?(): string | undefined;
}

export interface SignedRequest {
  /** Of the server's endpoint, without fragment. */
  readonly url: string;
  /** HTTP method. */
  readonly method: string;
  /** Aborts when the caller has given up. */
  readonly signal?: AbortSignal | undefined;
}

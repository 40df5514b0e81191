/** The tokens of one provider, in memory as long as nothing says that another tab has others. */
import { McpError } from "../../protocol/errors.ts";
import type { IssuedTokens } from "./grant.ts";
import { randomToken } from "./pkce.ts";
import { type OAuthStore, readRecord, type StoredTokens } from "./store.ts";

/** How long before its end a token counts as expired, for the time that requests take; less for short-lived ones. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;

export interface Acquisition {
  readonly issued: IssuedTokens;
  readonly issuer: string;
  readonly resource: string;
  readonly requested: readonly string[];
  /** The tokens that were traded in; undefined when somebody signed in. */
  readonly refreshed?: StoredTokens | undefined;
  /** Of the keeper, when this began. */
  readonly generation: number;
}

export class TokenKeeper {
  readonly #store: OAuthStore;
  readonly #key: string;
  readonly #now: () => number;
  #current: StoredTokens | undefined;
  #loading: Promise<StoredTokens | undefined> | undefined;
  #untried: "issued" | "refreshed" | undefined;
  #generation = 0;

  constructor(store: OAuthStore, server: URL, now: () => number) {
    this.#store = store;
    this.#key = `tokens ${server.href}`;
    this.#now = now;
  }

  get current(): StoredTokens | undefined {
    return this.#current;
  }

  /** Counts how often the tokens were forgotten: what was begun before that is not to bring any back. */
  get generation(): number {
    return this.#generation;
  }

  /** How the current tokens came, until a server has been seen to take them. */
  get untried(): "issued" | "refreshed" | undefined {
    return this.#untried;
  }

  /** A server took the current tokens. */
  confirm(): void {
    this.#untried = undefined;
  }

  load(): Promise<StoredTokens | undefined> {
    this.#loading ??= this.reload().catch((error: unknown) => {
      this.#loading = undefined; // the next request tries again
      throw error;
    });
    return this.#loading.then(() => this.#current);
  }

  /** Looks at the store again, where another tab may have put newer ones. */
  async reload(): Promise<StoredTokens | undefined> {
    const names = ["issuer", "clientId", "resource", "accessToken", "tokenType", "principal"] as const;
    const generation = this.#generation;
    const kept = await readRecord<StoredTokens>(this.#store, this.#key, names);
    if (generation !== this.#generation) return this.#current;
    if (kept?.accessToken !== this.#current?.accessToken) this.#untried = undefined;
    this.#current = kept;
    return kept;
  }

  isExpired({ expiresAt }: StoredTokens): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  /** @throws {McpError} `aborted` when somebody signed out meanwhile */
  async keep({ issued, issuer, resource, requested, refreshed, generation }: Acquisition): Promise<void> {
    if (generation !== this.#generation) throw new McpError("aborted", "Somebody signed out meanwhile");
    // A token that is expired from the start is one whose life is not known.
    const lifeMs = issued.expiresInSeconds ? issued.expiresInSeconds * 1000 : undefined;
    const tokens: StoredTokens = {
      issuer,
      resource,
      requested,
      clientId: issued.clientId,
      accessToken: issued.accessToken,
      tokenType: issued.tokenType,
      refreshToken: issued.refreshToken ?? refreshed?.refreshToken,
      expiresAt: lifeMs === undefined ? undefined : this.#now() + lifeMs - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE),
      granted: issued.scopes ?? refreshed?.granted ?? requested,
      principal: refreshed?.principal ?? randomToken(),
    };
    // Before the store has them: what happens meanwhile counts as later.
    this.#current = tokens;
    this.#untried = refreshed === undefined ? "issued" : "refreshed";
    await this.#store.set(this.#key, tokens);
  }

  /** The refresh token turned out to be worth nothing. */
  async dropRefreshToken(tokens: StoredTokens): Promise<void> {
    this.#current = { ...tokens, refreshToken: undefined };
    await this.#store.set(this.#key, this.#current);
  }

  /** For this page at once; `forget` does it for good. */
  clear(): void {
    this.#generation++;
    this.#current = undefined;
  }

  async forget(): Promise<void> {
    this.clear();
    await this.#store.delete(this.#key);
  }
}

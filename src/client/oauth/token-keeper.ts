/** The tokens of one provider, in memory as long as nothing says that another tab has others. */
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
}

export class TokenKeeper {
  readonly #store: OAuthStore;
  readonly #key: string;
  readonly #now: () => number;
  #current: StoredTokens | undefined;
  #loading: Promise<StoredTokens | undefined> | undefined;
  #untried: "issued" | "refreshed" | undefined;

  constructor(store: OAuthStore, server: URL, now: () => number) {
    this.#store = store;
    this.#key = `tokens ${server.href}`;
    this.#now = now;
  }

  get current(): StoredTokens | undefined {
    return this.#current;
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
    this.#loading ??= this.reload();
    return this.#loading.then(() => this.#current);
  }

  /** Looks at the store again, where another tab may have put newer ones. */
  async reload(): Promise<StoredTokens | undefined> {
    const names = ["issuer", "clientId", "resource", "accessToken", "tokenType", "principal"] as const;
    const kept = await readRecord<StoredTokens>(this.#store, this.#key, names);
    if (kept?.accessToken !== this.#current?.accessToken) this.#untried = undefined;
    this.#current = kept;
    return kept;
  }

  isExpired({ expiresAt }: StoredTokens): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  async keep({ issued, issuer, resource, requested, refreshed }: Acquisition): Promise<void> {
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
    await this.#store.set(this.#key, tokens);
    this.#current = tokens;
    this.#untried = refreshed === undefined ? "issued" : "refreshed";
  }

  /** The refresh token turned out to be worth nothing. */
  async dropRefreshToken(tokens: StoredTokens): Promise<void> {
    this.#current = { ...tokens, refreshToken: undefined };
    await this.#store.set(this.#key, this.#current);
  }

  async forget(): Promise<void> {
    this.#current = undefined;
    await this.#store.delete(this.#key);
  }
}

/**
 * Where an OAuth client keeps what must outlive a page or a process, and what it keeps there.
 *
 * | key | value | life |
 * |---|---|---|
 * | `tokens <server URL>` | `StoredTokens` | until signed out, replaced or useless |
 * | `client <issuer>` | `StoredClient`, the last from dynamic registration | until the redirect URI changes or its secret expires |
 * | `client <issuer> <client id>` | `StoredClient`, for tokens that were issued to it | as the store |
 * | `flow <state>` | `PendingFlow` | until its response arrives; refused after ten minutes |
 * | `dpop <server URL>` | `CryptoKeyPair`, not extractable | as the tokens that are bound to it |
 */
import { McpError } from "../../protocol/errors.ts";

/**
 * Values are structured-cloneable. A store that can only keep JSON serves everything but DPoP keys, which no code can read
 * out. Whoever reads the store can act for the user: keep it where only this application gets at it.
 */
export interface OAuthStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Does something while nobody else who uses the store does something under this name, so that tabs do not trade in the
   * same refresh token. Optional: needed where several tabs or processes share the store.
   */
  exclusively?<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The store as a provider sees it. @throws {McpError} `store_failed` */
export function reporting(store: OAuthStore): Required<OAuthStore> {
  return {
    get: (key) => judged(() => store.get(key)),
    set: (key, value) => judged(() => store.set(key, value)),
    delete: (key) => judged(() => store.delete(key)),
    exclusively: (name, work, signal) => store.exclusively?.(name, work, signal) ?? work(),
  };
}

async function judged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new McpError("store_failed", "The store for tokens failed", { cause: error });
  }
}

/** Forgets with the process. */
export function memoryOAuthStore(): OAuthStore {
  const values = new Map<string, unknown>();
  const queues = new Map<string, Promise<unknown>>();
  return {
    exclusively(name, work) {
      const turn = (queues.get(name) ?? Promise.resolve()).then(work);
      // The next one only needs to know that it is over.
      queues.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
    get: (key) => Promise.resolve(values.get(key)),
    async set(key, value) {
      values.set(key, value);
    },
    async delete(key) {
      values.delete(key);
    },
  };
}

export interface StoredTokens {
  /** Who issued them, and the only one that is ever sent the refresh token. */
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
  readonly accessToken: string;
  readonly tokenType: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  readonly requested: readonly string[];
  readonly granted: readonly string[];
  /** Made at random when somebody signs in, and kept when tokens are refreshed. */
  readonly principal: string;
}

export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly method?: string | undefined;
  readonly redirectUri: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export interface PendingFlow {
  readonly server: string;
  readonly issuer: string;
  readonly sendsIssuer: boolean;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly verifier: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export function flowKey(state: string): string {
  return `flow ${state}`;
}

/** What was kept under a key, if it looks like what this version writes there: an object with these strings. */
export async function readRecord<T extends object>(
  store: OAuthStore,
  key: string,
  strings: readonly (keyof T & string)[],
): Promise<T | undefined> {
  const value = await store.get(key);
  if (typeof value !== "object" || value === null) return undefined;
  const record = value as T; // as far as its strings go that is checked below; the rest only this package writes
  return strings.every((name) => typeof record[name] === "string") ? record : undefined;
}

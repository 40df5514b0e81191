/**
 * What a server said may be used again: results by method, parameters and, where they are private, by whose they are.
 *
 * Contract: a cache never makes a call fail. What a store cannot do or has spoilt counts as absent; one that cannot forget
 * is not used any more, since it would serve what is known to be outdated.
 *
 * @see spec 2026-07-28 server/utilities/caching
 */
import { isObject } from "../protocol/json-rpc.ts";
import type { SubscriptionFilter } from "../protocol/subscription.ts";
import type { JsonObject } from "../protocol/types.ts";
import { type CacheableRequest, canonical, freshEntry, isCacheable, parsed, ttlOf } from "./cache-entry.ts";
import type { CacheStore } from "./cache-store.ts";
import type { ListenEvent } from "./listening.ts";
import { memoryStore } from "./memory-store.ts";
import type { Connection } from "./session.ts";

export interface CacheOptions {
  readonly store: CacheStore;
  /** The endpoint. */
  readonly server: string;
  /**
   * Whose requests these are. What tells two authorization contexts apart, and nothing secret. Undefined: nobody can say,
   * so nothing private is kept.
   */
  readonly principal: () => string | undefined;
  /** Resolves once `principal` knows. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onWarning: (message: string) => void;
}

/** How a request may use the cache. `reload`: the answer must be fresh, and is kept. `none`: neither looked at nor kept. */
export type CacheUse = "default" | "reload" | "none";

const OUTDATED_BY: Readonly<Record<string, readonly string[]>> = {
  toolsListChanged: ["tools/list"],
  promptsListChanged: ["prompts/list"],
  resourcesListChanged: ["resources/list", "resources/templates/list"],
};

/** In UTF-16 code units, of one result as JSON. */
const MAX_RESULT_LENGTH = 1_048_576;

/** IndexedDB of some browsers hangs at times. Asking the server is quicker than this. */
const STORE_TIMEOUT_MS = 1_000;

/** A request that is under way, and whether what it brings was outdated meanwhile. */
interface Loading {
  readonly key: string;
  outdated: boolean;
}

/**
 * Whose a connection's requests are, for the key of private results. Where nobody signs in, they are this client's alone:
 * cookies and headers may tell people apart whom a cache could not. A provider that does not say may change its mind.
 */
export function principalOf({ auth, random }: Pick<Connection, "auth" | "random">): () => string | undefined {
  const own = `client ${random()}`;
  return () => {
    if (auth === undefined) return own;
    if (auth.principal === undefined) return undefined;
    const principal = auth.principal();
    return principal === undefined ? "nobody" : `somebody ${principal}`;
  };
}

/** A cache for one client, or for each of several that share its store. Passed in, so that who needs none has none. */
export function resultCache(store: CacheStore = memoryStore()): (connection: Connection) => ResultCache {
  return (connection) => {
    const { url: server, auth, now, onWarning } = connection;
    const ready = auth?.ready && (() => auth.ready?.() ?? Promise.resolve());
    return new ResultCache({ store, server, principal: principalOf(connection), ready, now, onWarning });
  };
}

export class ResultCache {
  readonly #options: CacheOptions;
  readonly #loading: Set<Loading> = new Set();
  /** What is being forgotten: nothing is looked up before it is. */
  #forgetting: Promise<void> = Promise.resolve();
  #usable = true;
  /** Whose requests these were last. */
  #principal: string | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /**
   * The result of a request: a fresh one from the store, or what `load` brings.
   *
   * @throws what `load` throws
   */
  async through(
    request: CacheableRequest,
    load: () => Promise<JsonObject>,
    use: CacheUse = "default",
  ): Promise<JsonObject> {
    if (use === "none" || !this.#usable || !isCacheable(request)) return load();
    const { ready } = this.#options;
    // A provider that fails will say so to the request itself.
    if (ready) await ready().catch(() => {});
    const principal = this.#currentPrincipal();
    const key = this.#keyOf(request);
    const loading: Loading = { key, outdated: false };
    this.#loading.add(loading);
    try {
      const found = use === "default" ? await this.#find(key, principal) : undefined;
      if (found !== undefined) return found;
      const result = await load();
      if (!loading.outdated) await this.#keep(key, principal, result);
      return result;
    } catch (error) {
      // SHOULD — #interaction-with-pagination: a cursor that is refused takes the other pages with it.
      if (request.params["cursor"] !== undefined) this.#forgetMethods([request.method], []);
      throw error;
    } finally {
      this.#loading.delete(loading);
    }
  }

  /**
   * Takes what a subscription tells. What it outdates is not served from this moment on.
   *
   * @param filter what the subscription is for: all of that may have changed unheard where it says `resumed`
   */
  heard(event: ListenEvent, filter: SubscriptionFilter): void {
    const kinds = event.type === "resumed" ? Object.keys(filter) : [event.type];
    const methods = kinds.flatMap((kind) => OUTDATED_BY[kind] ?? []);
    if (event.type === "resumed") this.#forgetMethods(methods, filter.resourceSubscriptions ?? []);
    else this.#forgetMethods(methods, event.type === "resourceUpdated" ? [event.uri] : []);
  }

  /** Drops everything that is known of this server, and keeps nothing of what is under way. */
  async clear(): Promise<void> {
    this.#forget((key) => key.startsWith(`${this.#options.server}\n`));
    await this.#forgetting;
  }

  /** What is private to somebody goes when they do. */
  #currentPrincipal(): string | undefined {
    const principal = this.#options.principal();
    const left = this.#principal ?? principal;
    this.#principal = principal;
    if (left !== undefined && left !== principal) {
      const end = `\n${privately(left)}`;
      this.#forget((key) => key.startsWith(`${this.#options.server}\n`) && key.endsWith(end));
    }
    return principal;
  }

  #keyOf({ method, params }: CacheableRequest): string {
    return `${this.#options.server}\n${method}\n${canonical(params)}\n`;
  }

  async #find(key: string, principal: string | undefined): Promise<JsonObject | undefined> {
    await this.#forgetting;
    // Forgetting may have failed.
    if (!this.#usable) return undefined;
    try {
      const { store, now } = this.#options;
      const both = [
        store.get(key + PUBLIC),
        ...(principal === undefined ? [] : [store.get(key + privately(principal))]),
      ];
      const texts = await soon(Promise.all(both));
      const [other, one] = texts.map((text) => freshEntry(text, now()));
      // Either can be there where a server changed its mind.
      return (one?.at ?? 0) >= (other?.at ?? 0) ? one?.result : other?.result;
    } catch {
      return undefined; // Absent, by contract.
    }
  }

  async #keep(key: string, principal: string | undefined, result: JsonObject): Promise<void> {
    const { store, now } = this.#options;
    const ttlMs = ttlOf(result);
    if (ttlMs === 0) return;
    const place = result["cacheScope"] === "public" ? PUBLIC : privately(principal);
    if (place === undefined) return;
    // Somebody signed in or out while it was under way, so nobody can say whose it is.
    if (place !== PUBLIC && this.#currentPrincipal() !== principal) return;
    try {
      // Overflows the stack where a result is nested deeply enough.
      const text = JSON.stringify({ at: now(), ttlMs, result });
      if (text.length > MAX_RESULT_LENGTH) return;
      await soon(store.set(key + place, text));
    } catch {
      return; // Full, or not to be had: the next one asks the server again.
    }
  }

  #forgetMethods(methods: readonly string[], uris: readonly string[]): void {
    const starts = methods.map((method) => `${this.#options.server}\n${method}\n`);
    this.#forget((key) => starts.some((start) => key.startsWith(start)) || uris.some((uri) => this.#reads(key, uri)));
  }

  #forget(matches: (key: string) => boolean): void {
    for (const loading of this.#loading) if (matches(loading.key)) loading.outdated = true;
    this.#forgetting = Promise.all([this.#forgetting, this.#deleteFromStore(matches)]).then(() => undefined);
  }

  async #deleteFromStore(matches: (key: string) => boolean): Promise<void> {
    try {
      await soon(this.#options.store.delete(matches));
    } catch {
      this.#usable = false;
      this.#options.onWarning("The cache cannot forget what is outdated, and is not used any more");
    }
  }

  /** Whether a key is of a read of this resource, of one that it may be a part of, or of what may be a part of it. */
  #reads(key: string, uri: string): boolean {
    const start = `${this.#options.server}\nresources/read\n`;
    if (!key.startsWith(start)) return false;
    const params = parsed(key.slice(start.length).split("\n")[0]);
    const read = isObject(params) ? params["uri"] : undefined;
    return typeof read === "string" && (uri.startsWith(read) || read.startsWith(uri));
  }
}

/** Last in a key. A principal is JSON text, which no line break and no bare word can be. */
const PUBLIC = "public";

function privately(principal: string): string;
function privately(principal: string | undefined): string | undefined;
function privately(principal: string | undefined): string | undefined {
  return JSON.stringify(principal);
}

/** @throws when a store takes too long */
async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The store does not answer")), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

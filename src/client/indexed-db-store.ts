/**
 * A cache store in IndexedDB: it survives a reload, and the tabs of an origin share it.
 *
 * Texts and their use are kept apart, so that making room reads no texts.
 */
import { DEFAULT_LIMITS, type StoreLimits } from "./memory-store.ts";
import type { CacheStore } from "./cache-store.ts";

export interface IndexedDbStoreOptions extends StoreLimits {
  /** The database's name. Default `mcp-edge-cache`. */
  name?: string;
  /** Default the runtime's own. */
  indexedDB?: IdbFactory;
  /** Milliseconds since the epoch. Default the system's clock. */
  now?: () => number;
}

/** The part of IndexedDB that is used here. The runtimes that this package is built for do not declare it. */
export interface IdbFactory {
  open(name: string, version: number): IdbOpening;
}
interface IdbTarget<E extends string> {
  addEventListener(type: E, listener: () => void): void;
}
interface IdbRequest<T> extends IdbTarget<"success" | "error"> {
  readonly result: T;
  readonly error: unknown;
}
interface IdbOpening extends IdbRequest<IdbDatabase> {
  addEventListener(type: "success" | "error" | "upgradeneeded", listener: () => void): void;
}
interface IdbDatabase extends IdbTarget<"versionchange" | "close"> {
  createObjectStore(name: string): unknown;
  transaction(names: readonly string[], mode: "readwrite", options: { durability: "relaxed" }): IdbTransaction;
  close(): void;
}
interface IdbTransaction extends IdbTarget<"complete" | "abort"> {
  objectStore(name: string): IdbObjectStore;
  readonly error: unknown;
}
interface IdbObjectStore {
  get(key: string): IdbRequest<unknown>;
  put(value: unknown, key: string): IdbRequest<unknown>;
  delete(key: string): IdbRequest<undefined>;
  clear(): IdbRequest<undefined>;
  getAll(): IdbRequest<unknown[]>;
  getAllKeys(): IdbRequest<unknown[]>;
}

const VERSION = 1;
const TEXTS = "texts";
const USES = "uses";

/** What is known of a text without reading it. */
interface Use {
  readonly key: string;
  readonly length: number;
  readonly usedAt: number;
}

/** Opens the database with the first use. Where there is none, every use rejects, and a client does without. */
export function indexedDbStore(options: IndexedDbStoreOptions = {}): CacheStore {
  const { maxEntries, maxLength, name = "mcp-edge-cache", now = Date.now } = { ...DEFAULT_LIMITS, ...options };
  const database = new Database(name, options.indexedDB);
  return {
    get: (key) =>
      database.run(async (texts, uses) => {
        const text = await done(texts.get(key));
        if (typeof text !== "string") return undefined;
        uses.put(useOf(key, text, now()), key);
        return text;
      }),
    set: (key, text) =>
      database.run(async (texts, uses) => {
        texts.put(text, key);
        uses.put(useOf(key, text, now()), key);
        const known = (await done(uses.getAll())).filter(isUse).toSorted((a, b) => b.usedAt - a.usedAt);
        let length = 0;
        for (const [index, use] of known.entries()) {
          length += use.length;
          if (index >= maxEntries || length > maxLength) drop(use.key, texts, uses);
        }
      }),
    delete: (matches) =>
      database.run(async (texts, uses) => {
        for (const key of await done(texts.getAllKeys())) {
          if (typeof key === "string" && matches(key)) drop(key, texts, uses);
        }
      }),
    clear: () =>
      database.run(async (texts, uses) => {
        uses.clear();
        await done(texts.clear());
      }),
  };
}

class Database {
  readonly #name: string;
  readonly #factory: IdbFactory | undefined;
  #opening: Promise<IdbDatabase> | undefined;

  constructor(name: string, factory: IdbFactory | undefined) {
    this.#name = name;
    this.#factory = factory;
  }

  /** Resolves once what was done is committed. */
  async run<T>(work: (texts: IdbObjectStore, uses: IdbObjectStore) => Promise<T>): Promise<T> {
    const database = await this.#open();
    // A cache may be lost in a crash; waiting for the disk costs more than asking the server again.
    const transaction = database.transaction([TEXTS, USES], "readwrite", { durability: "relaxed" });
    const committed = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(asError(transaction.error)));
    });
    const [result] = await Promise.all([
      work(transaction.objectStore(TEXTS), transaction.objectStore(USES)),
      committed,
    ]);
    return result;
  }

  #open(): Promise<IdbDatabase> {
    this.#opening ??= this.#dial();
    return this.#opening;
  }

  async #dial(): Promise<IdbDatabase> {
    const forget = (): void => {
      this.#opening = undefined;
    };
    try {
      const database = await this.#ask();
      // Another tab wants to upgrade or delete it, and has to wait for as long as this one holds it.
      database.addEventListener("versionchange", () => {
        forget();
        database.close();
      });
      database.addEventListener("close", forget);
      return database;
    } catch (error) {
      forget();
      throw error;
    }
  }

  #ask(): Promise<IdbDatabase> {
    const factory = this.#factory ?? (globalThis as { indexedDB?: IdbFactory }).indexedDB; // Absent outside browsers.
    if (factory === undefined) return Promise.reject(new TypeError("There is no IndexedDB here"));
    const opening = factory.open(this.#name, VERSION);
    opening.addEventListener("upgradeneeded", () => {
      opening.result.createObjectStore(TEXTS);
      opening.result.createObjectStore(USES);
    });
    return done(opening);
  }
}

function done<T>(request: IdbRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(asError(request.error)));
  });
}

function drop(key: string, texts: IdbObjectStore, uses: IdbObjectStore): void {
  texts.delete(key);
  uses.delete(key);
}

function useOf(key: string, text: string, usedAt: number): Use {
  return { key, length: key.length + text.length, usedAt };
}

function isUse(value: unknown): value is Use {
  const use = value as Partial<Use> | undefined; // Whatever was stored.
  return typeof use?.key === "string" && typeof use.length === "number" && typeof use.usedAt === "number";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("IndexedDB failed", { cause: error });
}

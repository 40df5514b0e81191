/** A store in IndexedDB, which outlives pages, is shared by tabs, and holds DPoP keys without showing them to anybody. */
import type { OAuthStore } from "./store.ts";

/** The part of IndexedDB that is used here. The runtimes that this package is built for do not declare it. */
export interface OAuthDatabases {
  open(name: string, version: number): OpenRequest;
}
interface Outcome<T> {
  readonly result: T;
  readonly error: unknown;
  addEventListener(type: "success" | "error", listener: () => void): void;
}
interface OpenRequest extends Outcome<Database> {
  addEventListener(type: "success" | "error" | "upgradeneeded", listener: () => void): void;
}
interface Database {
  addEventListener(type: "versionchange" | "close", listener: () => void): void;
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: "readonly" | "readwrite"): Transaction;
  close(): void;
}
interface Transaction {
  addEventListener(type: "complete" | "abort", listener: () => void): void;
  objectStore(name: string): Records;
  readonly error: unknown;
}
interface Records {
  get(key: string): Outcome<unknown>;
  put(value: unknown, key: string): Outcome<unknown>;
  delete(key: string): Outcome<unknown>;
}

const RECORDS = "records";
const VERSION = 1;

export interface IndexedDbOAuthStoreOptions {
  /** The database's name, one for each user of the application. Default `mcp-edge-oauth`. */
  name?: string;
  /** Default the browser's own. */
  indexedDB?: OAuthDatabases;
  /** Default the browser's own. */
  locks?: Locks;
}

/** As much of the Web Locks API as is needed. */
export interface Locks {
  request<T>(name: string, options: { signal: AbortSignal }, callback: () => Promise<T>): Promise<T>;
}

export function indexedDbOAuthStore(options: IndexedDbOAuthStoreOptions = {}): OAuthStore {
  const { name = "mcp-edge-oauth", indexedDB: databases } = options;
  let opening: Promise<Database> | undefined;
  const forget = (): void => {
    opening = undefined;
  };
  /** Resolves once what was done is committed: a refresh token that is lost here is lost for good. */
  const run = async <T>(mode: "readonly" | "readwrite", work: (records: Records) => Outcome<T>): Promise<T> => {
    opening ??= open(name, databases, forget);
    const transaction = (await opening).transaction(RECORDS, mode);
    const outcome = work(transaction.objectStore(RECORDS));
    await new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", resolve);
      transaction.addEventListener("abort", () => reject(asError(transaction.error)));
    });
    return outcome.result;
  };
  return {
    exclusively(what, work, signal) {
      // Absent outside browsers, and there in pages without a secure context.
      const { navigator } = globalThis as { navigator?: { locks?: Locks } };
      const locks = options.locks ?? navigator?.locks;
      return locks === undefined ? work() : locks.request(`${name} ${what}`, { signal }, work);
    },
    get: (key) => run("readonly", (records) => records.get(key)),
    async set(key, value) {
      await run("readwrite", (records) => records.put(value, key));
    },
    async delete(key) {
      await run("readwrite", (records) => records.delete(key));
    },
  };
}

async function open(name: string, databases: OAuthDatabases | undefined, forget: () => void): Promise<Database> {
  try {
    const factory = databases ?? (globalThis as { indexedDB?: OAuthDatabases }).indexedDB; // absent outside browsers
    if (factory === undefined) throw new TypeError("There is no IndexedDB here");
    const request = factory.open(name, VERSION);
    const database = await new Promise<Database>((resolve, reject) => {
      request.addEventListener("upgradeneeded", () => request.result.createObjectStore(RECORDS));
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(asError(request.error)));
    });
    // Another tab wants to upgrade or delete it, and has to wait for as long as this one holds it.
    database.addEventListener("versionchange", () => {
      forget();
      database.close();
    });
    database.addEventListener("close", forget);
    return database;
  } catch (error) {
    forget(); // the next use tries again
    throw error;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("IndexedDB failed", { cause: error });
}

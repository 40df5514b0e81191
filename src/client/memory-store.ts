/** A cache store in the memory of one client, or of as many as it is passed to. */
import type { CacheStore } from "./cache-store.ts";

export interface StoreLimits {
  /** Default 500. */
  maxEntries?: number;
  /** Of all keys and texts together, in UTF-16 code units. Default 8 Mi. */
  maxLength?: number;
}

export const DEFAULT_LIMITS: Required<StoreLimits> = { maxEntries: 500, maxLength: 8 * 1_048_576 };

/** Holds so much and no more; what was not used for longest makes room. */
export function memoryStore(limits: StoreLimits = {}): CacheStore {
  const { maxEntries, maxLength } = { ...DEFAULT_LIMITS, ...limits };
  /** Least recently used first. */
  const texts = new Map<string, string>();
  let length = 0;
  const drop = (key: string): void => {
    const text = texts.get(key);
    if (text !== undefined) length -= key.length + text.length;
    texts.delete(key);
  };
  return {
    async get(key) {
      const text = texts.get(key);
      if (text === undefined) return undefined;
      texts.delete(key);
      texts.set(key, text);
      return text;
    },
    async set(key, text) {
      drop(key);
      texts.set(key, text);
      length += key.length + text.length;
      for (const oldest of texts.keys()) {
        if (texts.size <= maxEntries && length <= maxLength) break;
        drop(oldest);
      }
    },
    async delete(matches) {
      for (const key of texts.keys()) if (matches(key)) drop(key);
    },
    async clear() {
      texts.clear();
      length = 0;
    },
  };
}

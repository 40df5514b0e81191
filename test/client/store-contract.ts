/**
 * What every cache store does, as cases that need no test runner: they run in Node, inside workerd, and in a page.
 */
import type { StoreLimits } from "../../src/client/memory-store.ts";
import type { CacheStore } from "../../src/client/cache-store.ts";

export interface StoreBench {
  /** A store of its own for each name, on the clock of the bench. */
  readonly open: (name: string, limits?: StoreLimits) => CacheStore;
  /** Compares by value. */
  readonly equal: (actual: unknown, expected: unknown) => void;
}

export interface StoreCase {
  readonly title: string;
  readonly run: (bench: StoreBench) => Promise<void>;
}

const KEYS = ["a", "b", "c", "d"];

async function held(store: CacheStore, keys: readonly string[] = KEYS): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if ((await store.get(key)) !== undefined) found.push(key);
  return found;
}

export const STORE_CASES: readonly StoreCase[] = [
  {
    title: "gives back what was put in last, whatever the text and key",
    async run({ open, equal }) {
      const store = open("round-trip");
      const texts = ["", "{}", "søk 🔔 \u0000", "x".repeat(100_000)];
      for (const text of texts) {
        await store.set("key\n\u0000é", text);
        equal(await store.get("key\n\u0000é"), text);
      }
      equal(await store.get("other"), undefined);
      equal(await store.get("__proto__"), undefined);
    },
  },
  {
    title: "forgets what matches, and nothing else",
    async run({ open, equal }) {
      const store = open("delete");
      for (const key of KEYS) await store.set(key, key);
      await store.delete((key) => key > "b");
      equal(await held(store), ["a", "b"]);
      await store.clear();
      equal(await held(store), []);
      await store.set("c", "again");
      equal(await held(store), ["c"]);
    },
  },
  {
    title: "holds so many, and lets go of what was not used for longest",
    async run({ open, equal }) {
      const store = open("many", { maxEntries: 3 });
      for (const key of ["a", "b", "c"]) await store.set(key, key);
      await store.get("a");
      await store.set("d", "d");
      equal(await held(store), ["a", "c", "d"]);
      await store.set("c", "c again");
      equal(await held(store), ["a", "c", "d"]);
    },
  },
  {
    title: "holds so much, and nothing that alone is more",
    async run({ open, equal }) {
      const store = open("much", { maxLength: 100 });
      await store.set("a", "x".repeat(40));
      await store.set("b", "x".repeat(40));
      equal(await held(store), ["a", "b"]);
      await store.set("c", "x".repeat(40));
      equal(await held(store), ["b", "c"]);
      await store.set("b", "x".repeat(10));
      await store.set("a", "x".repeat(20));
      equal(await held(store), ["a", "b", "c"]);
      await store.set("d", "x".repeat(101));
      equal(await store.get("d"), undefined);
    },
  },
  {
    title: "takes what is put in and read at the same time",
    async run({ open, equal }) {
      const store = open("concurrent");
      await Promise.all(KEYS.map((key) => store.set(key, key)));
      equal(await Promise.all(KEYS.map((key) => store.get(key))), KEYS);
      const removal = store.delete((key) => key === "a");
      const [a, b] = [store.get("a"), store.get("b")];
      await removal;
      equal([await a, await b], [undefined, "b"]);
    },
  },
];

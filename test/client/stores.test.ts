import { describe, expect, test } from "vitest";
import { indexedDbStore } from "../../src/client/indexed-db-store.ts";
import { memoryStore } from "../../src/client/memory-store.ts";
import { STORE_CASES, type StoreBench } from "./store-contract.ts";

const bench: StoreBench = {
  open: (_name, limits) => memoryStore(limits),
  equal: (actual, expected) => expect(actual).toEqual(expected),
};

describe("a store in memory", () => {
  // The one in IndexedDB has the same cases in Chromium, in test/e2e/client-browser.test.ts.
  test.each(STORE_CASES)("$title", ({ run }) => run(bench));
});

test("a store in IndexedDB rejects where there is none, with each use and not before", async () => {
  const store = indexedDbStore();
  for (let time = 0; time < 2; time++) {
    await expect(store.get("key")).rejects.toThrow("no IndexedDB");
    await expect(store.set("key", "text")).rejects.toThrow("no IndexedDB");
  }
});

import { expect, test } from "vitest";
import { Refresher } from "../../web/refresher.ts";

/** A run that ends when it is told to. */
function gated(): { refresher: Refresher; runs: () => number; end: () => Promise<void> } {
  let runs = 0;
  let release: (() => void) | undefined;
  const refresher = new Refresher(() => {
    runs += 1;
    return new Promise((resolve) => (release = resolve));
  });
  const end = async (): Promise<void> => {
    release?.();
    for (let tick = 0; tick < 5; tick++) await Promise.resolve();
  };
  return { refresher, runs: () => runs, end };
}

test("runs at once, and once more for all that was asked for meanwhile", async () => {
  const { refresher, runs, end } = gated();
  refresher.request();
  expect(runs()).toBe(1);
  for (let n = 0; n < 100; n++) refresher.request();
  expect(runs()).toBe(1);
  await end();
  expect(runs()).toBe(2);
  await end();
  expect(runs()).toBe(2);
});

test("runs again when it is asked after it has come to rest", async () => {
  const { refresher, runs, end } = gated();
  refresher.request();
  await end();
  refresher.request();
  expect(runs()).toBe(2);
});

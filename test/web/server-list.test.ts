import { expect, test } from "vitest";
import { ServerList } from "../../web/server-list.ts";

/** A load that ends when it is told to. */
function gated(): { list: ServerList<number>; loads: () => number; end: (fault?: Error) => Promise<void> } {
  let loads = 0;
  let settle: ((fault?: Error) => void) | undefined;
  const list = new ServerList(() => {
    loads += 1;
    return new Promise<number[]>((resolve, reject) => {
      settle = (fault) => (fault ? reject(fault) : resolve([loads]));
    });
  });
  const end = async (fault?: Error): Promise<void> => {
    settle?.(fault);
    for (let tick = 0; tick < 5; tick++) await Promise.resolve();
  };
  return { list, loads: () => loads, end };
}

test("loads at once, and once more for all that was asked for meanwhile", async () => {
  const { list, loads, end } = gated();
  list.refresh();
  expect(loads()).toBe(1);
  for (let n = 0; n < 100; n++) list.refresh();
  expect(loads()).toBe(1);
  await end();
  expect(loads()).toBe(2);
  await end();
  expect(loads()).toBe(2);
  expect(list.state.value).toEqual({ phase: "ready", items: [2] });
});

test("loads again when it is asked after it has come to rest, and after a load that failed", async () => {
  const { list, loads, end } = gated();
  list.refresh();
  await end();
  list.refresh();
  list.refresh();
  const error = new Error("gone");
  await end(error);
  expect(loads()).toBe(3);
  await end(error);
  expect(list.state.value).toEqual({ phase: "failed", items: [1], error });
  list.refresh();
  expect(loads()).toBe(4);
});

test("one load at a time, also when watchers ask for more", async () => {
  const { list, loads, end } = gated();
  let asks = 2;
  list.state.watch(({ phase }) => void (phase === "ready" && asks-- > 0 && list.refresh()));
  list.state.watch(({ phase }) => void (phase === "ready" && asks-- > 0 && list.refresh()));
  list.refresh();
  await end();
  expect(loads()).toBe(2);
});

test("is loaded when it is first looked at, and outdated only if it was", () => {
  const { list, loads } = gated();
  list.outdate();
  expect(loads()).toBe(0);
  list.ensure();
  list.ensure();
  expect(loads()).toBe(1);
});

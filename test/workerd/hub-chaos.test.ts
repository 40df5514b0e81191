/**
 * A thousand publications while hubs are evicted and aborted, sockets cut and answers lost, at random.
 *
 * The seed is in the titles; `VITE_CHAOS_SEED=<seed>` in the environment makes the same choices again.
 */
import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import { Chaos, wrongs } from "./chaos.ts";

// Vite's own types, which have this member, would bring the DOM's along.
const { env: settings } = import.meta as unknown as { readonly env: Readonly<Record<string, string | undefined>> };
const seed = Number(settings["VITE_CHAOS_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
const LAST = 1_000;
/** Far longer than it takes: it only tells an end from a hang. */
const timeout = 55_000;

const { limits } = SubscriptionHub;
/** Retries between hubs, too, come a hundred times as soon; see chaos.ts. */
const brisk = { ...limits, relay: { ...limits.relay, backoffMs: limits.relay.backoffMs.map((ms) => ms / 100) } };

let chaos: Chaos;

beforeEach(() => {
  setLimits(brisk);
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const { leave } of chaos.listeners) leave();
  await reset();
});

function setLimits(value: typeof limits): void {
  vi.spyOn(SubscriptionHub, "limits", "get").mockReturnValue(value);
}

describe(`under random faults (seed ${seed})`, { timeout }, () => {
  test.each([
    ["of the root", []],
    ["of two leaves", ["one", "two"]],
  ])("every listener %s hears each change it was granted, in order and once", async (_name, leaves) => {
    chaos = new Chaos(seed, leaves);
    for (const share of [1, 1, 0.5, 0.5, 0.1, 0.1, 0.01, 0]) await chaos.listen(share, 1, LAST);
    for (let number = 1; number < LAST; number += 1) {
      await Promise.all([chaos.publish(number), chaos.strike(0.15)]);
      if (number % 200 === 0) await chaos.listen(0.5, number + 1, LAST);
    }
    await chaos.finish(LAST);
    expect(chaos.listeners).toHaveLength(12);
    for (const { ear, due } of chaos.listeners) expect(ear.heard).toEqual(due);
    expect(Object.keys(chaos.faults)).toHaveLength(6);
  });

  test("all hear what several publish at once in the same order", async () => {
    chaos = new Chaos(seed, ["one", "two"]);
    const witness = await chaos.listen(1, 1, LAST);
    for (const share of [1, 1, 0.5, 0.5, 0.1]) await chaos.listen(share, 1, LAST);
    for (let number = 1; number < LAST; number += 9) {
      const together = Array.from({ length: Math.min(9, LAST - number) }, (_, index) => chaos.publish(number + index));
      await Promise.all([...together, chaos.strike(0.5)]);
    }
    await chaos.finish(LAST);
    expect(witness.ear.heard.toSorted()).toEqual(witness.due.toSorted());
    for (const { ear, due } of chaos.listeners) {
      const granted = new Set(due);
      expect(ear.heard).toEqual(witness.ear.heard.filter((uri) => granted.has(uri)));
    }
  });

  test("a listener that leaves has heard all up to somewhere, and hears nothing more", async () => {
    chaos = new Chaos(seed);
    const heardBefore: number[] = [];
    for (let number = 1; number <= 300; number += 1) {
      if (number % 10 === 1) await chaos.listen(1, number, LAST);
      await Promise.all([chaos.publish(number), chaos.strike(0.15)]);
      const leaver = number % 10 === 0 ? chaos.listeners[number / 10 - 3] : undefined;
      if (leaver === undefined) continue;
      leaver.leave();
      heardBefore.push(leaver.ear.heard.length);
    }
    const leavers = chaos.listeners.slice(0, heardBefore.length);
    expect(leavers.map(({ ear }) => ear.heard.length)).toEqual(heardBefore);
    for (const { ear, due } of leavers) expect(ear.heard).toEqual(due.slice(0, ear.heard.length));
  });

  test.each([
    ["of the root", []],
    ["of two leaves", ["one", "two"]],
  ])("where the log was cut, every listener %s hears that it may have missed something", async (_name, leaves) => {
    setLimits({ ...brisk, log: { ...limits.log, changes: 5 } });
    chaos = new Chaos(seed, leaves);
    for (const share of [1, 1, 0.5, 0.5, 0.1, 0]) await chaos.listen(share, 1, LAST);
    for (let number = 1; number < LAST; number += 10) {
      const publishTen = async () => {
        for (let next = number; next < Math.min(number + 10, LAST); next += 1) await chaos.publish(next);
      };
      await (number % 50 === 1 ? chaos.outage(publishTen) : Promise.all([publishTen(), chaos.strike(0.5)]));
    }
    await chaos.finish(LAST);
    for (const { ear, due } of chaos.listeners) {
      expect(wrongs(ear.heard, due)).toEqual([]);
      expect(ear.heard).toContain("missed");
    }
  });
});

/**
 * A root and its leaves: everything arrives everywhere, in order and once, whatever fails in between.
 */
import {
  abortAllDurableObjects,
  evictDurableObject,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLOSE_REJOIN, type NumberedChange, type Position } from "../../src/cloudflare/frames.ts";
import { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import {
  age,
  eventually,
  type Hub,
  HubClient,
  hubs,
  pendingAlarm,
  prompts,
  range,
  sql,
  tables,
  TOOLS,
  tools,
} from "./hub-client.ts";

afterEach(async () => {
  await reset();
});

/** Another for each test, since an object that was being aborted may survive a reset. */
let tenant = "";
beforeEach(() => {
  tenant = crypto.randomUUID();
});

const root = () => hubs.getByName(`hub:${tenant}`);
const leaf = (name: string) => hubs.getByName(`leaf:${name}:${tenant}`);

async function publishMany(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await root().publish([tools], crypto.randomUUID());
}

/** What the root knows of its leaves. */
function known(): Promise<Record<string, SqlStorageValue>[]> {
  return sql(root(), "SELECT name, seq FROM leaf ORDER BY name");
}

/** Until the root knows that a leaf has everything up to a number. */
function confirmed(name: string, seq: number): Promise<void> {
  return eventually(async () => (await known()).some((row) => row["name"] === name && row["seq"] === seq));
}

async function breakStorage(hub: Hub): Promise<void> {
  await sql(hub, "CREATE TRIGGER broken BEFORE INSERT ON change BEGIN SELECT RAISE(ABORT, 'disk full'); END");
}

async function mendStorage(hub: Hub): Promise<void> {
  await sql(hub, "DROP TRIGGER broken");
}

describe("leaves", () => {
  test("get everything in order, under the numbers of the root", async () => {
    const hubsOfTenant = [leaf("a"), leaf("b"), root()];
    const listeners = await Promise.all(hubsOfTenant.map((hub) => HubClient.join(hub, TOOLS)));
    await Promise.all(range(1, 50).map((index) => root().publish([tools, prompts], `p${index}`)));
    const odd = range(1, 50).map((index) => index * 2 - 1);
    for (const listener of listeners) {
      await listener.received(50);
      expect(listener.seqs).toEqual(odd);
    }
    expect(new Set(listeners.map(({ position }) => position.epoch)).size).toBe(1);
  });

  test("that sleep are woken, and their sockets stay", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(1);
    await listener.received(1);
    await evictDurableObject(leaf("a"));
    await evictDurableObject(root());
    await publishMany(2);
    await listener.received(3);
    expect(listener.seqs).toEqual([1, 2, 3]);
  });

  test("attach themselves to the root once, however many listeners join at once", async () => {
    const listeners = await Promise.all(range(1, 20).map(() => HubClient.join(leaf("a"), TOOLS)));
    expect(await known()).toEqual([{ name: "a", seq: 0 }]);
    await publishMany(1);
    await Promise.all(listeners.map((listener) => listener.received(1)));
  });

  test("join a root that has published before, and start where it is", async () => {
    await publishMany(3);
    const listener = await HubClient.join(leaf("a"), TOOLS);
    expect(listener.joined).toMatchObject({ position: { seq: 3 }, missed: false });
    await publishMany(1);
    await listener.received(1);
    expect(listener.seqs).toEqual([4]);
  });

  test("that are new know what was published before, for listeners that were served elsewhere", async () => {
    const before = await HubClient.join(root(), TOOLS);
    await publishMany(3);
    const moved = await HubClient.join(leaf("a"), TOOLS, before.position);
    await moved.received(3 - before.position.seq);
    const late = await HubClient.join(leaf("a"), TOOLS, { ...before.position, seq: 1 });
    await late.received(2);
    expect([moved.joined?.missed, late.joined?.missed, late.seqs]).toEqual([false, false, [2, 3]]);
  });

  test("lose nothing while listeners join and others publish", async () => {
    const publishing = Promise.all(range(1, 40).map((index) => root().publish([tools], `p${index}`)));
    const listeners = await Promise.all(["a", "b", "a", "b"].map((name) => HubClient.join(leaf(name), TOOLS)));
    await publishing;
    for (const listener of listeners) {
      await listener.until(() => listener.position.seq === 40);
      const first = (listener.joined?.position.seq ?? 0) + 1;
      expect(listener.seqs).toEqual(range(first, 40));
    }
  });
});

describe("a leaf", () => {
  test("that was cut off catches up, and its listeners with it", async () => {
    const [first, other] = await Promise.all([HubClient.join(leaf("a"), TOOLS), HubClient.join(leaf("b"), TOOLS)]);
    await publishMany(2);
    await first.received(2);
    await evictDurableObject(leaf("a"), { webSockets: "close" });
    await publishMany(3);
    const again = await HubClient.join(leaf("a"), TOOLS, first.position);
    await Promise.all([again.received(3), other.received(5)]);
    expect([again.joined?.missed, again.seqs, other.seqs]).toEqual([false, [3, 4, 5], range(1, 5)]);
  });

  test("and its root that were aborted together go on with the same numbers", async () => {
    const first = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(2);
    await first.received(2);
    await abortAllDurableObjects();
    await publishMany(2);
    const again = await HubClient.join(leaf("a"), TOOLS, first.position);
    await publishMany(1);
    await again.received(3);
    expect([again.joined?.missed, again.seqs]).toEqual([false, [3, 4, 5]]);
  });

  test("catches up before it lets a listener join that was served further elsewhere", async () => {
    const ahead = await HubClient.join(leaf("a"), TOOLS);
    const behind = await HubClient.join(leaf("b"), TOOLS);
    await breakStorage(leaf("b"));
    await publishMany(2);
    await ahead.received(2);
    await mendStorage(leaf("b"));
    const moved = await HubClient.join(leaf("b"), TOOLS, ahead.position);
    expect(moved.joined).toMatchObject({ position: ahead.position, missed: false });
    await behind.received(2);
    expect(behind.seqs).toEqual([1, 2]);
  });

  test("that sees a gap asks its root for what is between", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await breakStorage(leaf("a"));
    await publishMany(2);
    // As if the leaf had confirmed them and then lost them.
    await sql(root(), "UPDATE leaf SET seq = 2");
    await mendStorage(leaf("a"));
    await publishMany(1);
    await listener.received(3);
    expect(listener.seqs).toEqual([1, 2, 3]);
    await confirmed("a", 3);
  });

  test("takes what it is sent twice once", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(2);
    await listener.received(2);
    // As if the answer had got lost.
    await sql(root(), "UPDATE leaf SET seq = 0");
    await publishMany(1);
    await listener.received(3);
    await confirmed("a", 3);
    expect(listener.seqs).toEqual([1, 2, 3]);
  });

  test("for which the log was cut sends its listeners back to the door, where they hear that they missed some", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(1);
    await listener.received(1);
    await breakStorage(leaf("a"));
    await root().publish(
      Array.from({ length: 1_000 }, () => prompts),
      "many",
    );
    await publishMany(1);
    await mendStorage(leaf("a"));
    await publishMany(1);
    await listener.closed();
    expect([listener.closeCode, listener.seqs]).toEqual([CLOSE_REJOIN, [1]]);
    const again = await HubClient.join(leaf("a"), TOOLS, listener.position);
    expect(again.joined).toMatchObject({ missed: true, position: { epoch: listener.position.epoch, seq: 1_003 } });
    await publishMany(1);
    await again.received(1);
    expect(again.seqs).toEqual([1_004]);
  });

  test("of a root that lost its log starts anew with it", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(2);
    await listener.received(2);
    await runInDurableObject(root(), (_root, { storage }) => storage.deleteAll());
    await evictDurableObject(leaf("a"));
    const newcomer = await HubClient.join(leaf("a"), TOOLS);
    await listener.closed();
    expect(listener.closeCode).toBe(CLOSE_REJOIN);
    const again = await HubClient.join(leaf("a"), TOOLS, listener.position);
    expect(again.joined).toMatchObject({ missed: true, position: { seq: 0 } });
    await publishMany(1);
    await Promise.all([newcomer.received(1), again.received(1)]);
    expect([newcomer.seqs, again.seqs]).toEqual([[1], [1]]);
  });
});

/** A listener that comes back whenever its socket is cut, until it has seen a number. @returns all that it has seen */
async function listenUntil(hub: () => Hub, last: number, resume: Position): Promise<number[]> {
  const seen: number[] = [];
  for (let position = resume; ;) {
    const client = await HubClient.join(hub(), TOOLS, position).catch(() => undefined);
    if (client === undefined) {
      await scheduler.wait(1); // What it asked was aborted.
      continue;
    }
    await client.until(() => client.position.seq >= last || client.closeCode !== undefined);
    if (client.joined?.missed === true) throw new Error("missed some");
    seen.push(...client.seqs);
    client.socket.close(1_000);
    if (client.position.seq >= last) return seen;
    position = client.position.seq > position.seq ? client.position : position;
  }
}

async function publishSurely(publication: string): Promise<void> {
  await root()
    .publish([tools], publication)
    .catch(async () => {
      await scheduler.wait(1);
      await publishSurely(publication);
    });
}

describe("under random evictions and aborts", () => {
  test.each([1, 2, 3])(
    "every listener gets everything once and in order (seed %i)",
    async (seed) => {
      let state = seed;
      const random = (below: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 16) % below;
      };
      const { position } = await HubClient.join(root(), TOOLS);
      // A stub is of no use once its object was aborted.
      const places = [root, () => leaf("a"), () => leaf("b"), () => leaf("a")];
      const listeners = places.map((hub) => listenUntil(hub, 200, position));
      const burst: Promise<void>[] = [];
      for (const index of range(1, 200)) {
        burst.push(publishSurely(`p${index}`));
        if (random(5) === 0) await Promise.all(burst.splice(0));
        const dice = random(20);
        const victim = (places[random(3)] ?? root)();
        if (dice === 0) await abortAllDurableObjects();
        // An object that does not run cannot be evicted.
        if (dice === 1 || dice === 2) await evictDurableObject(victim, { webSockets: "close" }).catch(() => undefined);
        if (dice === 3 || dice === 4) await evictDurableObject(victim).catch(() => undefined);
      }
      await Promise.all(burst);
      for (const seen of await Promise.all(listeners)) expect(seen).toEqual(range(1, 200));
    },
    60_000,
  );
});

describe("leaving", () => {
  test("a leaf that nobody listens to tells its root and leaves nothing behind, nor does the root then", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(1);
    await listener.received(1);
    await confirmed("a", 1);
    listener.socket.close(1_000);
    await listener.closed();
    expect(await runDurableObjectAlarm(leaf("a"))).toBe(true);
    expect([await tables(leaf("a")), await pendingAlarm(leaf("a")), await known()]).toEqual([[], null, []]);
    await age(root());
    expect(await runDurableObjectAlarm(root())).toBe(true);
    expect([await tables(root()), await pendingAlarm(root())]).toEqual([[], null]);
  });

  test("a leaf that has listeners has no alarm, and would stay through one", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    expect(await pendingAlarm(leaf("a"))).toBeNull();
    await runInDurableObject(leaf("a"), (hub) => hub.alarm());
    expect(await pendingAlarm(leaf("a"))).toBeNull();
    await publishMany(1);
    await listener.received(1);
  });

  test("a root with leaves keeps its log when that has run empty", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    await publishMany(2);
    await confirmed("a", 2);
    await age(root());
    await runDurableObjectAlarm(root());
    await evictDurableObject(root());
    await publishMany(1);
    await listener.received(3);
    expect(listener.seqs).toEqual([1, 2, 3]);
  });

  test("a listener that comes while a leaf leaves gets everything that is published from then on", async () => {
    for (const round of range(1, 10)) {
      const first = await HubClient.join(leaf("a"), TOOLS);
      first.socket.close(1_000);
      await first.closed();
      const [, listener] = await Promise.all([runDurableObjectAlarm(leaf("a")), HubClient.join(leaf("a"), TOOLS)]);
      await root().publish([tools], `p${round}`);
      await listener.received(1);
      listener.socket.close(1_000);
      await listener.closed();
    }
  });

  test("a leaf that lost everything is forgotten when the root next calls it", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    listener.socket.close(1_000);
    await listener.closed();
    await runInDurableObject(leaf("a"), (_leaf, { storage }) => storage.deleteAll());
    await publishMany(1);
    await eventually(async () => (await known()).length === 0);
    expect(await tables(leaf("a"))).toEqual([]);
  });
});

type Relay = (epoch: string, previousSeq: number, changes: readonly NumberedChange[]) => Promise<number>;

/** Runs with a root whose one leaf does what it is told to. Its storage and its name are those of the real root. */
function withLeaf<T>(relay: Relay, run: (root: SubscriptionHub, state: DurableObjectState) => Promise<T>): Promise<T> {
  class RootOfOne extends SubscriptionHub {
    static override readonly limits = {
      ...SubscriptionHub.limits,
      relay: { ...SubscriptionHub.limits.relay, backoffMs: [0, 0] },
    };
    static override namespace(): DurableObjectNamespace<SubscriptionHub> {
      // Of a namespace, a root uses getByName alone; of a leaf, relay.
      return { getByName: () => ({ relay }) } as unknown as DurableObjectNamespace<SubscriptionHub>;
    }
  }
  return runInDurableObject(root(), async (_root, state) => {
    const instance = new RootOfOne(state, {});
    await instance.attach("a");
    return run(instance, state);
  });
}

const unreachable: Relay = () => Promise.reject(new Error("Network connection lost."));

const end = (previousSeq: number, changes: readonly NumberedChange[]) => previousSeq + changes.length;

describe("a root", () => {
  test("does not wait for a slow leaf, calls it once at a time, and sends together what came up meanwhile", async () => {
    const calls: number[][] = [];
    const first = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    const relay: Relay = async (_epoch, previousSeq, changes) => {
      calls.push(changes.map(({ seq }) => seq));
      if (calls.length === 1) await first.promise;
      else all.resolve();
      return end(previousSeq, changes);
    };
    await withLeaf(relay, async (instance) => {
      for (const name of ["p1", "p2", "p3"]) await instance.publish([tools], name);
      expect(calls).toEqual([[1]]);
      first.resolve();
      await all.promise;
      expect(calls).toEqual([[1], [2, 3]]);
    });
  });

  test("repeats a call that failed, and then leaves it to the alarm, which it has set", async () => {
    let working = false;
    const calls: number[][] = [];
    const relay: Relay = async (_epoch, previousSeq, changes) => {
      calls.push(changes.map(({ seq }) => seq));
      if (!working) throw new Error("Network connection lost.");
      return end(previousSeq, changes);
    };
    await withLeaf(relay, async (instance, { storage }) => {
      expect(await instance.publish([tools], "a")).toBe(1);
      await eventually(() => Promise.resolve(calls.length === 3));
      const due = await storage.getAlarm();
      expect(due).toBeLessThanOrEqual(Date.now() + 10_000);
      working = true;
      await instance.alarm();
      await eventually(() => Promise.resolve(calls.length === 4));
      expect(calls).toEqual([[1], [1], [1], [1]]);
    });
    await confirmed("a", 1);
  });

  test("forgets a leaf that it could not reach for an hour, and keeps it until then", async () => {
    await withLeaf(unreachable, async (instance, { storage }) => {
      await instance.publish([tools], "a");
      const failing = () => storage.sql.exec<{ since: number }>("SELECT failing_since AS since FROM leaf").toArray();
      await eventually(() => Promise.resolve(failing()[0]?.since !== null));
      storage.sql.exec("UPDATE leaf SET failing_since = failing_since - 3000000");
      await instance.publish([tools], "b");
      expect(failing()).toHaveLength(1);
      storage.sql.exec("UPDATE leaf SET failing_since = failing_since - 3600000");
      await instance.publish([tools], "c");
      await eventually(() => Promise.resolve(failing().length === 0));
    });
  });

  test("keeps a leaf that attached itself while its refusal was under way", async () => {
    const refusal = Promise.withResolvers<void>();
    const calls: number[] = [];
    await withLeaf(
      async (_epoch, previousSeq, changes) => {
        calls.push(previousSeq);
        if (calls.length > 1) return end(previousSeq, changes);
        await refusal.promise;
        return -1;
      },
      async (instance) => {
        await instance.publish([tools], "a");
        await instance.attach("a");
        refusal.resolve();
        await eventually(async () => (await instance.publish([tools], crypto.randomUUID())) > 0 && calls.length > 1);
      },
    );
    expect(await known()).toHaveLength(1);
  });

  test("does not go round and round with a leaf that does not come forward", async () => {
    let calls = 0;
    const relay: Relay = () => {
      calls += 1;
      return Promise.resolve(0);
    };
    await withLeaf(relay, async (instance) => {
      await instance.publish([tools], "a");
      await eventually(() => Promise.resolve(calls >= 3));
      await scheduler.wait(20);
      expect(calls).toBe(3);
    });
  });
});

describe("what is refused", () => {
  test("what only the other kind of hub does", async () => {
    await expect(async () => await leaf("a").publish([tools], "a")).rejects.toThrow("only a root hub");
    await expect(async () => await leaf("a").attach("b")).rejects.toThrow("only a root hub");
    await expect(async () => await leaf("a").detach("b")).rejects.toThrow("only a root hub");
    await expect(async () => await root().relay("e", 0, [])).rejects.toThrow("only a leaf hub");
    expect([await tables(root()), await tables(leaf("a"))]).toEqual([[], []]);
  });

  test.each<[string, unknown, unknown, string]>([
    ["a leaf with a colon", "a:b", undefined, "leaf: must be"],
    ["a leaf without a name", "", undefined, "leaf: must be"],
    ["a leaf that is no string", 7, undefined, "leaf: must be"],
    ["a position without an epoch", "a", { seq: 1 }, "epoch"],
    ["a negative number", "a", { epoch: "e", seq: -1 }, "seq"],
    ["a broken number", "a", { epoch: "e", seq: 0.5 }, "seq"],
    ["no position", "a", null, "epoch"],
  ])("%s that wants to be attached", async (_what, name, resume, message) => {
    // What a program in another language, or of another version, might send.
    await expect(async () => await root().attach(name as string, resume as Position)).rejects.toThrow(message);
    expect(await tables(root())).toEqual([]);
  });

  test.each<[string, unknown, unknown, unknown, string]>([
    ["no epoch", undefined, 0, [], "epoch"],
    ["a negative number", "e", -1, [], "seq"],
    ["changes that are no array", "e", 0, "all", "changes: must be an array"],
    ["a gap inside", "e", 0, [{ seq: 2, change: tools }], "changes[0].seq: must follow"],
    ["a change of no kind", "e", 0, [{ seq: 1, change: { type: "all" } }], "change.type"],
    ["an entry of no kind", "e", 0, [null], "changes[0].seq"],
    ["more than a log holds", "e", 0, Array.from({ length: 1_001 }, () => null), "at most 1000"],
  ])("%s that is relayed", async (_what, epoch, previousSeq, changes, message) => {
    const call = async () =>
      // What a program in another language, or of another version, might send.
      await leaf("a").relay(epoch as string, previousSeq as number, changes as NumberedChange[]);
    await expect(call).rejects.toThrow(message);
  });

  test("what a stranger relays: a leaf believes only its root's log", async () => {
    const listener = await HubClient.join(leaf("a"), TOOLS);
    expect(await leaf("a").relay("forged", 0, [{ seq: 1, change: tools }])).toBe(0);
    await publishMany(1);
    await listener.received(1);
    expect(listener.seqs).toEqual([1]);
  });
});

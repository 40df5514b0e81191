/**
 * One hub: order, interest, going on after a cut, what it refuses, sleep, and what is left behind.
 */
import {
  abortAllDurableObjects,
  evictDurableObject,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLOSE_REJOIN, CLOSE_VERSION, PING, PONG } from "../../src/cloudflare/frames.ts";
import { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import type { Change } from "../../src/protocol/subscription.ts";
import {
  age,
  dial,
  HubClient,
  hubs,
  joinHeader,
  eventually,
  pendingAlarm,
  prompts,
  range,
  sql,
  tables,
  TOOLS,
  tools,
  updated,
} from "./hub-client.ts";

afterEach(async () => {
  await reset();
});

/** Another for each test, since an object that was being aborted may survive a reset. */
let tenant = "";
beforeEach(() => {
  tenant = crypto.randomUUID();
});

const hub = () => hubs.getByName(`hub:${tenant}`);
const NOTES = { resourceSubscriptions: ["note://1", "note://2"] };

async function publishMany(count: number, change: Change = tools): Promise<void> {
  for (let done = 0; done < count; done += 1) await hub().publish([change], crypto.randomUUID());
}

describe("publishing", () => {
  test("numbers changes from 1, without a gap, and every listener gets them in order", async () => {
    const listeners = await Promise.all([1, 2, 3].map(() => HubClient.join(hub(), TOOLS)));
    expect(await hub().publish([tools, tools], "a")).toBe(2);
    expect(await hub().publish([tools], "b")).toBe(3);
    for (const listener of listeners) {
      await listener.received(3);
      expect(listener.seqs).toEqual([1, 2, 3]);
      expect(listener.joined).toMatchObject({ position: { seq: 0 }, missed: false });
    }
  });

  test("keeps its order however many publish at once", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    const seqs = await Promise.all(range(1, 50).map((index) => hub().publish([tools], `p${index}`)));
    expect(seqs.toSorted((one, other) => one - other)).toEqual(range(1, 50));
    await listener.received(50);
    expect(listener.seqs).toEqual(range(1, 50));
  });

  test("sends each listener what it asked for and nothing else, one frame a publication", async () => {
    const notes = await HubClient.join(hub(), NOTES);
    const lists = await HubClient.join(hub(), { toolsListChanged: true, promptsListChanged: true });
    await hub().publish([updated("note://1"), tools, updated("note://3"), updated("note://2")], "a");
    await hub().publish([prompts, updated("note://2")], "b");
    await Promise.all([notes.received(3), lists.received(2)]);
    expect(notes.changes).toEqual([
      { seq: 1, change: updated("note://1") },
      { seq: 4, change: updated("note://2") },
      { seq: 6, change: updated("note://2") },
    ]);
    expect(lists.changes).toEqual([
      { seq: 2, change: tools },
      { seq: 5, change: prompts },
    ]);
    expect([notes.frames, lists.frames]).toEqual([
      [2, 1],
      [1, 1],
    ]);
  });

  test("never reaches another tenant", async () => {
    const other = await HubClient.join(hubs.getByName("hub:other"), TOOLS);
    await publishMany(1);
    await hubs.getByName("hub:other").publish([tools], "theirs");
    await other.received(1);
    expect(other.seqs).toEqual([1]);
  });

  test("counts a publication that is repeated once, also by a new instance", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    expect(await hub().publish([tools, tools], "same")).toBe(2);
    expect(await hub().publish([tools, tools], "same")).toBe(2);
    await evictDurableObject(hub());
    expect(await hub().publish([tools, tools], "same")).toBe(2);
    expect(await hub().publish([tools], "other")).toBe(3);
    await listener.received(3);
    expect(listener.seqs).toEqual([1, 2, 3]);
  });

  test("of nothing changes nothing", async () => {
    expect(await hub().publish([], "a")).toBe(0);
    expect(await pendingAlarm(hub())).toBeNull();
  });

  test("is refused as a whole, and sent to nobody, when the storage fails half-way", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    await publishMany(1);
    await sql(
      hub(),
      "CREATE TRIGGER full BEFORE INSERT ON change WHEN new.seq = 4 BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    await expect(async () => await hub().publish([tools, tools, tools], "a")).rejects.toThrow("full");
    await sql(hub(), "DROP TRIGGER full");
    expect(await hub().publish([tools, tools, tools], "a")).toBe(4);
    await listener.received(4);
    expect(listener.seqs).toEqual([1, 2, 3, 4]);
  });

  test("goes to the others when one socket fails, and that one is asked to come back", async () => {
    const clients = await Promise.all([1, 2, 3].map(() => HubClient.join(hub(), TOOLS)));
    await runInDurableObject(hub(), async (instance, state) => {
      const [broken] = state.getWebSockets();
      Object.defineProperty(broken, "send", {
        value: () => {
          throw new Error("broken pipe");
        },
      });
      await instance.publish([tools], "a");
    });
    await Promise.all(
      clients.map((client) => client.until(() => client.changes.length > 0 || client.closeCode !== undefined)),
    );
    expect(clients.map(({ changes }) => changes.length).filter(Boolean)).toEqual([1, 1]);
    expect(clients.filter(({ closeCode }) => closeCode === CLOSE_REJOIN)).toHaveLength(1);
  });
});

describe("going on", () => {
  test("brings what was missed while the socket was cut by an eviction", async () => {
    const first = await HubClient.join(hub(), TOOLS);
    await publishMany(2);
    await first.received(2);
    await evictDurableObject(hub(), { webSockets: "close" });
    await publishMany(3);
    const again = await HubClient.join(hub(), TOOLS, first.position);
    await again.received(3);
    expect(again.joined).toMatchObject({ missed: false });
    expect(again.seqs).toEqual([3, 4, 5]);
    await publishMany(1);
    await again.received(4);
    expect(again.seqs).toEqual([3, 4, 5, 6]);
  });

  test("brings what was missed while everything was aborted, and the numbers go on", async () => {
    const first = await HubClient.join(hub(), TOOLS);
    await publishMany(2);
    await first.received(2);
    await abortAllDurableObjects();
    await publishMany(1);
    const again = await HubClient.join(hub(), TOOLS, first.position);
    await again.received(1);
    expect(again.seqs).toEqual([3]);
  });

  test("leaves nothing between replay and live while others publish", async () => {
    const { position } = await HubClient.join(hub(), TOOLS);
    const publishing = Promise.all(range(1, 40).map((index) => hub().publish([tools], `p${index}`)));
    const joiners = await Promise.all(range(1, 10).map(() => HubClient.join(hub(), TOOLS, position)));
    await publishing;
    for (const joiner of joiners) {
      await joiner.received(40);
      expect(joiner.seqs).toEqual(range(1, 40));
    }
  });

  test("replays only what is of interest, and says where the hub is when nothing is", async () => {
    const { position } = await HubClient.join(hub(), NOTES);
    await hub().publish([tools, updated("note://2"), updated("note://3")], "a");
    const notes = await HubClient.join(hub(), NOTES, position);
    await notes.received(1);
    expect(notes.changes).toEqual([{ seq: 2, change: updated("note://2") }]);
    expect(notes.joined).toMatchObject({ position, missed: false });
    const none = await HubClient.join(hub(), { promptsListChanged: true }, position);
    expect(none.joined).toMatchObject({ position: { ...position, seq: 3 }, missed: false });
  });

  test("says that some was missed where the log was cut, but not one number later", async () => {
    const { position } = await HubClient.join(hub(), TOOLS);
    await hub().publish(
      Array.from({ length: 1_000 }, () => tools),
      "a",
    );
    await publishMany(1);
    const late = await HubClient.join(hub(), TOOLS, position);
    expect(late.joined).toMatchObject({ position: { ...position, seq: 1_001 }, missed: true });
    const inTime = await HubClient.join(hub(), TOOLS, { ...position, seq: 1 });
    await inTime.received(1_000);
    expect(inTime.joined).toMatchObject({ missed: false });
    expect(inTime.seqs).toEqual(range(2, 1_001));
    await publishMany(1);
    await late.received(1);
    expect(late.seqs).toEqual([1_002]);
  });

  test.each([
    ["another log", (epoch: string) => ({ epoch: `${epoch}x`, seq: 1 })],
    ["numbers that the hub has not reached", (epoch: string) => ({ epoch, seq: 7 })],
    ["a number before the first", (epoch: string) => ({ epoch, seq: -5 })],
  ])("says that all may have changed to a listener that comes with %s", async (_what, resumeOf) => {
    const { position } = await HubClient.join(hub(), TOOLS);
    await publishMany(2);
    const listener = await HubClient.join(hub(), TOOLS, resumeOf(position.epoch));
    expect(listener.joined).toMatchObject({ position: { ...position, seq: 2 }, missed: true });
    await publishMany(1);
    await listener.received(1);
    expect(listener.seqs).toEqual([3]);
  });
});

describe("what a hub refuses", () => {
  test.each([
    ["no upgrade", undefined, "", 426],
    ["another upgrade", joinHeader(TOOLS), "h2c", 426],
    ["no join header", undefined, "websocket", 400],
    ["what is not JSON", "{", "websocket", 400],
    ["a list", "[]", "websocket", 400],
    ["interest that is no Base64", '{"versions":[1],"lists":[],"uris":"?"}', "websocket", 400],
    ["half a hash", '{"versions":[1],"lists":[],"uris":"AAA="}', "websocket", 400],
    [
      "more hashes than fit beside a socket",
      `{"versions":[1],"lists":[],"uris":"${"A".repeat(16_388)}"}`,
      "websocket",
      400,
    ],
    ["a position without a number", '{"versions":[1],"lists":[],"uris":"","resume":{"epoch":"e"}}', "websocket", 400],
  ])("%s", async (_what, header, upgrade, status) => {
    const response = await dial(hub(), header, upgrade);
    expect([response.status, response.webSocket]).toEqual([status, null]);
    expect(await tables(hub())).toEqual([]);
  });

  test("versions that it does not speak, telling its own", async () => {
    const response = await dial(hub(), joinHeader(TOOLS, undefined, [2, 99]));
    expect([response.status, await response.json()]).toEqual([426, { versions: [1] }]);
    const spoken = await dial(hub(), joinHeader(TOOLS, undefined, [99, 1]));
    expect(spoken.status).toBe(101);
    spoken.webSocket?.accept();
    spoken.webSocket?.close();
  });

  test("more sockets than it holds, until one leaves", async () => {
    class SmallHub extends SubscriptionHub {
      static override readonly limits = { ...SubscriptionHub.limits, sockets: 2 };
    }
    await runInDurableObject(hub(), async (_instance, state) => {
      const small = new SmallHub(state, {});
      const ask = () =>
        small.fetch(
          new Request("https://hub.invalid/", {
            headers: { upgrade: "websocket", "mcp-edge-join": joinHeader(TOOLS) },
          }),
        );
      expect([(await ask()).status, (await ask()).status]).toEqual([101, 101]);
      const refused = await ask();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
      state.getWebSockets()[0]?.close(1_000);
      expect((await ask()).status).toBe(101);
    });
  });

  test.each(["acme", "hub:", "leaf:a", "leaf:a:", "leaf::acme", ""])("to be an object called %j", async (name) => {
    const stub = hubs.getByName(name);
    await expect(async () => await stub.publish([tools], "a")).rejects.toThrow("must be addressed by a hub name");
    await expect(async () => await dial(stub, joinHeader(TOOLS))).rejects.toThrow("must be addressed by a hub name");
  });

  test.each<[string, unknown, unknown, string]>([
    ["changes that are no array", { 0: tools }, "a", "changes: must be an array"],
    ["more changes than it takes", Array.from({ length: 1_001 }, () => tools), "a", "at most 1000"],
    ["a change of no kind", [{ type: "everything" }], "a", "change.type"],
    ["a change without its URI", [tools, { type: "resourceUpdated" }], "a", "change.uri"],
    ["a URI that is too long", [updated("x".repeat(2_049))], "a", "change.uri"],
    ["no publication", [tools], undefined, "publication"],
    ["an empty publication", [tools], "", "publication"],
    ["a publication that is too long", [tools], "p".repeat(65), "publication"],
  ])("%s", async (_what, changes, publication, message) => {
    // What a program in another language, or of another version, might send.
    await expect(async () => await hub().publish(changes as Change[], publication as string)).rejects.toThrow(message);
    expect(await tables(hub())).toEqual([]);
  });

  test.each([
    ["a forged frame", '{"type":"changes","changes":[[1,"toolsListChanged"]]}'],
    ["binary", new ArrayBuffer(8)],
  ])("%s from a listener, whose socket it closes while the others stay", async (_what, data) => {
    const forger = await HubClient.join(hub(), TOOLS);
    const other = await HubClient.join(hub(), TOOLS);
    forger.socket.send(data);
    await forger.closed();
    expect(forger.closeCode).toBe(1_003);
    await publishMany(1);
    await other.received(1);
    expect([other.seqs, forger.seqs]).toEqual([[1], []]);
  });

  test.each([
    ["of another version of this code", { a: 2, version: 1 }, CLOSE_REJOIN],
    ["that somebody else made", "attachment", CLOSE_REJOIN],
    [
      "of a frame version that is spoken no more",
      { a: 1, version: 0, lists: ["toolsListChanged"], uris: new Uint32Array() },
      CLOSE_VERSION,
    ],
  ])("a socket with an attachment %s", async (_what, attachment, code) => {
    const old = await HubClient.join(hub(), TOOLS);
    await runInDurableObject(hub(), (_instance, state) => {
      for (const socket of state.getWebSockets()) socket.serializeAttachment(attachment);
    });
    const other = await HubClient.join(hub(), TOOLS);
    await publishMany(1);
    await Promise.all([old.closed(), other.received(1)]);
    expect([old.closeCode, old.seqs, other.seqs]).toEqual([code, [], [1]]);
  });
});

describe("sleep", () => {
  test("keeps the sockets and what each asked for", async () => {
    const notes = await HubClient.join(hub(), NOTES);
    const lists = await HubClient.join(hub(), TOOLS);
    for (const round of [1, 2, 3]) {
      await evictDurableObject(hub(), { webSockets: "hibernate" });
      await hub().publish([updated("note://2"), tools], `p${round}`);
    }
    await Promise.all([notes.received(3), lists.received(3)]);
    expect([notes.seqs, lists.seqs]).toEqual([
      [1, 3, 5],
      [2, 4, 6],
    ]);
  });

  test("is not disturbed by pings, which the runtime answers", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    await runInDurableObject(hub(), (_instance, state) => {
      expect(state.getWebSocketAutoResponse()).toMatchObject({ request: PING, response: PONG });
    });
    const pong = new Promise((resolve) => listener.socket.addEventListener("message", ({ data }) => resolve(data)));
    listener.socket.send(PING);
    expect(await pong).toBe(PONG);
  });

  test("has no alarm pending while listeners are quiet, and none is left when the log has run empty", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    expect(await pendingAlarm(hub())).toBeNull();
    await publishMany(2);
    await listener.received(2);
    expect(await pendingAlarm(hub())).toBeGreaterThan(Date.now());
    await age(hub());
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await pendingAlarm(hub())).toBeNull();
    await publishMany(1);
    await listener.received(3);
    expect(listener.seqs).toEqual([1, 2, 3]);
  });

  test("is not woken to see who is left while somebody is, or for who came since", async () => {
    const first = await HubClient.join(hub(), TOOLS);
    const second = await HubClient.join(hub(), TOOLS);
    first.socket.close();
    await left(1);
    expect(await pendingAlarm(hub())).toBeNull();
    second.socket.close();
    await left(0);
    await eventually(async () => (await pendingAlarm(hub())) !== null);
    const third = await HubClient.join(hub(), TOOLS);
    expect(await pendingAlarm(hub())).toBeNull();
    third.socket.close();
  });

  test("sets its alarm once, however many publish", async () => {
    await publishMany(1);
    const first = await pendingAlarm(hub());
    await publishMany(5);
    await evictDurableObject(hub());
    await publishMany(5);
    expect(await pendingAlarm(hub())).toBe(first);
  });
});

/** Resolves once that many sockets are open, and what the others' ends brought about is done. */
function left(count: number): Promise<void> {
  return eventually(() =>
    runInDurableObject(
      hub(),
      (_hub, state) => state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length === count,
    ),
  );
}

describe("storage", () => {
  test("is gone after the alarm when nobody listens and nothing is left, and the next log is another", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    await publishMany(2);
    await listener.received(2);
    const { position } = listener;
    listener.socket.close(1_000);
    await listener.closed();
    await age(hub());
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect([await tables(hub()), await pendingAlarm(hub())]).toEqual([[], null]);
    const again = await HubClient.join(hub(), TOOLS, position);
    expect(again.joined).toMatchObject({ missed: true, position: { seq: 0 } });
    expect(again.position.epoch).not.toBe(position.epoch);
  });

  test("stays while there is something to replay, and the alarm is set for when it is due", async () => {
    await publishMany(1);
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await tables(hub())).not.toEqual([]);
    expect(await pendingAlarm(hub())).toBeGreaterThan(Date.now() + 3_000_000);
  });

  test("stays while somebody listens, so that the numbers go on", async () => {
    const listener = await HubClient.join(hub(), TOOLS);
    await publishMany(1);
    await age(hub());
    await runDurableObjectAlarm(hub());
    await evictDurableObject(hub());
    await publishMany(1);
    await listener.received(2);
    expect(listener.seqs).toEqual([1, 2]);
  });

  test("is gone after the last of many listeners left a hub to which nothing was ever published", async () => {
    const listeners = await Promise.all(range(1, 20).map(() => HubClient.join(hub(), TOOLS)));
    for (const { socket } of listeners) socket.close(1_000);
    await Promise.all(listeners.map((listener) => listener.closed()));
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect([await tables(hub()), await pendingAlarm(hub())]).toEqual([[], null]);
  });

  test("is tidied by an alarm that wakes the object without its name", async () => {
    await publishMany(1);
    await age(hub());
    await runInDurableObject(hub(), async (_instance, state) => {
      const nameless = Object.create(state, {
        id: { value: { name: undefined } },
        storage: { value: state.storage },
        setWebSocketAutoResponse: { value: () => undefined },
        getWebSockets: { value: () => [] },
      }) as DurableObjectState; // As far as an alarm uses it.
      await SubscriptionHub.prototype.alarm.call(new SubscriptionHub(nameless, {}));
    });
    expect(await tables(hub())).toEqual([]);
  });
});

function find(exports: object | undefined, env: unknown): unknown {
  return SubscriptionHub.namespace({ ...(exports && { exports }) }, env);
}

describe("where hubs are found", () => {
  const namespace = { getByName: () => undefined };
  test("the class's own loopback binding comes before a binding, and neither is an error that names both", () => {
    expect(find({ SubscriptionHub: namespace }, {})).toBe(namespace);
    expect(find({ SubscriptionHub }, { SUBSCRIPTION_HUB: namespace })).toBe(namespace);
    expect(find(undefined, { SUBSCRIPTION_HUB: namespace })).toBe(namespace);
    expect(() => find({}, undefined)).toThrow(/ctx\.exports\.SubscriptionHub.*env\.SUBSCRIPTION_HUB/);
  });
});

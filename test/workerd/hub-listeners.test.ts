/**
 * Listeners and publishers over real hub objects, through the bus alone.
 */
import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import type { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import { hubBus, type HubNamespace } from "../../src/cloudflare/hub-bus.ts";
import { MAX_SUBSCRIPTION_URIS } from "../../src/subscriptions/filter.ts";
import type { Change, SubscriptionFilter } from "../../src/protocol/subscription.ts";
import { env as bindings } from "./client.ts";
import { Ear } from "./fake-hub.ts";

/** The generated type of the pinboard's bindings need not know of the hub. */
const env = bindings as unknown as { readonly SUBSCRIPTION_HUB: DurableObjectNamespace<SubscriptionHub> };
const acme = { tenant: "acme", env };
const bus = hubBus();
const TOOLS: SubscriptionFilter = { toolsListChanged: true };
const CHANGED: Change = { type: "toolsListChanged" };

const open: AbortController[] = [];

afterEach(async () => {
  for (const leaving of open.splice(0)) leaving.abort();
  await reset();
});

async function listen(filter: SubscriptionFilter, { scope = acme, over = bus } = {}) {
  const leaving = new AbortController();
  open.push(leaving);
  const ear = new Ear(filter);
  await over.subscribe(ear.listener(env), scope, leaving.signal);
  return { ear, leave: () => leaving.abort() };
}

function hub(name = "hub:acme") {
  return env.SUBSCRIPTION_HUB.getByName(name);
}

/** Runs work in an object's context, which is apart from others' as a request's is: its I/O objects belong to it. */
function inRequest(name: string, work: () => Promise<void>): Promise<void> {
  return runInDurableObject(bindings.BOARDS.getByName(name), work);
}

function sockets(stub = hub()): Promise<number> {
  return runInDurableObject(stub, (_hub, state) => {
    return state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  });
}

describe("a listener", () => {
  test("hears what is published for it, from the moment that it is subscribed, and nothing from before", async () => {
    await bus.publish([{ type: "resourceUpdated", uri: "note://early" }], acme);
    const { ear } = await listen({ resourceSubscriptions: ["note://early", "note://1"], toolsListChanged: true });
    await bus.publish([{ type: "resourceUpdated", uri: "note://1" }, { type: "promptsListChanged" }], acme);
    await bus.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 2);
    expect(ear.heard).toEqual(["note://1", "toolsListChanged"]);
  });

  test("hears nothing of what concerns another tenant", async () => {
    const { ear } = await listen(TOOLS);
    const { ear: foreign } = await listen(TOOLS, { scope: { tenant: "acme:hub", env } });
    await bus.publish([CHANGED], { tenant: "acme:hub", env });
    await foreign.until(({ length }) => length === 1);
    await bus.publish([{ type: "resourcesListChanged" }, CHANGED], acme);
    await ear.until(({ length }) => length === 1);
    expect(ear.heard).toEqual(["toolsListChanged"]);
    expect(foreign.heard).toEqual(["toolsListChanged"]);
  });

  test("keeps its socket while the hub sleeps, and hears what wakes it", async () => {
    let joins = 0;
    const counted = hubBus({ namespace: () => watched({ fetched: () => (joins += 1) }) });
    const { ear } = await listen(TOOLS, { over: counted });
    await evictDurableObject(hub(), { webSockets: "hibernate" });
    await bus.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 1);
    expect(joins).toBe(1);
  });

  test("is known to be there by probes that wake nobody", async () => {
    let joins = 0;
    const probing = hubBus({ namespace: () => watched({ fetched: () => (joins += 1) }), probeMs: 10 });
    await listen(TOOLS, { over: probing });
    await evictDurableObject(hub(), { webSockets: "hibernate" });
    await scheduler.wait(300);
    await expect(evictDurableObject(hub())).rejects.toThrow("not currently running"); // So it still slept.
    expect(joins).toBe(1);
    const answeredAt = await runInDurableObject(hub(), (_hub, state) => {
      return state.getWebSockets().map((socket) => state.getWebSocketAutoResponseTimestamp(socket));
    });
    expect(answeredAt).toEqual([expect.any(Date)]);
  });

  test("of as many and as long URIs as there may be hears of each", async () => {
    const uris = Array.from({ length: MAX_SUBSCRIPTION_URIS }, (_, n) => `note://${n}/`.padEnd(2_048, "é"));
    const { ear } = await listen({ resourceSubscriptions: uris });
    await bus.publish(
      uris.map((uri) => ({ type: "resourceUpdated", uri }) as const),
      acme,
    );
    await ear.until(({ length }) => length === uris.length);
    expect(ear.heard).toEqual(uris);
  });

  test("is served in a request of its own, and others publish from theirs", async () => {
    let subscribed = 0;
    const requests = ["one", "two", "three"].map((name) =>
      inRequest(name, async () => {
        const { ear, leave } = await listen(TOOLS);
        subscribed += 1;
        await ear.until(({ length }) => length === 2);
        leave();
      }),
    );
    await expect.poll(() => subscribed).toBe(3);
    await inRequest("four", () => bus.publish([CHANGED], acme));
    await bus.publish([CHANGED], acme);
    await Promise.all(requests);
  });

  test("hears what was published while its hub had lost its sockets", async () => {
    const { ear } = await listen(TOOLS);
    await evictDurableObject(hub(), { webSockets: "close" });
    await bus.publish([CHANGED], acme);
    await bus.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 2);
    expect(ear.heard).toEqual(["toolsListChanged", "toolsListChanged"]);
  });

  test("of a leaf hears what is published to the root", async () => {
    const leafy = hubBus({ leaf: () => ({ name: "weur-0", locationHint: "weur" }) });
    const { ear } = await listen(TOOLS, { over: leafy });
    expect(await sockets(hub("leaf:weur-0:acme"))).toBe(1);
    await bus.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 1);
    expect(await sockets()).toBe(0);
  });

  test("leaves no socket behind, however often listeners come and go", async () => {
    for (let round = 0; round < 200; round += 1) {
      const { leave } = await listen(TOOLS);
      leave();
    }
    const { ear } = await listen(TOOLS);
    await bus.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 1);
    await expect.poll(() => sockets()).toBe(1);
  });
});

describe("a publication", () => {
  test("whose first answer is lost is delivered once", async () => {
    const lossy = hubBus({
      namespace: () => watched({ published: (attempt) => attempt === 1 && fail("Network connection lost.") }),
      clock: { now: Date.now, pause: () => Promise.resolve() },
    });
    const { ear } = await listen({ ...TOOLS, promptsListChanged: true });
    await lossy.publish([CHANGED], acme);
    await lossy.publish([{ type: "promptsListChanged" }], acme);
    await ear.until(({ length }) => length === 2);
    expect(ear.heard).toEqual(["toolsListChanged", "promptsListChanged"]);
  });

  test("that the hub takes for malformed fails, and says so", async () => {
    const wrong = { type: "moodChanged" } as unknown as Change; // What no compiler saw.
    await expect(bus.publish([wrong], acme)).rejects.toMatchObject({
      code: "publish_failed",
      cause: { name: "TypeError", message: expect.stringContaining("change.type") },
    });
  });
});

describe("hubs are found", () => {
  test("by a binding that the option names", async () => {
    const bound = hubBus<typeof env>({ namespace: ({ SUBSCRIPTION_HUB }) => SUBSCRIPTION_HUB });
    const { ear } = await listen(TOOLS);
    await bound.publish([CHANGED], acme);
    await ear.until(({ length }) => length === 1);
  });
});

function fail(message: string): never {
  throw new Error(message);
}

/** The real hubs, watched: what happens after a join was sent, and after an attempt to publish was answered. */
function watched({
  fetched,
  published,
}: {
  fetched?: () => void;
  published?: (attempt: number) => void;
}): HubNamespace {
  let attempts = 0;
  return {
    getByName(name, options) {
      const stub = env.SUBSCRIPTION_HUB.getByName(name, options);
      return {
        fetch(url, init) {
          fetched?.();
          return stub.fetch(url, init);
        },
        async publish(changes, publication) {
          const seq = await stub.publish(changes, publication);
          published?.((attempts += 1));
          return seq;
        },
      };
    },
  };
}

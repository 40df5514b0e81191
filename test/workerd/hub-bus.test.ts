/**
 * The Worker's side of the hub against hubs that are slow, mute, foreign or hostile. Real ones: hub-listeners.test.ts.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/cloudflare/clock.ts";
import {
  CLOSE_REJOIN,
  CLOSE_VERSION,
  FRAME_VERSIONS,
  hashUri,
  type HubFrame,
  PING,
  PONG,
} from "../../src/cloudflare/frames.ts";
import { hubBus, type HubBusOptions } from "../../src/cloudflare/hub-bus.ts";
import type { Change, SubscriptionFilter } from "../../src/protocol/subscription.ts";
import { Ear, FakeClock, FakeHub } from "./fake-hub.ts";

const scope = { tenant: "acme", env: undefined };
const NOTES: SubscriptionFilter = { resourceSubscriptions: ["note://1", "note://2"], toolsListChanged: true };

const open: AbortController[] = [];

afterEach(() => {
  for (const leaving of open.splice(0)) leaving.abort();
});

/** A listener that asks a fake hub to join, with short times. */
function listen(options: Partial<HubBusOptions<undefined>> = {}, filter = NOTES) {
  const hub = new FakeHub();
  const leaving = new AbortController();
  open.push(leaving);
  const ear = new Ear(filter);
  const clock = new FakeClock();
  const bus = hubBus<undefined>({ namespace: () => hub, random: () => 0, clock, ...options });
  const subscribed = bus.subscribe(ear.listener(undefined), scope, leaving.signal);
  return { hub, ear, clock, leaving, subscribed };
}

/** A listener that has joined at number 10 of the log "e". */
async function joined(options: Partial<HubBusOptions<undefined>> = {}, filter = NOTES) {
  const listening = listen(options, filter);
  const end = (await listening.hub.next()).accept();
  end.send(welcome(10));
  await listening.subscribed;
  return { ...listening, end };
}

function publisher(options: HubBusOptions<undefined> = {}) {
  const hub = new FakeHub();
  const clock = new FakeClock();
  return { hub, clock, bus: hubBus<undefined>({ namespace: () => hub, random: () => 0, clock, ...options }) };
}

function welcome(seq: number, { epoch = "e", missed = false } = {}): HubFrame {
  return { type: "joined", version: FRAME_VERSIONS[0] ?? 0, position: { epoch, seq }, missed };
}

function updates(...entries: [seq: number, uri: string][]): HubFrame {
  return { type: "changes", changes: entries.map(([seq, uri]) => ({ seq, change: { type: "resourceUpdated", uri } })) };
}

describe("joining", () => {
  test("asks the tenant's hub, with the versions and the interest, and is subscribed once it is welcome", async () => {
    const { hub, subscribed } = listen();
    const { name, join, accept } = await hub.next();
    expect(name).toBe("hub:acme");
    expect(join.versions).toEqual(FRAME_VERSIONS);
    expect(join.interest.lists).toEqual(["toolsListChanged"]);
    // Hashes, since the filter names URIs.
    expect(Array.from(join.interest.uris as Uint32Array)).toEqual(
      [hashUri("note://1"), hashUri("note://2")].toSorted((a, b) => a - b),
    );
    expect(join.resume).toBeUndefined();
    accept().send(welcome(0));
    await subscribed;
  });

  test("asks the leaf that the caller belongs to", async () => {
    const { hub } = listen({ leaf: () => ({ name: "weur-0", locationHint: "weur" }) });
    expect((await hub.next()).name).toBe("leaf:weur-0:acme");
  });

  test("fails when the hub never answers, and closes the socket of an answer that comes too late", async () => {
    const { hub, subscribed } = listen({ joinTimeoutMs: 20 });
    const { accept } = await hub.next();
    await expect(subscribed).rejects.toMatchObject({ name: "McpError", code: "subscription_unavailable" });
    expect(await accept().closed).toBe(1_000);
  });

  test("fails when the hub opens a socket but never says a word, and closes it", async () => {
    const { hub, subscribed } = listen({ joinTimeoutMs: 20 });
    const { closed } = (await hub.next()).accept();
    await expect(subscribed).rejects.toMatchObject({ code: "subscription_unavailable" });
    expect(await closed).toBe(1_000);
  });

  test("tries again when the hub is reset in the midst of it", async () => {
    const { hub, subscribed } = listen();
    (await hub.next()).fail(new Error("Durable Object reset because its code was updated."));
    (await hub.next()).accept().socket.close(1_012);
    (await hub.next()).accept().send(welcome(3));
    await subscribed;
  });

  test.each([
    ["is full", 503],
    ["has no version in common", 426],
  ])("fails at once when the hub %s", async (_name, status) => {
    const { hub, subscribed } = listen();
    (await hub.next()).answer(new Response("no", { status }));
    await expect(subscribed).rejects.toMatchObject({ code: "subscription_unavailable" });
    expect(hub.joins).toBe(1);
  });

  test("closes the socket that arrives after the listener has left, and is done", async () => {
    const { hub, ear, leaving, subscribed } = listen();
    const { accept } = await hub.next();
    leaving.abort();
    await subscribed;
    expect(await accept().closed).toBe(1_000);
    expect(ear.heard).toEqual([]);
  });

  test("asks nobody for a listener that has left before", async () => {
    const hub = new FakeHub();
    const bus = hubBus<undefined>({ namespace: () => hub });
    await bus.subscribe(new Ear(NOTES).listener(undefined), scope, AbortSignal.abort());
    expect(hub.joins).toBe(0);
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(257)],
  ])("is refused for a tenant whose name is %s, as is publishing", async (_name, tenant) => {
    const { bus, hub } = publisher();
    const listener = new Ear(NOTES).listener(undefined);
    const { signal } = new AbortController();
    await expect(bus.subscribe(listener, { ...scope, tenant }, signal)).rejects.toThrow(TypeError);
    await expect(bus.publish([{ type: "toolsListChanged" }], { ...scope, tenant })).rejects.toThrow(TypeError);
    expect(hub.joins).toBe(0);
  });
});

describe("listening", () => {
  test("delivers in order what was asked for, each number once", async () => {
    const { end, ear } = await joined();
    end.send(
      updates([11, "note://1"], [12, "note://2"]),
      updates([12, "note://2"], [11, "note://1"], [13, "note://1"]),
    );
    await ear.until(({ length }) => length === 3);
    expect(ear.heard).toEqual(["note://1", "note://2", "note://1"]);
  });

  test("keeps back what only shares its hash with a URI that was asked for, and goes on after it", async () => {
    const { hub, end, ear } = await joined();
    end.send(updates([11, "note://a stranger's"], [12, "note://1"]), updates([13, "note://a stranger's"]));
    end.socket.close(1_012);
    expect((await hub.next()).join.resume).toEqual({ epoch: "e", seq: 13 });
    expect(ear.heard).toEqual(["note://1"]);
  });

  test("ignores frames and changes of kinds that a later version may have", async () => {
    const { end, ear } = await joined();
    end.socket.send(JSON.stringify({ type: "weather" }));
    end.socket.send(JSON.stringify({ type: "changes", changes: [[11, "moodChanged"]], extra: 1 }));
    end.send(updates([12, "note://1"]));
    await ear.until(({ length }) => length === 1);
    expect(ear.heard).toEqual(["note://1"]);
  });

  test("closes the socket when the listener leaves, and delivers nothing more", async () => {
    const { hub, end, ear, leaving } = await joined();
    leaving.abort();
    end.send(updates([11, "note://1"]));
    expect(await end.closed).toBe(1_000);
    expect(ear.heard).toEqual([]);
    expect(hub.joins).toBe(1);
  });
});

describe("a listener that leaves", () => {
  test("because of a change hears nothing of the others that came with it", async () => {
    const { end, ear, leaving } = await joined();
    ear.onHeard = () => leaving.abort();
    end.send(updates([11, "note://1"], [12, "note://2"]));
    await end.closed;
    expect(ear.heard).toEqual(["note://1"]);
  });

  test("after many links has nothing left on its signal", async () => {
    const leaving = new AbortController();
    const added = vi.spyOn(leaving.signal, "addEventListener");
    const removed = vi.spyOn(leaving.signal, "removeEventListener");
    const { hub, bus } = publisher({ clock: systemClock });
    const subscribed = bus.subscribe(new Ear(NOTES).listener(undefined), scope, leaving.signal);
    for (let link = 0; link < 3; link += 1) {
      const end = (await hub.next()).accept();
      end.send(welcome(10));
      await subscribed;
      end.socket.close(1_012);
    }
    const { closed, send } = (await hub.next()).accept();
    send(welcome(10));
    leaving.abort();
    await closed;
    expect(added.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe("a broken link", () => {
  test.each([
    ["a restart", 1_012],
    ["the hub's wish", CLOSE_REJOIN],
  ])("is mended after %s from where it was, unnoticed by the listener", async (_name, code) => {
    const { hub, end, ear } = await joined();
    end.send(updates([11, "note://1"]));
    end.socket.close(code);
    const again = await hub.next();
    expect(again.join.resume).toEqual({ epoch: "e", seq: 11 });
    again.accept().send(welcome(11), updates([12, "note://2"], [13, "note://1"]));
    await ear.until(({ length }) => length === 3);
    expect(ear.heard).toEqual(["note://1", "note://2", "note://1"]);
  });

  test("that broke before the replay came is mended from where the replay was to begin", async () => {
    const { hub, end } = await joined();
    end.socket.close(1_012);
    const second = (await hub.next()).accept();
    second.send(welcome(10));
    second.socket.close(1_012);
    expect((await hub.next()).join.resume).toEqual({ epoch: "e", seq: 10 });
  });

  test("with nothing to replay moves on to where the hub is, and never back", async () => {
    const { hub, end } = await joined();
    end.socket.close(1_012);
    for (const seq of [20, 5]) {
      const again = (await hub.next()).accept();
      again.send(welcome(seq));
      again.socket.close(1_012);
    }
    expect((await hub.next()).join.resume).toEqual({ epoch: "e", seq: 20 });
  });

  test.each([
    ["the log was cut", welcome(90, { missed: true })],
    ["the log is another one, even if the hub does not say so", welcome(90, { epoch: "f" })],
  ])("is told to the listener when %s, and numbers go on from there", async (_name, frame) => {
    const { hub, end, ear } = await joined();
    end.socket.close(1_012);
    const again = (await hub.next()).accept();
    again.send(frame, updates([90, "note://1"], [91, "note://2"]));
    await ear.until(({ length }) => length === 2);
    expect(ear.heard).toEqual(["missed", "note://2"]);
  });

  test.each([
    ["what is no JSON", "changes!"],
    ["bytes", new Uint8Array([1, 2, 3])],
    ["a change without a number", JSON.stringify({ type: "changes", changes: [["11", "toolsListChanged"]] })],
    ["a change without its URI", JSON.stringify({ type: "changes", changes: [[11, "resourceUpdated"]] })],
    ["a second welcome", JSON.stringify(welcome(99))],
  ])("is what comes of %s: nothing is believed, and the hub is asked anew", async (_name, data) => {
    const { hub, end, ear } = await joined();
    end.socket.send(data);
    end.send(updates([12, "note://1"]));
    expect((await hub.next()).join.resume).toEqual({ epoch: "e", seq: 10 });
    await end.closed;
    expect(ear.heard).toEqual([]);
  });

  test.each([
    ["changes before any welcome", updates([1, "note://1"])],
    ["a version that was not offered", { ...welcome(1), version: 77 } as HubFrame],
  ])("is also what comes of %s", async (_name, frame) => {
    const { hub, ear, subscribed } = listen();
    const end = (await hub.next()).accept();
    end.send(frame);
    await end.closed;
    (await hub.next()).accept().send(welcome(5));
    await subscribed;
    expect(ear.heard).toEqual([]);
  });

  test("is mended by asking again and again, less and less often", async () => {
    const { hub, end, clock } = await joined();
    end.socket.close(1_012);
    for (let attempt = 0; attempt < 4; attempt += 1) (await hub.next()).fail(new Error("not yet"));
    (await hub.next()).accept().send(welcome(10));
    expect(clock.pauses).toEqual([100, 200, 400, 800, 1_600]);
  });

  test("is mended almost at once when the link has held for a while, and so the next time", async () => {
    const { hub, end, ear, clock } = await joined();
    clock.later(1_000);
    end.socket.close(1_012);
    const second = (await hub.next()).accept();
    second.send(welcome(10), updates([11, "note://1"]));
    await ear.until(({ length }) => length === 1);
    clock.later(1_000);
    second.socket.close(1_012);
    await hub.next();
    expect(clock.pauses).toEqual([0, 0]);
  });

  test("that cannot be mended in time ends the listener as broken, and nothing is asked any more", async () => {
    const { hub, end, ear, clock } = await joined({ maxOutageMs: 700 });
    end.socket.close(1_012);
    (await hub.next()).answer(new Response("full", { status: 503 }));
    (await hub.next()).fail(new Error("not yet"));
    await ear.until(({ length }) => length === 1);
    expect(ear.heard).toEqual(["broken"]);
    expect(clock.pauses).toEqual([100, 200]); // The next would be 400.
    expect(hub.joins).toBe(3);
  });

  test("is not mended after the listener has left meanwhile", async () => {
    const { hub, end, ear, leaving } = await joined();
    end.socket.close(1_012);
    const { accept } = await hub.next();
    leaving.abort();
    expect(await accept().closed).toBe(1_000);
    expect(ear.heard).toEqual([]);
  });

  test("to a hub of a later version, by its close code, ends the listener gracefully", async () => {
    const { hub, end, ear } = await joined();
    end.socket.close(CLOSE_VERSION);
    await ear.until(({ length }) => length === 1);
    expect(ear.heard).toEqual(["graceful"]);
    expect(hub.joins).toBe(1);
  });

  test("to a hub of a later version, by its refusal of the next join, ends the listener gracefully", async () => {
    const { hub, end, ear } = await joined();
    end.socket.close(1_012);
    (await hub.next()).answer(Response.json({ versions: [2] }, { status: 426 }));
    await ear.until(({ length }) => length === 1);
    expect(ear.heard).toEqual(["graceful"]);
  });

  test("is noticed by its silence: a hub that leaves a probe unanswered is left and asked anew", async () => {
    const { hub, end } = await joined({ probeMs: 20 });
    expect((await hub.next()).join.resume).toEqual({ epoch: "e", seq: 10 });
    expect(end.received).toEqual([PING]);
    expect(await end.closed).toBe(1_000);
  });

  test("is not taken for one while probes are answered", async () => {
    const { hub, end } = await joined({ probeMs: 20 });
    const { promise: often, resolve } = Promise.withResolvers<void>();
    end.socket.addEventListener("message", () => {
      end.socket.send(PONG);
      if (end.received.length >= 5) resolve();
    });
    await often;
    expect(hub.joins).toBe(1);
  });
});

describe("publishing", () => {
  const changes: Change[] = [{ type: "toolsListChanged" }];

  test("tries again under the same name when the connection breaks, so that the hub can tell", async () => {
    const { hub, bus } = publisher();
    hub.answerPublish = (attempt) =>
      attempt < 3 ? Promise.reject(new Error("Network connection lost.")) : Promise.resolve(1);
    await bus.publish(changes, scope);
    expect(hub.publications.map(({ changes }) => changes)).toEqual([changes, changes, changes]);
    expect(new Set(hub.publications.map(({ publication }) => publication)).size).toBe(1);
  });

  test("tries again when the hub does not answer in time", async () => {
    const { hub, bus } = publisher({ publishTimeoutMs: 20 });
    hub.answerPublish = (attempt) => (attempt === 1 ? new Promise(() => {}) : Promise.resolve(1));
    await bus.publish(changes, scope);
    expect(hub.publications).toHaveLength(2);
  });

  test("gives up after five attempts, and says why", async () => {
    const { hub, bus } = publisher();
    const cause = new Error("Network connection lost.");
    hub.answerPublish = () => Promise.reject(cause);
    await expect(bus.publish(changes, scope)).rejects.toMatchObject({ code: "publish_failed", cause });
    expect(hub.publications).toHaveLength(5);
  });

  test("does not repeat what the hub has judged to be wrong", async () => {
    const { hub, bus } = publisher();
    const cause = new TypeError("change.uri: must be a URI");
    hub.answerPublish = () => Promise.reject(cause);
    await expect(bus.publish(changes, scope)).rejects.toMatchObject({ code: "publish_failed", cause });
    expect(hub.publications).toHaveLength(1);
  });

  test("leaves an overloaded hub alone for longer than one that was lost", async () => {
    for (const [overloaded, pause] of [
      [false, 100],
      [true, 1_600],
    ] as const) {
      const { hub, bus, clock } = publisher();
      const error = Object.assign(new Error("Durable Object is overloaded."), { overloaded });
      hub.answerPublish = (attempt) => (attempt === 1 ? Promise.reject(error) : Promise.resolve(1));
      await bus.publish(changes, scope);
      expect(clock.pauses).toEqual([pause]);
    }
  });

  test("asks nobody when nothing has changed", async () => {
    const { hub, bus } = publisher();
    await bus.publish([], scope);
    expect(hub.publications).toEqual([]);
  });

  test("splits what is too much for one call, in order", async () => {
    const { hub, bus } = publisher();
    const many = Array.from({ length: 2_500 }, (_, n): Change => ({ type: "resourceUpdated", uri: `note://${n}` }));
    await bus.publish(many, scope);
    expect(hub.publications.map(({ changes }) => changes.length)).toEqual([1_000, 1_000, 500]);
    expect(hub.publications.flatMap(({ changes }) => changes)).toEqual(many);
    expect(new Set(hub.publications.map(({ publication }) => publication)).size).toBe(3);
  });
});

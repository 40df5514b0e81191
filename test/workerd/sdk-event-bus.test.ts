/**
 * The hub as the official SDK's event bus, against hubs that fail. With that SDK itself: test/e2e/isolates.test.ts.
 */
import { afterEach, describe, expect, test } from "vitest";
import { FRAME_VERSIONS, type HubFrame } from "../../src/cloudflare/frames.ts";
import { type SdkEvent, sdkEventBus, type SdkEventBusOptions } from "../../src/cloudflare/sdk-event-bus.ts";
import { FakeHub } from "./fake-hub.ts";

const leaving: (() => void)[] = [];

afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
});

function subscribe(options: SdkEventBusOptions = {}) {
  const hub = new FakeHub();
  const errors: unknown[] = [];
  const heard: SdkEvent[] = [];
  const bus = sdkEventBus({
    namespace: () => hub,
    random: () => 0,
    onError: (error) => errors.push(error),
    ...options,
  });
  const leave = bus.subscribe((event) => heard.push(event));
  leaving.push(leave);
  return { hub, bus, errors, heard, leave };
}

const welcome: HubFrame = {
  type: "joined",
  version: FRAME_VERSIONS[0] ?? 0,
  position: { epoch: "e", seq: 0 },
  missed: false,
};
const CHANGES: HubFrame = {
  type: "changes",
  changes: [
    { seq: 1, change: { type: "toolsListChanged" } },
    { seq: 2, change: { type: "resourceUpdated", uri: "note://1" } },
  ],
};

describe("a stream of the official SDK", () => {
  test("hears everything, from a moment before it came", async () => {
    const before = Date.now();
    const { hub, heard } = subscribe();
    const { join, accept } = await hub.next();
    expect(join.interest).toEqual({
      lists: ["toolsListChanged", "promptsListChanged", "resourcesListChanged"],
      uris: "all",
    });
    expect(join.after).toBeLessThan(before);
    accept().send(welcome, CHANGES);
    await expect
      .poll(() => heard)
      .toEqual([{ kind: "tools_list_changed" }, { kind: "resource_updated", uri: "note://1" }]);
  });

  test("is not deaf for good when its first join fails", async () => {
    const { hub, errors, heard } = subscribe();
    (await hub.next()).answer(new Response(null, { status: 503 }));
    (await hub.next()).accept().send(welcome, CHANGES);
    await expect.poll(() => heard.length).toBe(2);
    expect(errors).toHaveLength(1);
  });

  test("is not deaf for good when its hub was away for long, and hears what was published meanwhile", async () => {
    const { hub, heard } = subscribe({ maxOutageMs: 1 });
    const first = await hub.next();
    const { send, socket } = first.accept();
    send(welcome);
    await new Promise((resolve) => setTimeout(resolve, 5));
    socket.close(1_011);
    let again = await hub.next();
    while (again.join.resume !== undefined) {
      again.fail(new Error("away"));
      again = await hub.next();
    }
    expect(again.join.after).toBeGreaterThanOrEqual(first.join.after ?? 0);
    again.accept().send(welcome, CHANGES);
    await expect.poll(() => heard.length).toBe(2);
  });

  test("leaves the hub when it ends", async () => {
    const { hub, leave } = subscribe();
    const { closed } = (await hub.next()).accept();
    leave();
    expect(await closed).toBe(1_000);
  });

  test("that fails to write keeps on hearing, and its failure is reported", async () => {
    const hub = new FakeHub();
    const errors: unknown[] = [];
    const bus = sdkEventBus({ namespace: () => hub, onError: (error) => errors.push(error) });
    let calls = 0;
    leaving.push(
      bus.subscribe(() => {
        calls += 1;
        throw new Error("closed");
      }),
    );
    (await hub.next()).accept().send(welcome, CHANGES);
    await expect.poll(() => calls).toBe(2);
    expect(errors).toHaveLength(2);
  });
});

test("what is published in that SDK's words reaches the hub, and a failure its operator", async () => {
  const { hub, bus, errors } = subscribe();
  bus.publish({ kind: "prompts_list_changed" });
  bus.publish({ kind: "resource_updated", uri: "note://1" });
  await expect
    .poll(() => hub.publications.map(({ changes }) => changes))
    .toEqual([[{ type: "promptsListChanged" }], [{ type: "resourceUpdated", uri: "note://1" }]]);
  hub.answerPublish = () => Promise.reject(new TypeError("no"));
  bus.publish({ kind: "tools_list_changed" });
  await expect.poll(() => errors).toMatchObject([{ code: "publish_failed" }]);
});

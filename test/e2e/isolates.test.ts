/**
 * Two Workers in isolates of their own, on the hubs of the first: what one publishes, listeners of both hear.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gist, listen, type Listening } from "../kit/listen.ts";
import { call, type Fetcher, type PostOptions } from "../kit/post.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const CONFIGS = ["wrangler", "home", "guest"].map((name) => `test/isolates/${name}.toml`);
const QUIET_MS = 62_000;

let worker: RunningWorker | undefined;
beforeAll(async () => {
  worker = await startWrangler(CONFIGS);
});
afterAll(() => worker?.stop());

const at = (path: string): string => `${worker?.url}${path}`;
const network: Fetcher = { fetch: (request) => fetch(request) };

const hear = (where: "home" | "guest", uris: readonly string[], options: PostOptions = {}): Promise<Listening> =>
  listen(network, { resourceSubscriptions: uris }, { url: at(`/${where}/mcp`), ...options });

async function publish(where: "home" | "guest", ...uris: string[]): Promise<void> {
  const { message } = await call(network, "publish", { uris }, { url: at(`/${where}/mcp`) });
  expect(message?.result).toMatchObject({ content: [{ text: "published" }] });
}

async function json(path: string): Promise<unknown> {
  return (await fetch(at(path))).json();
}

describe("listeners in two isolates", () => {
  test("hear what either publishes, each once and in order", async () => {
    const streams = await Promise.all([hear("home", ["test://a"]), hear("guest", ["test://a", "test://b"])]);
    for (const stream of streams) expect(gist(await stream.next())).toBe("subscriptions/acknowledged");
    await publish("guest", "test://b", "test://a");
    await publish("home", "test://a", "test://c");
    await publish("guest", "test://b");
    const [home, guest] = streams;
    for (const expected of ["a", "a"]) expect(gist(await home.next())).toBe(`resources/updated test://${expected}`);
    for (const expected of ["b", "a", "a", "b"]) {
      expect(gist(await guest.next())).toBe(`resources/updated test://${expected}`);
    }
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test("hear what is published outside of any MCP request", async () => {
    const stream = await hear("guest", ["test://cron"]);
    await stream.next();
    expect((await fetch(at("/home/publish?uri=test://cron"))).status).toBe(204);
    expect(gist(await stream.next())).toBe("resources/updated test://cron");
    await stream.close();
  });
});

describe("a server that is written with the official SDK", () => {
  const OFFICIAL = "/guest/official";

  test("hears on the hub what ours publishes in another isolate, and the other way round", async () => {
    const theirs = await listen(network, { resourceSubscriptions: ["test://a"] }, { url: at(OFFICIAL) });
    const ours = await hear("home", ["test://a"]);
    expect(gist(await theirs.next())).toBe("subscriptions/acknowledged");
    expect(gist(await ours.next())).toBe("subscriptions/acknowledged");
    await publish("home", "test://a");
    for (const stream of [theirs, ours]) expect(gist(await stream.next())).toBe("resources/updated test://a");
    await call(network, "publish", { uri: "test://a" }, { url: at(OFFICIAL) });
    for (const stream of [theirs, ours]) expect(gist(await stream.next())).toBe("resources/updated test://a");
    await Promise.all([theirs.close(), ours.close()]);
  });

  test("misses nothing that is published right after its acknowledgment", async () => {
    for (let round = 0; round < 20; round += 1) {
      const uri = `test://round/${round}`;
      const stream = await listen(network, { resourceSubscriptions: [uri] }, { url: at(OFFICIAL) });
      await stream.next();
      await publish("home", uri);
      expect(gist(await stream.next())).toBe(`resources/updated ${uri}`);
      await stream.close();
    }
  });
});

/** Slots of both isolates, and sockets of the hub. */
const left = async (): Promise<unknown[]> =>
  Promise.all([json("/home/constructed"), json("/guest/open"), json("/home/sockets")]);

describe("a client that disconnects", () => {
  const ROUNDS = 1_000;
  const AT_ONCE = 25;

  test(`leaves nothing behind: no slot, no socket, after ${ROUNDS} rounds`, async () => {
    for (let done = 0; done < ROUNDS; done += AT_ONCE) {
      const streams = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => hear(index % 2 === 0 ? "home" : "guest", ["test://a"])),
      );
      for (const stream of streams) expect(gist(await stream.next())).toBe("subscriptions/acknowledged");
      await Promise.all(streams.map((stream) => stream.close()));
    }
    // The runtime notices a client that has gone when it next writes to it, which a keep-alive does.
    await expect.poll(left, { timeout: 20_000 }).toEqual([expect.objectContaining({ open: 0 }), 0, 0]);
  });
});

describe("a quiet minute", () => {
  test("passes with keep-alives and without waking the hub, which is there again when it is needed", async () => {
    const streams = await Promise.all(
      Array.from({ length: 10 }, (_, index) => hear(index % 2 === 0 ? "home" : "guest", ["test://a"])),
    );
    for (const stream of streams) await stream.next();
    const { constructed: before } = (await json("/home/constructed")) as { constructed: number }; // As home.ts has it.
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    expect(await json("/home/constructed")).toMatchObject({ constructed: before });
    await publish("guest", "test://a");
    for (const stream of streams) expect(gist(await stream.next())).toBe("resources/updated test://a");
    // It had been asleep, or this would prove nothing.
    expect(await json("/home/constructed")).toMatchObject({ constructed: before + 1 });
    for (const stream of streams) expect(stream.comments()).toBeGreaterThan(QUIET_MS / 1_000 - 15);
    await Promise.all(streams.map((stream) => stream.close()));
  });
});

/**
 * Hubs under random faults: evictions, aborts, cut sockets, lost answers, outages.
 *
 * What is chosen follows from a seed alone; when the runtime carries it out does not.
 */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { systemClock } from "../../src/cloudflare/clock.ts";
import type { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import { hubBus, type HubNamespace } from "../../src/cloudflare/hub-bus.ts";
import { hubName, leafName } from "../../src/cloudflare/hub-name.ts";
import type { Bus } from "../../src/subscriptions/bus.ts";
import { env as bindings } from "./client.ts";
import { Ear } from "./fake-hub.ts";

/** The type of the pinboard's bindings need not know of the hub. */
const env = bindings as unknown as { readonly SUBSCRIPTION_HUB: DurableObjectNamespace<SubscriptionHub> };
const TENANT = "acme";

/** How many publications there may be from the last on, all included. */
const MAX_ENCORES = 500;

export interface Listening {
  readonly ear: Ear;
  readonly leave: () => void;
  /** What it is to hear, in the order in which it is published. */
  readonly due: string[];
}

export class Chaos {
  readonly listeners: Listening[] = [];
  /** How often each fault came. */
  readonly faults: Record<string, number> = {};
  readonly #random: () => number;
  readonly #leaves: readonly string[];
  readonly #bus: Bus;
  #isDown = false;
  #losesAnswer = false;

  constructor(seed: number, leaves: readonly string[] = []) {
    this.#random = mulberry32(seed);
    this.#leaves = leaves;
    this.#bus = hubBus({
      namespace: () => this.#hubs(),
      leaf: () => this.#leafOf(this.listeners.length),
      // A hundred times as much goes wrong as in the worst of times, so waits are a hundredth of what they are.
      clock: { now: Date.now, pause: (ms, signal) => systemClock.pause(ms / 100, signal) },
    });
  }

  /** Subscribes to about a share of the publications from `from` on, and to all from `last` on. */
  async listen(share: number, from: number, last: number): Promise<Listening> {
    const all = Array.from({ length: last + MAX_ENCORES - from }, (_, index) => from + index);
    const due = all.filter((number) => number >= last || this.#random() < share).map(uriOf);
    const ear = new Ear({ resourceSubscriptions: due });
    const leaving = new AbortController();
    await this.#bus.subscribe(ear.listener(env), { tenant: TENANT, env }, leaving.signal);
    const listening = { ear, due, leave: () => leaving.abort() };
    this.listeners.push(listening);
    return listening;
  }

  publish(number: number): Promise<void> {
    return this.#bus.publish([{ type: "resourceUpdated", uri: uriOf(number) }], { tenant: TENANT, env });
  }

  /**
   * Publishes the last, and encores, until there is one that all have heard: then each has heard also all from before, or
   * that it may have missed some. Encores that never came are struck off what was due.
   */
  async finish(last: number): Promise<void> {
    for (let number = last; ; number += 1) {
      const uri = uriOf(number);
      await this.publish(number);
      await systemClock.pause(20);
      if (!this.listeners.every(({ ear }) => ear.heard.at(-1) === uri)) continue;
      for (const { due } of this.listeners) due.length = due.indexOf(uri) + 1;
      return;
    }
  }

  /** With a probability of `likelihood` something bad happens. */
  async strike(likelihood: number): Promise<void> {
    if (this.#random() >= likelihood) return;
    const faults: Record<string, () => unknown> = {
      hibernation: () => this.#evict("hibernate"),
      eviction: () => this.#evict("close"),
      abort: () => abortAllDurableObjects(),
      "some cut": () => this.#cut((index) => index % 3 === 0),
      "all cut": () => this.#cut(() => true),
      "lost answer": () => (this.#losesAnswer = true),
    };
    const name = this.#pick(Object.keys(faults));
    this.faults[name] = (this.faults[name] ?? 0) + 1;
    await faults[name]?.();
  }

  /** Cuts all sockets, and lets nobody join until `work` is done. */
  async outage(work: () => Promise<void>): Promise<void> {
    this.#isDown = true;
    await this.#cut(() => true);
    await work();
    this.#isDown = false;
  }

  #hubs(): HubNamespace {
    return {
      getByName: (name, options) => {
        const stub = env.SUBSCRIPTION_HUB.getByName(name, options);
        return {
          fetch: (url, init) => (this.#isDown ? Promise.reject(new Error("down")) : stub.fetch(url, init)),
          publish: async (changes, publication) => {
            const seq = await stub.publish(changes, publication);
            if (!this.#losesAnswer) return seq;
            this.#losesAnswer = false;
            throw new Error("Network connection lost.");
          },
        };
      },
    };
  }

  #stubs(): DurableObjectStub<SubscriptionHub>[] {
    const names = [hubName(TENANT), ...this.#leaves.map((leaf) => leafName(TENANT, leaf))];
    return names.map((name) => env.SUBSCRIPTION_HUB.getByName(name));
  }

  #leafOf(index: number): { name: string } | undefined {
    const name = this.#leaves[index % this.#leaves.length];
    return name === undefined ? undefined : { name };
  }

  async #evict(webSockets: "hibernate" | "close"): Promise<void> {
    const stub = this.#pick(this.#stubs());
    await runInDurableObject(stub, () => {}); // It must run to be evicted.
    await evictDurableObject(stub, { webSockets });
  }

  async #cut(isHit: (index: number) => boolean): Promise<void> {
    for (const stub of this.#stubs()) {
      await runInDurableObject(stub, (_hub, state) => {
        for (const socket of state.getWebSockets().filter((_, index) => isHit(index))) socket.close(1_012);
      });
    }
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T; // Not empty, where it is used.
  }
}

export function uriOf(number: number): string {
  return `note://${number}`;
}

/**
 * What is wrong with what a listener heard: something twice, out of order, not due, or left out without a word. Silence
 * after the last is right for one that has left.
 */
export function wrongs(heard: readonly string[], due: readonly string[]): string[] {
  const found: string[] = [];
  let next = 0;
  let isWarned = false;
  for (const what of heard) {
    if (what === "missed") {
      isWarned = true;
      continue;
    }
    const index = due.indexOf(what);
    if (index < next) found.push(`${what} (${index === -1 ? "not due" : "again, or too late"})`);
    else if (index > next && !isWarned) found.push(`${due.slice(next, index).join()} left out before ${what}`);
    next = Math.max(next, index + 1);
    isWarned = false;
  }
  return found;
}

/** A small generator of random numbers that anybody can seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

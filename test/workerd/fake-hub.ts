/**
 * Hubs that do what real ones do seldom or never: answer late, lie, vanish. Each join is handed to the test as a request
 * to be answered, with the hub's end of the WebSocket where it is answered with one.
 */
import type { Clock } from "../../src/cloudflare/clock.ts";
import { type HubFrame, decodeJoin, encodeFrame, type Join, JOIN_HEADER } from "../../src/cloudflare/frames.ts";
import type { HubNamespace, HubStub } from "../../src/cloudflare/hub-bus.ts";
import type { Change } from "../../src/protocol/subscription.ts";
import type { Caller } from "../../src/server/exchange.ts";
import type { Listener } from "../../src/subscriptions/bus.ts";

/** A join that waits for its answer. */
export interface Joining {
  readonly name: string;
  readonly join: Join;
  readonly answer: (response: Response) => void;
  readonly fail: (error: unknown) => void;
  /** Answers with a WebSocket, whose other end this is. */
  readonly accept: () => FakeEnd;
}

/** The hub's end of a WebSocket. */
export interface FakeEnd {
  readonly socket: WebSocket;
  readonly received: unknown[];
  /** Resolves with the code when the Worker closes the socket. */
  readonly closed: Promise<number>;
  readonly send: (...frames: HubFrame[]) => void;
}

export class FakeHub implements HubNamespace {
  readonly publications: { readonly changes: readonly Change[]; readonly publication: string }[] = [];
  /** What `publish` does; the number of the attempt counts from 1. */
  answerPublish: (attempt: number) => Promise<number> = () => Promise.resolve(1);
  readonly #waiting: Joining[] = [];
  readonly #wanted: ((joining: Joining) => void)[] = [];
  joins = 0;

  getByName(name: string): HubStub {
    return {
      fetch: (_url, init) => this.#join(name, init),
      publish: (changes, publication) => {
        this.publications.push({ changes, publication });
        return this.answerPublish(this.publications.length);
      },
    };
  }

  /** The next join, in the order of arrival. */
  next(): Promise<Joining> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    return new Promise((resolve) => this.#wanted.push(resolve));
  }

  #join(name: string, init: RequestInit): Promise<Response> {
    this.joins += 1;
    const join = decodeJoin(new Headers(init.headers).get(JOIN_HEADER) ?? "");
    if (join === undefined) throw new Error("not a join");
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const joining = {
      name,
      join,
      answer: resolve,
      fail: reject,
      accept: () => acceptWith(resolve),
    };
    const wanted = this.#wanted.shift();
    if (wanted === undefined) this.#waiting.push(joining);
    else wanted(joining);
    return promise;
  }
}

function acceptWith(answer: (response: Response) => void): FakeEnd {
  const { 0: client, 1: socket } = new WebSocketPair();
  const received: unknown[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.accept();
  socket.addEventListener("message", ({ data }) => {
    received.push(data);
  });
  socket.addEventListener("close", ({ code }) => resolve(code));
  answer(new Response(null, { status: 101, webSocket: client }));
  return {
    socket,
    received,
    closed,
    send: (...frames) => {
      for (const frame of frames) socket.send(encodeFrame(frame));
    },
  };
}

/** What a listener heard: changes by their URI or type, and `missed`, `graceful`, `broken`. */
export class Ear {
  readonly heard: string[] = [];
  readonly filter: Listener["filter"];
  onHeard: () => void = () => {};
  #arrived: (() => void)[] = [];

  constructor(filter: Listener["filter"]) {
    this.filter = filter;
  }

  /** A listener whose caller is not looked at beyond its environment. */
  listener<Env>(env: Env): Listener<Env> {
    return {
      filter: this.filter,
      caller: { auth: null, env, request: undefined, meta: {} as Caller["meta"] },
      deliver: (change) => this.#hear(change.type === "resourceUpdated" ? change.uri : change.type),
      missed: () => this.#hear("missed"),
      end: (how) => this.#hear(how),
    };
  }

  /** Resolves once so much was heard. */
  async until(enough: (heard: readonly string[]) => boolean): Promise<void> {
    while (!enough(this.heard)) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  #hear(what: string): void {
    this.heard.push(what);
    this.onHeard();
    for (const arrived of this.#arrived.splice(0)) arrived();
  }
}

/** Time that passes only where somebody waits for it, and then in no time. */
export class FakeClock implements Clock {
  readonly pauses: number[] = [];
  #now = 0;
  readonly now = () => this.#now;
  readonly pause = (ms: number) => {
    this.pauses.push(ms);
    this.#now += ms;
    return Promise.resolve();
  };

  later(ms: number): void {
    this.#now += ms;
  }
}

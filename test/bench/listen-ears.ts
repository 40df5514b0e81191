/**
 * Many open subscriptions on bare sockets, and when each hears of a publication: as little work an arrival as will do,
 * since all of them share this process with each other.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type WireRequest, wireRequest } from "./wire.ts";

const HOST = "127.0.0.1";
const ACKNOWLEDGED = '"notifications/subscriptions/acknowledged"';
const UPDATED = '"notifications/resources/updated"';
/** Requests under way while streams are being opened. */
const OPENING_AT_ONCE = 50;
const OPEN_WITHIN_MS = 60_000;
const HEAR_WITHIN_MS = 20_000;
/** For a notification that comes once more than it should. */
const LATE_MS = 100;

export interface EarsOptions {
  /** Whom they listen to, for what goes wrong. */
  readonly title: string;
  readonly port: number;
  readonly count: number;
  /** What all listen for. */
  readonly uri: string;
}

export class Ears {
  readonly #options: EarsOptions;
  readonly #sockets: Socket[] = [];
  /** Notifications that each has heard so far. */
  readonly #heard: Uint32Array;
  readonly #failure = Promise.withResolvers<never>();
  #publications = 0;
  #arrivals: number[] = [];
  #allArrived: () => void = () => undefined;
  #closed = false;

  constructor(options: EarsOptions) {
    this.#options = options;
    this.#heard = new Uint32Array(options.count);
    // It may fail while nobody waits for anything, and then whoever waits next is told.
    this.#failure.promise.catch(() => undefined);
  }

  /** Resolves when every stream is acknowledged. @throws {Error} when one is not, within a minute for all */
  async open(): Promise<void> {
    const { count } = this.#options;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) await this.#listen(next++);
    };
    const all = Promise.all(Array.from({ length: OPENING_AT_ONCE }, work));
    await this.#within(OPEN_WITHIN_MS, all, () => `${this.#sockets.length} of ${count} streams were opened`);
  }

  /**
   * Publishes once, and resolves when every stream has heard of it.
   *
   * @returns milliseconds from before the publication to each arrival, first to last
   * @throws {Error} when one has not, or has heard more
   */
  async hear(): Promise<number[]> {
    this.#publications += 1;
    this.#arrivals = [];
    const arrived = new Promise<void>((resolve) => (this.#allArrived = resolve));
    const start = performance.now();
    const published = publish(this.#options);
    const lost = (): string => `lost: ${this.#arrivals.length} of ${this.#options.count} heard of a publication`;
    await this.#within(HEAR_WITHIN_MS, Promise.all([arrived, published]), lost);
    return this.#arrivals.map((at) => at - start);
  }

  /** @throws {Error} when a stream has heard of a publication twice meanwhile, or has ended */
  async close(): Promise<void> {
    try {
      await Promise.race([pause(LATE_MS), this.#failure.promise]);
    } finally {
      this.#closed = true;
      for (const socket of this.#sockets) socket.destroy();
    }
  }

  async #listen(index: number): Promise<void> {
    const { port, uri } = this.#options;
    const socket = connect({ port, host: HOST, noDelay: true });
    this.#sockets.push(socket);
    socket.once("error", (error) => this.#fail(error.message));
    socket.once("close", () => this.#fail("a stream ended"));
    const params = { notifications: { resourceSubscriptions: [uri] } };
    socket.write(encode(port, wireRequest({ method: "subscriptions/listen", params, id: index }, "modern")));
    const tail = await this.#acknowledged(socket);
    this.#count(socket, index, tail);
  }

  /** @returns what has arrived after the acknowledgment */
  #acknowledged(socket: Socket): Promise<string> {
    return new Promise((resolve) => {
      let received = "";
      const read = (chunk: Buffer): void => {
        received += chunk.toString("latin1");
        const at = received.indexOf(ACKNOWLEDGED);
        if (at >= 0) {
          socket.off("data", read);
          resolve(received.slice(at));
        } else if (!received.startsWith("HTTP/1.1 200 ") || received.includes('"error"')) {
          this.#fail(`a listen request was refused: ${received.slice(0, 600)}`);
        }
      };
      socket.on("data", read);
    });
  }

  #count(socket: Socket, index: number, first: string): void {
    let text = first;
    const take = (): void => {
      let end = 0;
      for (let at = text.indexOf(UPDATED); at >= 0; at = text.indexOf(UPDATED, end)) {
        end = at + UPDATED.length;
        this.#arrived(index);
      }
      text = text.slice(Math.max(end, text.length - UPDATED.length)); // The next chunk may bring the rest of one.
    };
    take();
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      take();
    });
  }

  #arrived(index: number): void {
    this.#arrivals.push(performance.now());
    const heard = (this.#heard[index] ?? 0) + 1;
    this.#heard[index] = heard;
    if (heard > this.#publications) this.#fail(`a stream heard ${heard} times of ${this.#publications} publications`);
    if (this.#arrivals.length === this.#options.count) this.#allArrived();
  }

  #fail(what: string): void {
    if (!this.#closed) this.#failure.reject(new Error(`${this.#options.title}: ${what}`));
  }

  async #within(milliseconds: number, work: Promise<unknown>, overdue: () => string): Promise<void> {
    const timer = setTimeout(() => this.#fail(overdue()), milliseconds);
    try {
      await Promise.race([work, this.#failure.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** On a new connection each time, as a webhook would. */
function publish({ port, uri }: EarsOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: HOST, noDelay: true });
    socket.once("error", reject);
    socket.once("data", (chunk) => {
      socket.destroy();
      const answer = chunk.toString("latin1");
      if (answer.startsWith("HTTP/1.1 204 ")) resolve();
      else reject(new Error(`a publication was refused: ${answer.slice(0, 600)}`));
    });
    socket.write(`GET /publish?uri=${encodeURIComponent(uri)} HTTP/1.1\r\nhost: ${HOST}:${port}\r\n\r\n`);
  });
}

function encode(port: number, { body, headers }: WireRequest): string {
  const fields = Object.entries({ host: `${HOST}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${body}`;
}

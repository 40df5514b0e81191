/**
 * JSON first, an event stream when there is something to say.
 *
 * The reply to a request is one JSON body unless a notification comes before the result, or the result takes long; then
 * it becomes a stream. A handler that reports and returns without ever waiting still gets one body, holding the frames.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#receiving-messages
 */
import { encodeEvent, KEEP_ALIVE } from "../sse/encode.ts";
import type { Accepts } from "./classify.ts";

export interface ReplyTiming {
  /** How long a silent handler may keep the caller without headers. */
  readonly openAfterMs: number;
  readonly keepAliveMs: number;
}

export const JSON_HEADERS = { "content-type": "application/json" };
/** The usual reply's, made once: a `Headers` object is copied for half of what reading a plain object costs. */
const PLAIN: ResponseInit = { headers: new Headers(JSON_HEADERS) };
const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Unread bytes after which progress and logs are dropped: a reader this far behind gains nothing from more of them. */
const MAX_BUFFERED_BYTES = 1_048_576;

/** More microtasks than a handler without I/O needs to be done. */
const PATIENCE_TICKS = 16;

const BROKEN_OFF = "the reply was broken off";

const UTF8 = new TextEncoder();

/** What a finished request is answered with. */
export interface Settled {
  readonly status: number;
  readonly json: string;
  readonly retryAfterMs?: number;
}

export interface ReplyHooks {
  /** The reply has become a stream. */
  opened(): void;
  /** The caller has read some of it. */
  read(): void;
  /** The caller has closed it. */
  cancelled(): void;
}

/** The reply to one request, while it is being made. */
export class Reply {
  readonly #accepts: Accepts;
  readonly #timing: ReplyTiming;
  readonly #extraHeaders: Record<string, string> | undefined;
  readonly #hooks: ReplyHooks;
  /** Frames not handed to the stream yet. What arrives together leaves in one chunk. */
  #frames = "";
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #open: (() => void) | undefined;
  #flushing = false;
  #ended = false;
  #brokenOff = false;

  constructor(
    accepts: Accepts,
    timing: ReplyTiming,
    extraHeaders: Record<string, string> | undefined,
    hooks: ReplyHooks,
  ) {
    this.#accepts = accepts;
    this.#timing = timing;
    this.#extraHeaders = extraHeaders;
    this.#hooks = hooks;
  }

  /**
   * Sends a notification before the result.
   *
   * @returns false when it is dropped: after the end, where the client takes no streams, or when it reads too slowly
   */
  notify(json: string, maxUnread: number = MAX_BUFFERED_BYTES): boolean {
    if (this.#ended || !this.#accepts.eventStream) return false;
    if (this.#unread() + this.#frames.length >= maxUnread) return false; // Counts what one burst has piled up, too.
    this.#frames += encodeEvent(json);
    if (this.#controller === undefined) this.#open?.();
    else this.#flushSoon();
    return true;
  }

  /** Breaks off, so that nobody takes it for the end of a whole reply. What lies there unread is thrown away. */
  hangUp(): void {
    if (this.#ended) return;
    this.#end();
    this.#brokenOff = true;
    this.#controller?.error(new Error(BROKEN_OFF));
  }

  /** The caller is gone. MUST NOT — #cancellation: send anything more, so a stream ends without its response. */
  abandon(): void {
    if (this.#ended) return;
    this.#end();
    this.#controller?.close();
  }

  /** The response to `work`, as soon as its form is known. `work` never rejects. */
  async respond(work: Promise<Settled>): Promise<Response> {
    const outcome: { settled?: Settled } = {};
    const finished = (async () => {
      outcome.settled = await work;
    })();
    // A timer costs a Worker more than all the rest of a plain call. A handler that waits for nothing is done before this
    // loop is; one that waits does not notice it.
    for (let tick = 0; tick < PATIENCE_TICKS && outcome.settled === undefined && this.#frames === ""; tick++) {
      await Promise.resolve();
    }
    if (outcome.settled === undefined) await this.#formKnown(finished);
    return outcome.settled === undefined ? this.#stream(work) : this.complete(outcome.settled);
  }

  /** Resolves when the work is finished, or when it is time to open a stream. */
  async #formKnown(finished: Promise<void>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const opened = new Promise<void>((resolve) => {
      // A handler that does not wait finishes first: however many microtasks its result takes, they come before a timer.
      this.#open = () => {
        this.#open = undefined;
        clearTimeout(timer);
        timer = setTimeout(resolve, 0);
      };
      if (this.#frames !== "") this.#open();
      else if (this.#accepts.eventStream) timer = setTimeout(resolve, this.#timing.openAfterMs);
    });
    await Promise.race([finished, opened]);
    clearTimeout(timer);
  }

  /** The whole reply at once, with the notifications that came before it. */
  complete({ status, json, retryAfterMs }: Settled): Response {
    this.#ended = true;
    if (this.#brokenOff) return this.#broken();
    // An error status belongs to a body that is the error itself, so a stream is only for results.
    if (this.#accepts.json && (this.#frames === "" || status !== 200)) {
      return status === 200 && this.#extraHeaders === undefined
        ? new Response(json, PLAIN)
        : new Response(json, {
            status,
            headers: { ...JSON_HEADERS, ...this.#extraHeaders, ...retryAfter(retryAfterMs) },
          });
    }
    const headers = { ...this.#streamHeaders(), ...retryAfter(retryAfterMs) };
    return new Response(this.#frames + encodeEvent(json), { status, headers });
  }

  /** Headers are a reply too, so there is one even when it breaks off before them. */
  #broken(): Response {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error(BROKEN_OFF)) });
    return new Response(body, { headers: this.#streamHeaders() });
  }

  #stream(work: Promise<Settled>): Response {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          if (this.#brokenOff) return controller.error(new Error(BROKEN_OFF));
          if (this.#ended) return controller.close(); // Abandoned before it began.
          this.#controller = controller;
          this.#flush();
          this.#keepAlive = setInterval(() => this.#enqueue(KEEP_ALIVE), this.#timing.keepAliveMs);
          void work.then(({ json }) => this.#close(json));
        },
        pull: () => this.#hooks.read(),
        cancel: () => {
          this.#end();
          this.#hooks.cancelled();
        },
      },
      // With room to fill, it would ask for more after each write, which costs as much as the write and says nothing.
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#hooks.opened();
    return new Response(body, { headers: this.#streamHeaders() });
  }

  #streamHeaders(): Record<string, string> {
    return { ...STREAM_HEADERS, ...this.#extraHeaders };
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const frames = this.#frames;
    this.#frames = "";
    if (frames !== "") this.#enqueue(frames);
  }

  #enqueue(text: string): void {
    if (this.#ended) return;
    this.#controller?.enqueue(UTF8.encode(text));
  }

  /** Bytes in the stream. */
  #unread(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  #close(json: string): void {
    if (this.#ended) return;
    this.#enqueue(this.#frames + encodeEvent(json));
    this.#end();
    this.#controller?.close();
  }

  /** Nothing is sent from here on. */
  #end(): void {
    this.#ended = true;
    this.#frames = "";
    clearInterval(this.#keepAlive);
  }
}

/** In whole seconds, as HTTP has it. */
function retryAfter(milliseconds: number | undefined): Record<string, string> | undefined {
  return milliseconds === undefined ? undefined : { "retry-after": String(Math.ceil(milliseconds / 1_000)) };
}

/**
 * One WebSocket to a hub, from the request that asks for it to its end: what is dialled, judged, probed and closed.
 *
 * It belongs to the request that opened it, as all I/O objects of the Workers runtime do.
 */
import { CLOSE_VERSION, decodeFrame, FRAME_VERSIONS, type HubFrame, PING, PONG } from "./frames.ts";

export interface LinkOptions {
  /** Asks the hub for a WebSocket. */
  readonly dial: () => Promise<Response>;
  /** A frame that was judged: `joined` first and once, then changes. */
  readonly take: (frame: HubFrame) => void;
  /** From dialling to the first frame. */
  readonly joinTimeoutMs: number;
  /** How often a quiet peer is asked whether it is there. Two such spans without a sound mean that it is not. */
  readonly probeMs: number;
  /** Aborts when the link is not wanted any longer. */
  readonly signal: AbortSignal;
}

/**
 * How a link ended: `left` by our own wish; `version`: the hub and this code do not understand each other; `full`: the
 * hub takes no more sockets; `lost`: anything else, a peer that breaks the rules included.
 */
export interface Parting {
  readonly how: "left" | "version" | "full" | "lost";
  readonly cause?: unknown;
}

const CLOSE_NORMAL = 1_000;

export class Link {
  readonly #options: LinkOptions;
  readonly #parted = Promise.withResolvers<Parting>();
  readonly #leave = () => this.#part({ how: "left" });
  #state: "joining" | "joined" | "parted" = "joining";
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether anything arrived since the last probe. */
  #heard = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Opens the link and resolves when it has ended, or could not be opened. Never rejects. To be called once. */
  live(): Promise<Parting> {
    const { joinTimeoutMs, signal } = this.#options;
    if (signal.aborted) return Promise.resolve({ how: "left" });
    signal.addEventListener("abort", this.#leave);
    this.#timer = setTimeout(
      () => this.#lose(new Error(`the hub did not answer in ${joinTimeoutMs} ms`)),
      joinTimeoutMs,
    );
    void this.#dial();
    return this.#parted.promise;
  }

  async #dial(): Promise<void> {
    try {
      const response = await this.#options.dial();
      if (response.webSocket) this.#open(response.webSocket);
      else await this.#refused(response);
    } catch (error) {
      this.#lose(error);
    }
  }

  async #refused(response: Response): Promise<void> {
    const cause = new Error(`the hub answered ${response.status}`);
    if (response.status === 426) this.#part({ how: "version", cause });
    else if (response.status === 503) this.#part({ how: "full", cause });
    else this.#lose(cause);
    await response.body?.cancel();
  }

  #open(socket: WebSocket): void {
    if (this.#state === "parted") {
      // The answer came after its time. A socket must be accepted before it can be closed.
      socket.accept();
      socket.close(CLOSE_NORMAL);
      return;
    }
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", ({ code, reason }) => {
      const cause = new Error(`the hub closed the socket: ${code} ${reason}`);
      this.#part({ how: code === CLOSE_VERSION ? "version" : "lost", cause });
    });
    socket.addEventListener("error", ({ error }) => this.#lose(error));
    socket.accept();
  }

  #receive(data: unknown): void {
    if (this.#state === "parted") return;
    this.#heard = true;
    if (data === PONG) return;
    try {
      const frame = decodeFrame(data);
      if (frame === undefined) return;
      this.#judge(frame);
      this.#options.take(frame);
    } catch (error) {
      this.#lose(error);
    }
  }

  #judge(frame: HubFrame): void {
    if ((frame.type === "joined") === (this.#state === "joined")) throw new TypeError(`${frame.type} out of turn`);
    if (frame.type !== "joined") return;
    if (!FRAME_VERSIONS.includes(frame.version)) throw new TypeError("a version that was not offered");
    this.#state = "joined";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#probe(), this.#options.probeMs);
  }

  /** A peer that vanished without a close, as after a network failure, is only noticed by its silence. */
  #probe(): void {
    if (!this.#heard) return this.#lose(new Error("the hub fell silent"));
    this.#heard = false;
    this.#timer = setTimeout(() => this.#probe(), this.#options.probeMs);
    this.#socket?.send(PING);
  }

  #lose(cause: unknown): void {
    this.#part({ how: "lost", cause });
  }

  #part(parting: Parting): void {
    if (this.#state === "parted") return;
    this.#state = "parted";
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener("abort", this.#leave);
    this.#socket?.close(CLOSE_NORMAL); // One that is still on its way is closed when it arrives.
    this.#parted.resolve(parting);
  }
}

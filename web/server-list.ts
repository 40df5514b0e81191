/**
 * One list of a server, loaded when it is first looked at and kept as it was while it is loaded again.
 */
import { Refresher } from "./refresher.ts";
import { State } from "./state.ts";

export interface Listing<T> {
  readonly phase: "idle" | "loading" | "ready" | "failed";
  /** The last that came, whatever happened since. */
  readonly items: readonly T[];
  /** Why it is `failed`. */
  readonly error?: unknown;
}

export class ServerList<T> {
  readonly state = new State<Listing<T>>({ phase: "idle", items: [] });
  readonly #refresher: Refresher;

  constructor(load: () => Promise<readonly T[]>) {
    this.#refresher = new Refresher(async () => {
      const { items } = this.state.value;
      this.state.set({ phase: "loading", items });
      try {
        this.state.set({ phase: "ready", items: await load() });
      } catch (error) {
        this.state.set({ phase: "failed", items, error });
      }
    });
  }

  /** Loads it, or once more after the load that is under way. */
  refresh(): void {
    this.#refresher.request();
  }

  /** Loads it unless that was done or is being done. */
  ensure(): void {
    if (this.state.value.phase === "idle") this.refresh();
  }

  /** Loads it again if anybody looked at it yet. */
  outdate(): void {
    if (this.state.value.phase !== "idle") this.refresh();
  }
}

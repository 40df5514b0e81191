/**
 * One list of a server, loaded when it is first looked at and kept as it was while it is loaded again.
 *
 * Contract: one load at a time. What is asked for meanwhile is one more load after it, so a server that says "changed" a
 * hundred times is not asked a hundred times.
 */
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
  readonly #load: () => Promise<readonly T[]>;
  #again = false;

  constructor(load: () => Promise<readonly T[]>) {
    this.#load = load;
  }

  /** Loads it, or once more after the load that is under way. */
  refresh(): void {
    this.#again = this.state.value.phase === "loading";
    if (!this.#again) void this.#run(); // Never rejects.
  }

  /** Loads it unless that was done or is being done. */
  ensure(): void {
    if (this.state.value.phase === "idle") this.refresh();
  }

  /** Loads it again if anybody looked at it yet. */
  outdate(): void {
    if (this.state.value.phase !== "idle") this.refresh();
  }

  async #run(): Promise<void> {
    const { items } = this.state.value;
    this.state.set({ phase: "loading", items });
    try {
      this.state.set({ phase: "ready", items: await this.#load() });
    } catch (error) {
      this.state.set({ phase: "failed", items, error });
    }
    if (this.#again) this.refresh();
  }
}

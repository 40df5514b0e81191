/**
 * Runs something again and again on request, one run at a time: what is asked for during a run is one more run after it. So
 * a server that says "changed" a hundred times is not asked a hundred times.
 */
export class Refresher {
  readonly #run: () => Promise<void>;
  #running = false;
  #again = false;

  /** @param run must not reject */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  request(): void {
    this.#again = true;
    if (!this.#running) void this.#loop(); // Rejects only if a run does.
  }

  async #loop(): Promise<void> {
    this.#running = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#run();
      }
    } finally {
      this.#running = false;
    }
  }
}

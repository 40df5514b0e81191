/**
 * The one alarm of a Durable Object, when several things are due. Setting it is a write, so it is set only to go off
 * at another time than it would.
 */
export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  /** When it goes off, as far as this instance knows. */
  #at = Number.POSITIVE_INFINITY;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Makes it go off by then. */
  async ringBy(at: number): Promise<void> {
    if (this.#at <= at) return;
    const pending = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    this.#at = Math.min(at, pending, this.#at);
    if (this.#at < pending) await this.#storage.setAlarm(this.#at);
  }

  /** Makes it go off then, if it would earlier; at infinity, never. */
  async ringNotBefore(at: number): Promise<void> {
    const pending = await this.#storage.getAlarm();
    if (pending === null || pending >= at) return;
    this.#at = at;
    if (at === Number.POSITIVE_INFINITY) await this.#storage.deleteAlarm();
    else await this.#storage.setAlarm(at);
  }

  /** It went off, or was deleted with everything else. */
  hasRung(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }
}

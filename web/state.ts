/**
 * A value with watchers: all the reactivity that the page has.
 *
 * Contract: watchers are called at once with the value as it is, then after each `set`, in the order they came. What one of
 * them throws keeps the others from nothing.
 */
export class State<T> {
  #value: T;
  readonly #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const watcher of this.#watchers) {
      try {
        watcher(value);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** @returns what ends it; `signal` does so too */
  watch(watcher: (value: T) => void, signal?: AbortSignal): () => void {
    const stop = (): void => void this.#watchers.delete(watcher);
    if (signal?.aborted === true) return stop;
    signal?.addEventListener("abort", stop, { once: true });
    this.#watchers.add(watcher);
    watcher(this.#value);
    return stop;
  }
}

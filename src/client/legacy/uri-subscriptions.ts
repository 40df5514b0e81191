/**
 * The URIs that the server was asked to watch, in step with who still wants to know.
 *
 * @see spec 2025-11-25 server/resources#subscriptions
 */

/** As many connections as browsers open to one HTTP/1.1 server, less the stream that listens. */
const AT_ONCE = 5;

type Ask = (
  method: "resources/subscribe" | "resources/unsubscribe",
  uri: string,
  signal?: AbortSignal,
) => Promise<unknown>;

export class UriSubscriptions {
  readonly #ask: Ask;
  readonly #isWanted: (uri: string) => boolean;
  /** Requests overtake each other, and which came last decides here: each turn waits for the one before. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ask: Ask, isWanted: (uri: string) => boolean) {
    this.#ask = ask;
    this.#isWanted = isWanted;
  }

  /** @returns those that the server took */
  add(uris: readonly string[], signal: AbortSignal): Promise<string[]> {
    return this.#inTurn(async () => {
      const taken: string[] = [];
      for (let at = 0; at < uris.length && !signal.aborted; at += AT_ONCE) {
        const some = uris.slice(at, at + AT_ONCE);
        const answers = await Promise.allSettled(some.map((uri) => this.#ask("resources/subscribe", uri, signal)));
        taken.push(...some.filter((_, index) => answers[index]?.status === "fulfilled"));
      }
      return taken;
    });
  }

  /** Never rejects: what the server goes on to say of them is dropped. */
  async remove(uris: readonly string[]): Promise<void> {
    if (uris.length === 0) return;
    await this.#inTurn(async () => {
      const gone = uris.filter((uri) => !this.#isWanted(uri));
      await Promise.allSettled(gone.map((uri) => this.#ask("resources/unsubscribe", uri)));
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

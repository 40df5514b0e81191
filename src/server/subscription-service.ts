/**
 * What a server needs of subscriptions, so that they can be left out: the wing itself is `subscriptions/`.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import type { Change } from "../protocol/subscription.ts";
import type { Caller, Exchange } from "./exchange.ts";

/** Which kinds of notifications a server can send a caller at all: what has been registered on it. */
export interface SupportedKinds {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** Whether the caller may know of what is at a URI, as far as that is registered. */
  readonly isVisible: (uri: string) => boolean;
}

export interface SubscriptionService<Env = unknown> {
  /**
   * Serves one `subscriptions/listen` for as long as it lasts.
   *
   * @returns what became of it, once it is over: only a stream that ends gracefully gets a result
   * @throws {ProtocolError} before anything was sent
   */
  listen(exchange: Exchange<Env>, supported: SupportedKinds): Promise<"graceful" | "broken">;
  /** Resolves once the changes can no longer get lost. */
  publish(changes: readonly Change[], caller: Caller<Env>): Promise<void>;
}

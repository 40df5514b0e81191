/**
 * What carries changes from whoever publishes to the streams that listen. One interface, whatever is behind it: the
 * memory of one process, or Durable Objects between Worker isolates.
 */
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import type { Caller } from "../server/exchange.ts";

/** Whom a change concerns. Changes of one tenant never reach listeners of another. */
export interface Scope<Env = unknown> {
  readonly tenant: string;
  readonly env: Env;
}

/** One open stream, as the bus sees it. None of its methods throws. */
export interface Listener<Env = unknown> {
  /** What was granted: nothing else needs to be delivered, and nothing else must be. */
  readonly filter: SubscriptionFilter;
  readonly caller: Caller<Env>;
  /** A change that the filter covers. In the order of publication, each once. */
  deliver(change: Change): void;
  /** Changes may have been missed, so that all that the filter covers may have changed. */
  missed(): void;
  /**
   * The bus cannot serve this listener any longer. `graceful`: nothing was missed so far, and another request would be
   * served; `broken`: changes are being missed.
   */
  end(how: "graceful" | "broken"): void;
}

export interface Bus<Env = unknown> {
  /**
   * Registers a listener. From the moment this resolves, every change that is published reaches it, until `signal`
   * aborts: that is how a listener leaves.
   *
   * @throws {McpError} `subscription_unavailable` when it cannot be registered now
   */
  subscribe(listener: Listener<Env>, scope: Scope<Env>, signal: AbortSignal): Promise<void>;
  /**
   * Resolves once the changes cannot get lost any more by the end of whoever publishes.
   *
   * @throws {McpError} `publish_failed`
   */
  publish(changes: readonly Change[], scope: Scope<Env>): Promise<void>;
}

/**
 * A bus in the memory of one process: for Node, Deno, Bun and browsers, and for tests. On Workers it reaches only the
 * streams that happen to be in the same isolate, which is why there is a hub.
 */
import type { Change } from "../protocol/subscription.ts";
import type { Bus, Listener, Scope } from "./bus.ts";

export function memoryBus(): Bus {
  const tenants = new Map<string, Set<Listener>>();

  const leave = (tenant: string, listener: Listener): void => {
    const listeners = tenants.get(tenant);
    listeners?.delete(listener);
    if (listeners?.size === 0) tenants.delete(tenant);
  };

  return {
    // Not async functions: what is published next must reach this listener, with no turn of a queue in between.
    subscribe(listener: Listener, { tenant }: Scope, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return Promise.resolve();
      const listeners = tenants.get(tenant) ?? new Set();
      tenants.set(tenant, listeners.add(listener));
      signal.addEventListener("abort", () => leave(tenant, listener), { once: true });
      return Promise.resolve();
    },
    publish(changes: readonly Change[], { tenant }: Scope): Promise<void> {
      const listeners = [...(tenants.get(tenant) ?? [])]; // Some may leave while it is told to others.
      for (const listener of listeners) for (const change of changes) listener.deliver(change);
      return Promise.resolve();
    },
  };
}

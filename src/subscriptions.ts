/**
 * Entry `mcp-edge/subscriptions`: `subscriptions/listen`, and the bus that keeps to one process. The bus between Worker
 * isolates is in `mcp-edge/cloudflare`.
 */
export type { Change, SubscriptionFilter } from "./protocol/subscription.ts";
export type { Notifier } from "./server/notifier.ts";
export type { Bus, Listener, Scope } from "./subscriptions/bus.ts";
export { memoryBus } from "./subscriptions/memory-bus.ts";
export { type SubscriptionOptions, Subscriptions } from "./subscriptions/subscriptions.ts";

/**
 * Entry `mcp-edge/cloudflare`: the bus between Worker isolates, and the Durable Object behind it. Export
 * `SubscriptionHub` from the Worker's main module.
 */
export { SubscriptionHub } from "./cloudflare/hub.ts";
export {
  type HubBus,
  hubBus,
  type HubBusOptions,
  type HubListener,
  type HubNamespace,
  type HubStub,
} from "./cloudflare/hub-bus.ts";
export { byRegion, type Leaf } from "./cloudflare/region.ts";
export { type SdkEvent, type SdkEventBus, sdkEventBus, type SdkEventBusOptions } from "./cloudflare/sdk-event-bus.ts";

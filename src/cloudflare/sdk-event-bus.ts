/**
 * The hub as the event bus of the official SDK: `createMcpHandler(factory, { bus: sdkEventBus() })`. With it a server that
 * is written with that SDK tells listeners in every isolate, and its streams survive what ours do.
 *
 * That SDK acknowledges a stream before it subscribes to its bus, and subscribes to everything. So a listener here is
 * given what was published since a moment before it came, which may be a change too many but none too few.
 */
import { env as bindings, waitUntil } from "cloudflare:workers";
import type { Change } from "../protocol/subscription.ts";
import { backOffMs } from "./back-off.ts";
import { hubBus, type HubBusOptions } from "./hub-bus.ts";

/** As that SDK's `ServerEvent`; forwarded `params` do not travel. */
export type SdkEvent =
  | { readonly kind: "tools_list_changed" | "prompts_list_changed" | "resources_list_changed" }
  | { readonly kind: "resource_updated"; readonly uri: string };

/** As that SDK's `ServerEventBus`. */
export interface SdkEventBus {
  publish(event: SdkEvent): void;
  subscribe(listener: (event: SdkEvent) => void): () => void;
}

export interface SdkEventBusOptions extends Omit<HubBusOptions<unknown>, "leaf"> {
  /** Whose hub. Default `default`, the one of a `Subscriptions` without a tenant function. */
  readonly tenant?: string;
  /** Told what could not be published, or heard. Default `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** How far the clocks of a Worker and a hub may be apart. */
const SKEW_MS = 1_000;

const KINDS = {
  tools_list_changed: "toolsListChanged",
  prompts_list_changed: "promptsListChanged",
  resources_list_changed: "resourcesListChanged",
} as const;

/** Both methods are to be called while a request is served, as that SDK does: what they start belongs to it. */
export function sdkEventBus({
  tenant = "default",
  onError = console.error,
  ...options
}: SdkEventBusOptions = {}): SdkEventBus {
  const { random = Math.random } = options;
  const bus = hubBus(options);
  const scope = { tenant, env: bindings };
  return {
    publish(event) {
      waitUntil(bus.publish([toChange(event)], scope).catch(onError));
    },
    subscribe(listener) {
      const gone = new AbortController();
      const { signal } = gone;
      const tell = (event: SdkEvent): void => {
        try {
          listener(event);
        } catch (error) {
          onError(error); // It must not end what others are told by the same frame.
        }
      };
      // That SDK keeps its stream open come what may, so this goes on until the stream ends.
      let failures = 0;
      const listenFrom = (time: number): void => {
        const again = (error: unknown): void => {
          if (signal.aborted) return;
          onError(error);
          const lostAt = Date.now();
          failures += 1;
          const timer = setTimeout(() => listenFrom(lostAt), backOffMs(failures, random));
          signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
        };
        const ear = {
          filter: {},
          allAfter: time - SKEW_MS,
          deliver: (change: Change) => tell(toEvent(change)),
          // Which URIs the stream listens for is that SDK's secret, so they cannot be told of.
          missed: () => LIST_EVENTS.forEach(tell),
          end: (how: "graceful" | "broken") => again(new Error(`a subscription lost its hub: ${how}`)),
        };
        bus.subscribe(ear, scope, signal).then(() => (failures = 0), again);
      };
      listenFrom(Date.now());
      return () => gone.abort();
    },
  };
}

const LIST_EVENTS: readonly SdkEvent[] = [
  { kind: "tools_list_changed" },
  { kind: "prompts_list_changed" },
  { kind: "resources_list_changed" },
];

function toChange(event: SdkEvent): Change {
  return event.kind === "resource_updated" ? { type: "resourceUpdated", uri: event.uri } : { type: KINDS[event.kind] };
}

function toEvent(change: Change): SdkEvent {
  if (change.type === "resourceUpdated") return { kind: "resource_updated", uri: change.uri };
  return { kind: change.type.replace("ListChanged", "_list_changed") as keyof typeof KINDS }; // The names agree up to here.
}

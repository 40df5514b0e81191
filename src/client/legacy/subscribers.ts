/**
 * Who listens to the changes of a legacy session, whose one stream they share: what each is granted, and which URIs
 * the server has to be asked about.
 *
 * @see spec 2025-11-25 server/resources#subscriptions
 */
import type { SubscriptionFilter } from "../../protocol/subscription.ts";
import type { JsonObject, ServerCapabilities } from "../../protocol/types.ts";
import type { StreamEnd, StreamSink } from "../session.ts";
import { deferred } from "./deferred.ts";

const UPDATED = "notifications/resources/updated";
const LISTS = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
} as const;

/** What such a server can keep of a filter; nothing at all without a stream to hear it on. */
export function grantable(
  filter: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
  return {
    ...(toolsListChanged && tools?.listChanged && { toolsListChanged }),
    ...(promptsListChanged && prompts?.listChanged && { promptsListChanged }),
    ...(resourcesListChanged && resources?.listChanged && { resourcesListChanged }),
    ...(resourceSubscriptions !== undefined && resources?.subscribe && { resourceSubscriptions }),
  };
}

interface Subscriber {
  readonly granted: SubscriptionFilter;
  readonly sink: StreamSink;
  /** What came before the acknowledgment, which must come first. */
  early: [method: string, params: JsonObject][] | undefined;
  readonly end: (how: StreamEnd) => void;
}

export interface Subscription {
  /** Tells what was granted in the end, which may be fewer URIs than could be hoped for. */
  acknowledge(granted: SubscriptionFilter): void;
  readonly ended: Promise<StreamEnd>;
  leave(end: StreamEnd): void;
}

export class Subscribers {
  readonly #all = new Set<Subscriber>();

  /** Listens from now on; notifications wait for the acknowledgment. */
  add(granted: SubscriptionFilter, sink: StreamSink): Subscription {
    const { promise: ended, resolve: end } = deferred<StreamEnd>();
    const subscriber: Subscriber = { granted, sink, early: [], end };
    this.#all.add(subscriber);
    return {
      ended,
      acknowledge: (what) => {
        if (!this.#all.has(subscriber)) return;
        const { early } = subscriber;
        subscriber.early = undefined;
        sink.acknowledged(what);
        for (const [method, params] of early ?? []) sink.notified(method, params);
      },
      leave: (how) => {
        this.#all.delete(subscriber);
        end(how);
      },
    };
  }

  notified(method: string, params: JsonObject): void {
    for (const subscriber of this.#all) {
      if (!covers(subscriber.granted, method, params)) continue;
      if (subscriber.early === undefined) subscriber.sink.notified(method, params);
      else subscriber.early.push([method, params]);
    }
  }

  /** As when what the server sends now is lost: all have to begin again. */
  endAll(how: StreamEnd): void {
    for (const { end } of this.#all) end(how);
    this.#all.clear();
  }

  /** Whether anybody still wants to know of a URI. */
  want(uri: string): boolean {
    return [...this.#all].some(({ granted }) => granted.resourceSubscriptions?.includes(uri));
  }
}

function covers(granted: SubscriptionFilter, method: string, { uri }: JsonObject): boolean {
  if (method !== UPDATED) return isList(method) && granted[LISTS[method]] === true;
  if (typeof uri !== "string") return false;
  // The update may be of a part of what was subscribed to.
  return granted.resourceSubscriptions?.some((one) => uri === one || uri.startsWith(one.replace(/\/?$/, "/"))) ?? false;
}

function isList(method: string): method is keyof typeof LISTS {
  return Object.hasOwn(LISTS, method);
}

/**
 * One `subscriptions/listen` stream, and another one whenever it ends.
 *
 * What happens between two streams is told by neither, so each beginning is reported: that is when to look again at
 * everything.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { SubscriptionFilter } from "../src/protocol/subscription.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { backOffMs, retryAfterMs } from "./back-off.ts";
import type { Outcome, WireExchange } from "./exchange.ts";
import { reasonOf } from "./result-view.ts";
import type { WireClient } from "./wire.ts";

export type LiveState =
  /** Nothing is asked for. */
  | { readonly kind: "idle" }
  | { readonly kind: "connecting" }
  | { readonly kind: "live"; readonly granted: SubscriptionFilter }
  | { readonly kind: "waiting"; readonly ms: number }
  /** It cannot be had. */
  | { readonly kind: "off"; readonly reason: string };

export interface FeedListener {
  onState(state: LiveState): void;
  /** A stream has begun; what changed before, it does not tell. */
  onJoined(): void;
  onListChanged(): void;
  onUpdated(): void;
}

/** A stream that lives this long was no failure, however it ends. */
const STEADY_MS = 10_000;
/** After an orderly end: soon, but not all pages at once. */
const REJOIN_MS = 2_000;
/** Errors that the same request would get again. */
const FINAL_CODES: ReadonlySet<number> = new Set([-32600, -32601, -32602, -32020, -32021, -32022]);
/** Of 4xx, those that time mends: time-out, too early, too many. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export const NOT_OFFERED = "this server does not offer it";

/** How a stream went. */
interface Ending {
  readonly kind: "orderly" | "broken" | "final";
  /** Of a final one. */
  readonly reason: string;
  readonly livedMs: number;
  readonly retryAfterMs: number;
}

export class LiveFeed {
  readonly #client: WireClient;
  readonly #listener: FeedListener;
  #current: AbortController | undefined;

  constructor(client: WireClient, listener: FeedListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Listens for this and no longer for what was asked before. */
  listen(filter: SubscriptionFilter): void {
    this.#current?.abort();
    this.#current = new AbortController();
    if (isEmpty(filter)) this.#listener.onState({ kind: "idle" });
    else void this.#keepListening(filter, this.#current.signal); // Never rejects: every failure is an ending.
  }

  async #keepListening(filter: SubscriptionFilter, signal: AbortSignal): Promise<void> {
    for (let failures = 0; ;) {
      this.#listener.onState({ kind: "connecting" });
      const { kind, reason, livedMs, retryAfterMs } = await this.#join(filter, signal);
      if (signal.aborted) return;
      if (kind === "final") return this.#listener.onState({ kind: "off", reason });
      const steady = livedMs >= STEADY_MS;
      failures = steady ? 1 : failures + 1;
      const soon = kind === "orderly" && steady ? Math.random() * REJOIN_MS : backOffMs(failures, Math.random());
      const ms = Math.max(soon, retryAfterMs);
      this.#listener.onState({ kind: "waiting", ms });
      await pause(ms, signal);
      if (signal.aborted) return;
    }
  }

  async #join(filter: SubscriptionFilter, signal: AbortSignal): Promise<Ending> {
    let granted: SubscriptionFilter | undefined;
    let joinedAt = 0;
    let exchange: WireExchange | undefined;
    const onNotification = (method: string, params: JsonObject): void => {
      if (signal.aborted) return;
      if (granted !== undefined) return this.#take(method);
      // MUST NOT — #acknowledgment: a server sends nothing before this, so what comes all the same is not listened to.
      if (method !== "notifications/subscriptions/acknowledged") return;
      granted = grantOf(params["notifications"]);
      joinedAt = performance.now();
      if (isEmpty(granted)) return this.#listener.onState({ kind: "off", reason: NOT_OFFERED });
      this.#listener.onState({ kind: "live", granted });
      this.#listener.onJoined();
    };
    const onExchange = (begun: WireExchange): void => {
      exchange = begun;
    };
    const params = { notifications: { ...filter } };
    const outcome = await this.#client.request("subscriptions/listen", params, { signal, onNotification, onExchange });
    const nothing = granted === undefined || isEmpty(granted);
    const header = exchange?.responseHeaders?.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
    return {
      kind: endingOf(outcome, nothing, Number.parseInt(exchange?.status ?? "", 10)),
      reason: outcome.kind === "result" || isUnknownMethod(outcome) ? NOT_OFFERED : reasonOf(outcome),
      livedMs: nothing ? 0 : performance.now() - joinedAt,
      retryAfterMs: retryAfterMs(header, Date.now()),
    };
  }

  #take(method: string): void {
    if (method === "notifications/resources/list_changed") this.#listener.onListChanged();
    // Whatever URI it names: that may be a part of the one resource that is asked for.
    else if (method === "notifications/resources/updated") this.#listener.onUpdated();
  }
}

function endingOf(outcome: Outcome, nothing: boolean, status: number): Ending["kind"] {
  // An orderly end of what never was: the server grants nothing of it.
  if (outcome.kind === "result") return nothing ? "final" : "orderly";
  if (status >= 400) return status < 500 && !PASSING_STATUSES.has(status) ? "final" : "broken";
  return outcome.kind === "error" && FINAL_CODES.has(outcome.code) ? "final" : "broken";
}

/** What a server that knows nothing of subscriptions answers. */
function isUnknownMethod(outcome: Outcome): boolean {
  return outcome.kind === "error" && outcome.code === -32601;
}

/** What was granted of it, without what this page does not know. */
function grantOf(notifications: unknown): SubscriptionFilter {
  const { resourcesListChanged, resourceSubscriptions } = isObject(notifications) ? notifications : ({} as JsonObject);
  const uris: unknown[] = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  const known = uris.filter((uri) => typeof uri === "string");
  return {
    ...(resourcesListChanged === true && { resourcesListChanged }),
    ...(known.length > 0 && { resourceSubscriptions: known }),
  };
}

function isEmpty(filter: SubscriptionFilter): boolean {
  return Object.keys(filter).length === 0;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

/**
 * What a server tells of changes, for whoever on this page wants to know: one subscription for all of it.
 *
 * Contract: when what is listened for changes, the new subscription is joined before the old one ends, so that nothing
 * falls in between. What may have been missed counts as changed.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import type { ListenEvent, ListeningState, SubscriptionFilter } from "../../src/client.ts";
import type { Server } from "../server.ts";
import { State } from "../state.ts";

export type FeedState = ListeningState | { readonly phase: "idle" };

export interface FeedEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: ListenEvent;
}

interface Wish {
  readonly uri: string;
  readonly onUpdate: () => void;
}

/** By what says that it changed. */
export const LISTS = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
} as const;

const MAX_ENTRIES = 200;
/** Several views that open together are one change of the filter. */
const SETTLE_MS = 50;

export class Feed {
  /** `idle`: there is nothing to listen for, or the server grants nothing. */
  readonly state = new State<FeedState>({ phase: "idle" });
  /** What was heard, oldest first; a bounded number of the last. */
  readonly entries = new State<readonly FeedEntry[]>([]);
  readonly #server: Server;
  readonly #wanted = new Set<Wish>();
  /** The newest, and before it the one that goes when the newest is joined. */
  readonly #open: AbortController[] = [];
  /** Whether there was a time since the last joining when nothing was heard. */
  #hasMissed = true;
  #timer = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Begins to listen for what the server offers, or does so anew. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#listen(), SETTLE_MS);
  }

  /** Listens for one resource too. @returns what ends that */
  subscribe(uri: string, onUpdate: () => void): () => void {
    const wish = { uri, onUpdate };
    this.#wanted.add(wish);
    this.start();
    return () => {
      this.#wanted.delete(wish);
      this.start();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#hasMissed = true;
    this.#endFirst(this.#open.length);
    this.state.set({ phase: "idle" });
  }

  #listen(): void {
    const filter = this.#filter();
    if (Object.keys(filter).length === 0) return this.close();
    const own = new AbortController();
    // A page has six connections to a server, if that speaks HTTP/1.1: of two that are not the newest, one goes.
    this.#open.splice(1)[0]?.abort();
    this.#open.push(own);
    this.#server.client.listen(filter, {
      rejoinAfterEnd: true,
      signal: own.signal,
      onEvent: (event) => this.#hear(event),
      onState: (state) => this.#follow(own, state),
    });
  }

  #follow(own: AbortController, state: ListeningState): void {
    // From now to the next joining nothing is heard.
    if ("error" in state && !own.signal.aborted) this.#hasMissed = true;
    if (own !== this.#open.at(-1)) return; // There is a newer one.
    if (state.phase === "live") {
      if (Object.keys(state.granted).length === 0) return this.close();
      this.#endFirst(this.#open.length - 1);
      if (this.#hasMissed) this.#server.outdate();
      this.#hasMissed = false;
      // Read before this was joined, as far as it is new.
      for (const { onUpdate } of this.#wanted) onUpdate();
    }
    this.state.set(state);
  }

  #endFirst(count: number): void {
    for (const controller of this.#open.splice(0, count)) controller.abort();
  }

  #filter(): SubscriptionFilter {
    const capabilities = this.#server.description?.capabilities;
    const lists = Object.entries(LISTS).filter(([, list]) => capabilities?.[list]?.listChanged === true);
    const uris = [...new Set([...this.#wanted].map(({ uri }) => uri))];
    return {
      ...Object.fromEntries(lists.map(([kind]) => [kind, true])),
      ...(capabilities?.resources?.subscribe === true && uris.length > 0 && { resourceSubscriptions: uris }),
    };
  }

  #hear(event: ListenEvent): void {
    this.entries.set([...this.entries.value, { at: Date.now(), event }].slice(-MAX_ENTRIES));
    if (event.type === "resourceUpdated") {
      // A server may name a part of what is subscribed to; what only looks like one is looked at in vain.
      for (const { uri, onUpdate } of this.#wanted) if (event.uri.startsWith(uri)) onUpdate();
    } else if (event.type !== "resumed") {
      const list = LISTS[event.type];
      this.#server[list].outdate();
      if (list === "resources") this.#server.templates.outdate();
    }
  }
}

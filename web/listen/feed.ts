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

const MAX_ENTRIES = 200;
/** Several views that open together are one change of the filter. */
const SETTLE_MS = 50;

export class Feed {
  /** `idle`: there is nothing to listen for, or nobody wants to. `ended` without an error: the server granted nothing. */
  readonly state = new State<FeedState>({ phase: "idle" });
  /** What was heard, oldest first; a bounded number of the last. */
  readonly entries = new State<readonly FeedEntry[]>([]);
  readonly #server: Server;
  readonly #wanted = new Set<Wish>();
  /** The newest last; those before it go when it is joined. */
  readonly #open: AbortController[] = [];
  /** The resources that are heard of; undefined before anything is. */
  #heard: ReadonlySet<string> | undefined;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Begins to listen for what the server offers, or does so anew. */
  start(): void {
    this.#isStopped = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#listen(), SETTLE_MS);
    this.state.set({ phase: "connecting" });
  }

  /** Until `start` is called again. */
  stop(): void {
    this.#isStopped = true;
    this.#rest();
  }

  /** Listens for one resource too. @returns what ends that */
  subscribe(uri: string, onUpdate: () => void): () => void {
    const wish = { uri, onUpdate };
    const begin = (): void => {
      // A person who stopped it begins it again.
      if (!this.#isStopped) this.start();
    };
    this.#wanted.add(wish);
    begin();
    return () => {
      if (this.#wanted.delete(wish)) begin();
    };
  }

  close(): void {
    this.#wanted.clear();
    this.stop();
  }

  #listen(): void {
    const filter = this.#filter();
    if (Object.keys(filter).length === 0) return this.#rest();
    const own = new AbortController();
    this.#open.push(own);
    this.#server.client.listen(filter, {
      rejoinAfterEnd: true,
      signal: own.signal,
      onEvent: (event) => this.#hear(event),
      onState: (state) => {
        if (own !== this.#open.at(-1)) return; // There is a newer one.
        if (state.phase === "live" || state.phase === "ended") this.#leave(1);
        if (state.phase === "live") {
          if (Object.keys(state.granted).length === 0) return own.abort(); // Which ends it, so this is called again.
          this.#join(state.granted);
        }
        this.state.set(state);
      },
    });
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#heard = undefined;
    this.#leave(0);
    this.state.set({ phase: "idle" });
  }

  /** All but the newest `kept`. */
  #leave(kept: number): void {
    for (const old of this.#open.splice(0, this.#open.length - kept)) old.abort();
  }

  /** Looks at what changed while nobody listened for it. */
  #join({ resourceSubscriptions }: SubscriptionFilter): void {
    const heard = this.#heard;
    this.#heard = new Set(resourceSubscriptions);
    if (heard === undefined) this.#outdate();
    else for (const { uri, onUpdate } of this.#wanted) if (!heard.has(uri)) onUpdate();
  }

  #filter(): SubscriptionFilter {
    const capabilities = this.#server.description?.capabilities;
    const lists = (["tools", "prompts", "resources"] as const).filter(
      (name) => capabilities?.[name]?.listChanged === true,
    );
    const uris = [...new Set([...this.#wanted].map(({ uri }) => uri))];
    return {
      ...Object.fromEntries(lists.map((name) => [`${name}ListChanged`, true])),
      ...(capabilities?.resources?.subscribe === true && uris.length > 0 && { resourceSubscriptions: uris }),
    };
  }

  #hear(event: ListenEvent): void {
    this.entries.set([...this.entries.value, { at: Date.now(), event }].slice(-MAX_ENTRIES));
    const { tools, prompts, resources, templates } = this.#server;
    switch (event.type) {
      case "toolsListChanged":
        return tools.outdate();
      case "promptsListChanged":
        return prompts.outdate();
      case "resourcesListChanged":
        resources.outdate();
        return templates.outdate();
      case "resourceUpdated":
        // A server may name a part of what is subscribed to.
        for (const { uri, onUpdate } of this.#wanted) if (event.uri.startsWith(uri)) onUpdate();
        return;
      case "resumed":
        return this.#outdate();
    }
  }

  #outdate(): void {
    const { tools, prompts, resources, templates } = this.#server;
    for (const list of [tools, prompts, resources, templates]) list.outdate();
    for (const { onUpdate } of this.#wanted) onUpdate();
  }
}

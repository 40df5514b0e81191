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
  /** `idle`: there is nothing to listen for, or nobody wants to. `ended` without an error: the server granted nothing. */
  readonly state = new State<FeedState>({ phase: "idle" });
  /** What was heard, oldest first; a bounded number of the last. */
  readonly entries = new State<readonly FeedEntry[]>([]);
  readonly #server: Server;
  readonly #wanted = new Set<Wish>();
  /** The newest, and before it the one that goes when the newest is joined. */
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
    this.#wanted.add(wish);
    this.#changed();
    return () => {
      if (this.#wanted.delete(wish)) this.#changed();
    };
  }

  close(): void {
    this.#wanted.clear();
    this.stop();
  }

  #changed(): void {
    // Who stopped it is the one to begin it again.
    if (!this.#isStopped) this.start();
  }

  #listen(): void {
    const filter = this.#filter();
    if (Object.keys(filter).length === 0) return this.#rest();
    const own = new AbortController();
    // A page has six connections to a server, if that speaks HTTP/1.1.
    abort(this.#open.splice(1));
    this.#open.push(own);
    this.#server.client.listen(filter, {
      rejoinAfterEnd: true,
      signal: own.signal,
      onEvent: (event) => this.#hear(event),
      onState: (state) => this.#follow(own, state),
    });
  }

  #follow(own: AbortController, state: ListeningState): void {
    const { phase } = state;
    // From now to the next joining nothing is heard, unless this one had its day.
    if (phase === "waiting" || (phase === "ended" && !own.signal.aborted)) this.#heard = undefined;
    if (own !== this.#open.at(-1)) return; // There is a newer one.
    if (phase === "live" || phase === "ended") abort(this.#open.splice(0, this.#open.length - 1));
    if (phase === "live") this.#join(state.granted);
    if (phase === "live" && Object.keys(state.granted).length === 0) {
      this.#rest();
      this.state.set({ phase: "ended", error: undefined });
    } else this.state.set(state);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#heard = undefined;
    abort(this.#open.splice(0));
    this.state.set({ phase: "idle" });
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
    const lists = Object.entries(LISTS).filter(([, list]) => capabilities?.[list]?.listChanged === true);
    const uris = [...new Set([...this.#wanted].map(({ uri }) => uri))];
    return {
      ...Object.fromEntries(lists.map(([kind]) => [kind, true])),
      ...(capabilities?.resources?.subscribe === true && uris.length > 0 && { resourceSubscriptions: uris }),
    };
  }

  #hear(event: ListenEvent): void {
    this.entries.set([...this.entries.value, { at: Date.now(), event }].slice(-MAX_ENTRIES));
    if (event.type === "resumed") return this.#outdate();
    if (event.type === "resourceUpdated") {
      // A server may name a part of what is subscribed to; what only looks like one is looked at in vain.
      for (const { uri, onUpdate } of this.#wanted) if (event.uri.startsWith(uri)) onUpdate();
      return;
    }
    const list = LISTS[event.type];
    this.#server[list].outdate();
    if (list === "resources") this.#server.templates.outdate();
  }

  #outdate(): void {
    for (const list of [...Object.values(LISTS), "templates"] as const) this.#server[list].outdate();
    for (const { onUpdate } of this.#wanted) onUpdate();
  }
}

function abort(controllers: readonly AbortController[]): void {
  for (const controller of controllers) controller.abort();
}

/**
 * What a server tells of changes, for whoever on this page wants to know: one subscription for all of it.
 *
 * Contract: when what is listened for changes, the new subscription is joined before the old one ends, so that nothing
 * falls in between. What may have been missed counts as changed.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import type { ListenEvent, Listening, ListeningState, SubscriptionFilter } from "../../src/client.ts";
import type { Server } from "../server.ts";
import { State } from "../state.ts";

export type FeedState = ListeningState | { readonly phase: "idle" };

export interface FeedEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: ListenEvent;
}

const MAX_ENTRIES = 200;
/** Several views that open together are one change of the filter. */
const SETTLE_MS = 50;

export class Feed {
  /** `idle`: there is nothing to listen for, or nobody wants to. */
  readonly state = new State<FeedState>({ phase: "idle" });
  /** What was heard, oldest first; a bounded number of the last. */
  readonly entries = new State<readonly FeedEntry[]>([]);
  readonly #server: Server;
  readonly #wanted = new Set<{ readonly uri: string; readonly onUpdate: () => void }>();
  #listening: Listening | undefined;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Begins to listen for what the server offers, or does so anew. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#listen(), SETTLE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#turn++;
    this.#listening?.close();
    this.#listening = undefined;
    this.state.set({ phase: "idle" });
  }

  /** Listens for one resource too. @returns what ends that */
  subscribe(uri: string, onUpdate: () => void): () => void {
    const wish = { uri, onUpdate };
    const isNew = !this.#uris().includes(uri);
    this.#wanted.add(wish);
    if (isNew) this.start();
    return () => {
      if (this.#wanted.delete(wish) && !this.#uris().includes(uri)) this.start();
    };
  }

  close(): void {
    this.stop();
  }

  #uris(): string[] {
    return [...new Set([...this.#wanted].map(({ uri }) => uri))];
  }

  #listen(): void {
    const { description, client } = this.#server;
    const filter = this.#filter();
    if (description === undefined || Object.keys(filter).length === 0) return this.stop();
    const before = this.#listening;
    const turn = ++this.#turn;
    this.#listening = client.listen(filter, {
      rejoinAfterEnd: true,
      onEvent: (event) => this.#hear(event),
      onState: (state) => {
        if (turn !== this.#turn) return; // There is a newer one.
        if (state.phase === "live" || state.phase === "ended") before?.close();
        // What changed while nobody listened.
        if (state.phase === "live" && before === undefined && this.state.value.phase === "connecting") this.#outdate();
        this.state.set(state);
      },
    });
  }

  #filter(): SubscriptionFilter {
    const { tools, prompts, resources } = this.#server.description?.capabilities ?? {};
    const uris = this.#uris();
    return {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
      ...(resources?.subscribe === true && uris.length > 0 && { resourceSubscriptions: uris }),
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
        return this.#update(event.uri);
      case "resumed":
        return this.#outdate();
    }
  }

  #outdate(): void {
    for (const list of ["tools", "prompts", "resources", "templates"] as const) this.#server[list].outdate();
    for (const { onUpdate } of this.#wanted) onUpdate();
  }

  /** A server may name a part of what is subscribed to. */
  #update(named: string): void {
    for (const { uri, onUpdate } of this.#wanted) if (named === uri || named.startsWith(uri)) onUpdate();
  }
}

/**
 * The resources of a server, kept up to date: the list, the one that is open, and the stream that tells when to look again.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { SubscriptionFilter } from "../src/protocol/subscription.ts";
import { listAll } from "./list-pages.ts";
import { LiveFeed, type LiveState, NOT_OFFERED } from "./live-feed.ts";
import { LiveStatus } from "./live-status.ts";
import { Refresher } from "./refresher.ts";
import { parseResource, type Resource } from "./resource.ts";
import { ResourceList } from "./resource-list.ts";
import { ResourceView } from "./resource-view.ts";
import { reasonOf } from "./result-view.ts";
import type { WireClient } from "./wire.ts";

export class Resources {
  readonly element: HTMLElement;
  readonly #client: WireClient;
  readonly #offered: { readonly listChanged: boolean; readonly subscribe: boolean };
  readonly #listStatus = new LiveStatus();
  /** The list may be out of sight while a resource is open: below the tools, or not there on a small screen. */
  readonly #viewStatus = new LiveStatus();
  readonly #list = new ResourceList(this.#listStatus.element);
  readonly #relist = new Refresher(() => this.#load());
  readonly #feed: LiveFeed;
  #titles: ReadonlyMap<string, string> = new Map();
  #view: ResourceView | undefined;

  /** @param capability `capabilities.resources` of the server */
  constructor(client: WireClient, capability: unknown) {
    const { listChanged, subscribe } = isObject(capability) ? capability : { listChanged: false, subscribe: false };
    this.#client = client;
    this.#offered = { listChanged: listChanged === true, subscribe: subscribe === true };
    this.element = this.#list.element;
    this.#feed = new LiveFeed(client, {
      onState: (state) => this.#say(state),
      onJoined: () => {
        this.#relist.request();
        this.#view?.refresh();
      },
      onListChanged: () => this.#relist.request(),
      onUpdated: () => this.#view?.refresh(),
    });
    this.#relist.request();
  }

  /** Shows one, or none, and listens for what is shown. */
  open(uri: string | undefined): ResourceView | undefined {
    this.#view?.close();
    this.#view = uri === undefined ? undefined : new ResourceView(this.#client, uri, this.#viewStatus.element);
    this.#listStatus.silent = uri !== undefined;
    this.#view?.retitle(this.#titles.get(this.#view.uri) ?? this.#view.uri);
    this.#list.select(uri);
    this.#feed.listen(this.#wanted());
    return this.#view;
  }

  #wanted(): SubscriptionFilter {
    const { listChanged, subscribe } = this.#offered;
    return {
      ...(listChanged && { resourcesListChanged: true }),
      ...(subscribe && this.#view !== undefined && { resourceSubscriptions: [this.#view.uri] }),
    };
  }

  #say(state: LiveState): void {
    const { subscribe } = this.#offered;
    // A server that tells of resources alone has nothing to tell until one is open.
    const shown = state.kind === "idle" && !subscribe ? ({ kind: "off", reason: NOT_OFFERED } as const) : state;
    for (const status of [this.#listStatus, this.#viewStatus]) status.show(shown, this.#unwatched(shown));
  }

  #unwatched(state: LiveState): string {
    if (state.kind !== "live") return "";
    if (state.granted.resourcesListChanged !== true) return "the list";
    return this.#view !== undefined && state.granted.resourceSubscriptions === undefined ? "this resource" : "";
  }

  async #load(): Promise<void> {
    const listed = await listAll(this.#client, { method: "resources/list", member: "resources" });
    if (!Array.isArray(listed)) return this.#list.fail(reasonOf(listed));
    const byUri = new Map<string, Resource>();
    for (const resource of listed.map(parseResource)) if (resource !== undefined) byUri.set(resource.uri, resource);
    this.#titles = new Map([...byUri].map(([uri, { title }]) => [uri, title]));
    this.#list.show([...byUri.values()]);
    const title = this.#view && this.#titles.get(this.#view.uri);
    if (title !== undefined) this.#view?.retitle(title);
  }
}

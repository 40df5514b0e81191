/**
 * The list methods. A list that is the same for everyone is serialised once, page by page; one that depends on the
 * caller is put together for each request and sent as `private`.
 *
 * @see spec 2026-07-28 server/utilities/pagination, server/utilities/caching
 */
import type { JsonObject } from "../protocol/types.ts";
import type { Caller, Exchange } from "./exchange.ts";
import { cursorOf, type NamedList, pageAt, startOf } from "./pagination.ts";
import { isVisible } from "./provided.ts";
import type { ResultWriter } from "./result-writer.ts";

export interface ListEntry<Env> {
  readonly wire: JsonObject;
  readonly visibleTo: ((caller: Caller<Env>) => boolean) | undefined;
}

/** A name that is unique in its list, and the entry. */
export type Item<Env> = readonly [string, ListEntry<Env>];

export interface ListOptions {
  /** The member that holds the entries: `tools`, `resourceTemplates`, … */
  readonly member: string;
  readonly pageSize: number;
  /** Freshness of a list that is the same for everyone, in milliseconds. */
  readonly ttlMs: number;
}

export class List<Env> {
  readonly #options: ListOptions;
  readonly #entries: readonly Item<Env>[];
  /** Entries that depend on the caller, or undefined when none do. */
  readonly #provided: ((exchange: Exchange<Env>) => Promise<Item<Env>[]>) | undefined;
  readonly #shared: boolean;
  /** Finished results of a shared list, by where they start: several cursors may mean one place. */
  readonly #pages: Map<number, string> = new Map();

  constructor(
    options: ListOptions,
    entries: ReadonlyMap<string, ListEntry<Env>>,
    provided?: (exchange: Exchange<Env>) => Promise<Item<Env>[]>,
  ) {
    this.#options = options;
    this.#entries = [...entries];
    this.#provided = provided;
    this.#shared = provided === undefined && this.#entries.every(([, { visibleTo }]) => visibleTo === undefined);
  }

  /** @returns the result as JSON text. @throws {ProtocolError} −32602 for a bad cursor */
  page(exchange: Exchange<Env>, writer: ResultWriter): string | Promise<string> {
    const cursor = cursorOf(exchange.params);
    if (!this.#shared) return this.#privatePage(exchange, cursor, writer);
    const list = this.#named(this.#entries);
    const start = startOf(list, cursor);
    let page = this.#pages.get(start);
    if (page === undefined) {
      page = this.#encode(list, start, writer, { ttlMs: this.#options.ttlMs, cacheScope: "public" });
      page = flatten(page);
      this.#pages.set(start, page);
    }
    return page;
  }

  async #privatePage(exchange: Exchange<Env>, cursor: string | undefined, writer: ResultWriter): Promise<string> {
    const provided = (await this.#provided?.(exchange)) ?? [];
    const fixed = new Set(this.#entries.map(([name]) => name));
    const all = [...this.#entries, ...provided.filter(([name]) => !fixed.has(name))];
    const visible = all.filter(([, entry]) => isVisible(entry, exchange));
    const list = this.#named(visible);
    return this.#encode(list, startOf(list, cursor), writer, { ttlMs: 0, cacheScope: "private" });
  }

  #named(items: readonly Item<Env>[]): NamedList<Item<Env>> {
    return { name: this.#options.member, items, keyOf: ([name]) => name };
  }

  #encode(list: NamedList<Item<Env>>, start: number, writer: ResultWriter, hints: object): string {
    const { member, pageSize } = this.#options;
    const { items, nextCursor } = pageAt(list, start, pageSize);
    return writer.result({ [member]: items.map(([, { wire }]) => wire), nextCursor, ...hints });
  }
}

/** One string instead of the rope that it was put together as, which each reply would have to walk. */
function flatten(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string; // What was a string is one again.
}

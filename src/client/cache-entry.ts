/**
 * What may be kept of a server's answers, for how long, and what still counts of what was kept. Pure.
 *
 * @see spec 2026-07-28 server/utilities/caching
 */
import { isObject } from "../protocol/json-rpc.ts";
import { parsed as parsedText } from "../protocol/json-text.ts";
import type { JsonObject } from "../protocol/types.ts";

export interface CacheableRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** MUST — #cacheable-results: the operations whose results carry hints. */
const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);
/** Our choice: who restarts a server within a day wants that seen within a day. */
const MAX_TTL_MS = 86_400_000;

/** MUST NOT — #cache-key: results of retries depend on input that is not part of the key. */
export function isCacheable({ method, params }: CacheableRequest): boolean {
  return CACHEABLE.has(method) && params["inputResponses"] === undefined && params["requestState"] === undefined;
}

/** How long a result may be used, 0 for not at all. */
export function ttlOf({ resultType = "complete", ttlMs }: JsonObject): number {
  if (resultType !== "complete" || typeof ttlMs !== "number") return 0;
  // JSON can carry 1e999, which is no promise that anybody meant.
  return Number.isFinite(ttlMs) && ttlMs >= 1 ? Math.min(Math.floor(ttlMs), MAX_TTL_MS) : 0;
}

/** What a store holds, if it is what was put there and still fresh. A clock that was set back makes nothing fresh. */
export function freshEntry(text: string | undefined, now: number): { at: number; result: JsonObject } | undefined {
  const entry = text === undefined ? undefined : parsed(text);
  if (!isObject(entry)) return undefined;
  const { at, ttlMs, result } = entry;
  if (typeof at !== "number" || typeof ttlMs !== "number" || !isObject(result)) return undefined;
  return at <= now && now < at + Math.min(ttlMs, MAX_TTL_MS) ? { at, result } : undefined;
}

export function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  return parsedText(text); // What is spoilt counts as absent.
}

/** JSON with sorted members, so that equal parameters give equal text. Without `_meta`, which affects no result. */
export function canonical({ _meta, ...params }: JsonObject): string {
  return JSON.stringify(params, (_name, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

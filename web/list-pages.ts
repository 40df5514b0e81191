/**
 * A list of the server's, all pages of it.
 */
import type { Outcome } from "./exchange.ts";
import type { RequestOptions, WireClient } from "./wire.ts";

/** Pages that this page is willing to go through. */
const MAX_PAGES = 40;

/** @returns the entries as they came, or what came instead of them */
export async function listAll(
  client: WireClient,
  { method, member }: { readonly method: string; readonly member: string },
  options?: RequestOptions,
): Promise<unknown[] | Exclude<Outcome, { kind: "result" }>> {
  const entries: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await client.request(method, cursor === undefined ? {} : { cursor }, options);
    if (listed.kind !== "result") return listed;
    const { [member]: some, nextCursor } = listed.result;
    if (Array.isArray(some)) entries.push(...(some as unknown[]));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return entries;
}

/**
 * Lists in pages, read to their end, or to where the server goes in circles.
 *
 * @see spec 2026-07-28 server/utilities/pagination
 */
import { McpError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/types.ts";

/** Our choice: more pages than any list that somebody looks at. */
const MAX_PAGES = 1_000;
/** Pages that nobody weighs: nearly every list ends within them, and each is bounded by itself. */
const UNWEIGHED_PAGES = 8;
/** Of the others together, as JSON in UTF-16 code units. */
const MAX_LENGTH = 16_777_216;

/**
 * @param member which member of a page holds the entries
 * @param ask sends the request for one page
 * @throws {McpError} `list_loop` when a cursor comes twice, or the list does not end
 */
export async function readPages(member: string, ask: (params: JsonObject) => Promise<JsonObject>): Promise<unknown[]> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let params: JsonObject = {};
  let length = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { [member]: found, nextCursor: cursor } = await ask(params);
    if (!Array.isArray(found)) throw new McpError("invalid_response", `A page of the list has no ${member}`);
    if (page >= UNWEIGHED_PAGES) length += weigh(found);
    if (length > MAX_LENGTH) throw new McpError("list_loop", `The list of ${member} has no end in sight`);
    for (const entry of found as unknown[]) entries.push(entry); // Spreading a long page would overflow the stack.
    // An empty string is a cursor like any other.
    if (cursor === undefined || cursor === null) return entries;
    if (typeof cursor !== "string") throw new McpError("invalid_response", "A list's cursor is not a string");
    if (cursors.has(cursor)) throw new McpError("list_loop", `The pages of ${member} go in circles`);
    cursors.add(cursor);
    params = { cursor };
  }
  throw new McpError("list_loop", `The list of ${member} has more than ${MAX_PAGES} pages`);
}

function weigh(entries: readonly unknown[]): number {
  try {
    return JSON.stringify(entries).length;
  } catch {
    return Infinity; // Nested so deeply that the stack overflows.
  }
}

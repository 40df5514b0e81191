/** All that the page keeps in this browser: to take along, and to be rid of. */
import { saveFile } from "../dom.ts";
import { readStored, storedKeys, writeStored } from "../storage.ts";

/** Of the store in `mcp-edge/client/oauth`. */
const TOKENS = "mcp-edge-oauth";
/** A value in the query of an address, as it stands in JSON. */
const QUERY_VALUE = /([?&][^=&"\\]*=)[^&#"\\]*/g;

/** Without keys, headers, and values in the queries of addresses, which a file is no place for. */
export function exportAll(): void {
  const all = storedKeys().map((key) => [key, readStored(key, (value): value is unknown => value !== null)]);
  const text = JSON.stringify(
    Object.fromEntries(all),
    (name, value: unknown) => (/^(?:key|headers)$/i.test(name) ? undefined : value),
    2,
  );
  saveFile("mcp-edge-page.json", text.replace(QUERY_VALUE, "$1…"));
}

export function clearAll(): void {
  if (!confirm("Clear all that this page keeps, and sign out everywhere?")) return;
  for (const key of storedKeys()) writeStored(key, undefined);
  // Other tabs let go of it when they hear of this, and it is gone when the last one has.
  indexedDB.deleteDatabase(TOKENS);
  location.assign("/");
}

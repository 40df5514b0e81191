/** All that the page keeps in this browser: to take along, and to be rid of. */
import { saveFile } from "../dom.ts";
import { readStored, storedKeys, writeStored } from "../storage.ts";
import { OAUTH_KEY } from "./auth.ts";

/** A value in the query of an address, as it stands in JSON. */
const QUERY_VALUE = /([?&][^=&"\\]*=)[^&#"\\]*/g;

/** Without tokens, keys, headers, and values in the queries of addresses, which a file is no place for. */
export function exportAll(): void {
  const all = storedKeys()
    .filter((key) => !key.startsWith(OAUTH_KEY))
    .map((key) => [key, readStored(key, (value): value is unknown => value !== null)]);
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
  location.assign("/");
}

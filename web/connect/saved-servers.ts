/**
 * The servers that this browser remembers. Values of headers are remembered only where the person said so.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { ServerSettings } from "../server.ts";
import { readStored, writeStored } from "../storage.ts";

const STORED = "servers";

export function savedServers(): readonly ServerSettings[] {
  return readStored(STORED, Array.isArray)?.filter(isSettings) ?? [];
}

/** What is remembered of a server at this address. */
export function savedSettings(url: string): ServerSettings | undefined {
  return savedServers().find((saved) => saved.url === url);
}

/** In place of what was remembered of the same address. */
export function save(settings: ServerSettings): void {
  const others = savedServers().filter(({ url }) => url !== settings.url);
  writeStored(STORED, [...others, settings]);
}

export function forget(address: string): void {
  writeStored(
    STORED,
    savedServers().filter(({ url }) => url !== address),
  );
}

function isSettings(value: unknown): value is ServerSettings {
  if (!isObject(value)) return false;
  const { url, label, headers, oauth } = value;
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  if (label !== undefined && typeof label !== "string") return false;
  if (
    oauth !== undefined &&
    !(isObject(oauth) && typeof oauth["issuer"] === "string" && typeof oauth["clientId"] === "string")
  )
    return false;
  return (
    headers === undefined || (isObject(headers) && Object.values(headers).every((text) => typeof text === "string"))
  );
}

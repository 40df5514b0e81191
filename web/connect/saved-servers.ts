/**
 * The servers that this browser remembers. Values of headers are remembered only where the person said so.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { App } from "../app.ts";
import type { Server, ServerSettings } from "../server.ts";
import { readStored, writeStored } from "../storage.ts";

const STORED = "servers";
/** The endpoint beside this page. */
export const OWN_ENDPOINT = new URL("/mcp", location.href).href;

export interface KnownServer {
  readonly settings: ServerSettings;
  readonly name: string;
  /** Where it is open. */
  readonly server: Server | undefined;
  readonly isSaved: boolean;
}

/** The one that this page came from, those that are saved, and those that are open, each once. */
export function knownServers({ servers }: App): KnownServer[] {
  const saved = savedServers();
  const open = servers.value.map(({ settings }) => settings);
  const all = [{ url: OWN_ENDPOINT }, ...saved, ...open].map((settings) => [settings.url, settings] as const);
  return [...new Map<string, ServerSettings>(all)].map(([url, settings]) => {
    const server = servers.value.find((one) => one.settings === settings);
    const isSaved = saved.some((one) => one.url === url);
    return { settings, server, isSaved, name: server?.name ?? new URL(url).host };
  });
}

function savedServers(): readonly ServerSettings[] {
  return readStored(STORED, Array.isArray)?.filter(isSettings) ?? [];
}

/** What is remembered of a server at this address. */
export function savedSettings(url: string): ServerSettings | undefined {
  return savedServers().find((saved) => saved.url === url);
}

/** In place of what was remembered of the same address. Nothing forgets it. */
export function remember(url: string, ...settings: readonly ServerSettings[]): void {
  writeStored(STORED, [...savedServers().filter((saved) => saved.url !== url), ...settings]);
}

function isSettings(value: unknown): value is ServerSettings {
  if (!isObject(value)) return false;
  const { url, headers, oauth } = value;
  return typeof url === "string" && URL.canParse(url) && isTexts(headers) && isTexts(oauth);
}

function isTexts(value: unknown = {}): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

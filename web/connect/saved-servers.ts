/**
 * The servers that this browser remembers. Values of headers are remembered only where the person said so.
 */
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { App } from "../app.ts";
import type { Server, ServerSettings } from "../server.ts";
import { readStored, writeStored } from "../storage.ts";

const STORED = "servers";

export interface KnownServer {
  readonly settings: ServerSettings;
  readonly name: string;
  /** Where it is open. */
  readonly server: Server | undefined;
  readonly isSaved: boolean;
}

/** The one that this page came from, those that are saved, and those that are open, each once. */
export function knownServers({ servers }: App): KnownServer[] {
  const own = { url: new URL("/mcp", location.href).href };
  const saved = savedServers();
  const open = servers.value.map(({ settings }) => settings);
  const all = new Map<string, ServerSettings>([own, ...saved, ...open].map((settings) => [settings.url, settings]));
  return [...all].map(([url, settings]) => {
    const server = servers.value.find((one) => one.settings.url === url);
    const isSaved = saved.some((one) => one.url === url);
    return { settings, server, isSaved, name: server?.name ?? settings.label ?? new URL(url).host };
  });
}

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
  const { url, label = "", headers = {}, oauth } = value;
  const isKnown = oauth === undefined || (isTexts(oauth) && typeof oauth["issuer"] === "string" && "clientId" in oauth);
  return typeof url === "string" && URL.canParse(url) && typeof label === "string" && isTexts(headers) && isKnown;
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/** What a client is made with, and what a caller may say of one request beside what every session understands. */
import type { ClientCapabilities, Implementation } from "../protocol/types.ts";
import type { SchemaEngine } from "../schema/engine.ts";
import type { AuthProvider } from "./auth-provider.ts";
import type { PendingInput } from "./input-rounds.ts";
import type { CacheUse, ResultCache } from "./result-cache.ts";
import type { Connection, InputHandlers, LegacyConnector, ReadLimits, RequestOptions } from "./session.ts";

export interface McpClientOptions {
  /** How the client names itself to servers. */
  readonly info: Implementation;
  /** Default: the runtime's own. */
  readonly fetch?: typeof fetch;
  readonly auth?: AuthProvider;
  /** Sent with each request. The protocol's own headers take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who answers what servers ask. What is declared to servers follows from which handlers there are. */
  readonly input?: InputHandlers;
  /**
   * Declared beside what `input` implies, member by member, and in its place where both say something:
   * `{ elicitation: { form: {} } }` where there is nobody to open a URL. Needed for manual mode without handlers.
   */
  readonly capabilities?: ClientCapabilities;
  /** Checks `structuredContent`. Default: nobody does. In a browser, `interpreterEngine()`. */
  readonly schemas?: SchemaEngine;
  readonly limits?: Partial<ReadLimits>;
  /**
   * Keeps results for as long as their server says: `resultCache()` in memory, `resultCache(indexedDbStore())` over reloads.
   * Default: each list and read asks the server.
   */
  readonly cache?: (connection: Connection) => ResultCache;
  /** Speaks with servers of older revisions. Default: they are refused. */
  readonly legacy?: LegacyConnector;
  /** How often reads, and tools that say they may be repeated, are asked again when the way fails. Default 2. */
  readonly retries?: number;
  /** How often one request may ask for input. Default 10. */
  readonly maxRounds?: number;
  /** Hears of what was ignored or left out. Never holds arguments, tokens or results. */
  readonly onWarning?: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** 0 (included) to 1 (excluded). */
  readonly random?: () => number;
}

/** `handlers`: questions go to the client's input handlers. `manual`: they are returned to the caller. */
export type InputMode = "handlers" | "manual";

export interface CallOptions<M extends InputMode = InputMode> extends RequestOptions {
  /** Default `handlers`. */
  input?: M;
}

/** What a caller may say of one list or read. */
export interface ReadOptions extends RequestOptions {
  /** How the client's cache may be used, if it has one. */
  cache?: CacheUse;
}

/** What a call may return beside its result. */
export type MaybePending<M extends InputMode> = M extends "manual" ? PendingInput : never;

const MEBIBYTE = 1_048_576;

/** @throws {TypeError} when the URL is none, or not one of HTTP */
export function connectionOf(url: string | URL, options: McpClientOptions): Connection {
  const endpoint = new URL(url);
  if (!/^https?:$/.test(endpoint.protocol)) throw new TypeError(`not a URL of HTTP: ${endpoint.protocol}`);
  endpoint.hash = "";
  const { info, auth, headers = {}, input = {}, limits } = options;
  return {
    url: endpoint.href,
    // Looked up at each call, since tests and tracers replace it; browsers insist on its owner.
    fetch: options.fetch ?? ((request, init) => globalThis.fetch(request, init)),
    info,
    capabilities: { ...capabilitiesOf(input), ...options.capabilities },
    input,
    auth,
    signIns: { underWay: 0, failure: undefined },
    headers: Object.fromEntries(new Headers(headers)),
    limits: { maxMessageBytes: 16 * MEBIBYTE, maxStreamBytes: 256 * MEBIBYTE, ...limits },
    legacy: options.legacy,
    onWarning: options.onWarning ?? (() => {}),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
  };
}

function capabilitiesOf({ elicit, sample, roots }: InputHandlers): ClientCapabilities {
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

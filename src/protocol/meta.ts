/**
 * The `_meta` of a request: version, capabilities, identity, log level and progress token, judged once.
 *
 * @see spec 2026-07-28 basic/index#meta
 */
import { invalidParams, type ProtocolError } from "./errors.ts";
import { isObject } from "./json-rpc.ts";
import { type ClientCapabilities, type Implementation, type JsonObject, LOG_LEVELS, type LogLevel } from "./types.ts";
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_VERSION } from "./versions.ts";

export interface RequestMeta {
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  /** Self-reported: for display and logs only. */
  readonly clientInfo: Implementation | undefined;
  /** The mildest level the client wants to hear of; undefined means none at all. */
  readonly logLevel: LogLevel | undefined;
  /** Undefined unless the client asked for progress; 0 and "" are tokens. */
  readonly progressToken: string | number | undefined;
  /** The object as sent, for trace context and extensions. */
  readonly raw: JsonObject;
}

/**
 * The protocol version a message claims in its `_meta`, or undefined when it claims none. A claim of the wrong type is
 * no claim: `parseRequestMeta` says what is wrong with it.
 */
export function claimedVersion(params: JsonObject | undefined): string | undefined {
  const meta = params?.["_meta"];
  const version = isObject(meta) ? meta[META_VERSION] : undefined;
  return typeof version === "string" ? version : undefined;
}

/** MUST — basic/index#meta: a request without the required fields is −32602. */
export function parseRequestMeta(params: JsonObject | undefined): RequestMeta | ProtocolError {
  const raw = params?.["_meta"];
  if (raw === undefined) return invalidParams("Invalid params: _meta is missing");
  if (!isObject(raw)) return invalidParams("Invalid params: _meta must be an object");
  const version = raw[META_VERSION];
  if (typeof version !== "string") return wrong(META_VERSION, version, "a string");
  const capabilities = raw[META_CLIENT_CAPABILITIES];
  if (!isCapabilities(capabilities)) return wrong(META_CLIENT_CAPABILITIES, capabilities, "an object of objects");
  const clientInfo = raw[META_CLIENT_INFO];
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return wrong(META_CLIENT_INFO, clientInfo, "an object with the strings name and version");
  }
  const logLevel = raw[META_LOG_LEVEL];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    return wrong(META_LOG_LEVEL, logLevel, `one of ${LOG_LEVELS.join(", ")}`);
  }
  const progressToken = raw["progressToken"];
  if (progressToken !== undefined && !isProgressToken(progressToken)) {
    return wrong("progressToken", progressToken, "a string or an integer");
  }
  return { version, capabilities, clientInfo, logLevel, progressToken, raw };
}

function wrong(key: string, value: unknown, expected: string): ProtocolError {
  const state = value === undefined ? "is missing" : `must be ${expected}`;
  return invalidParams(`Invalid params: _meta["${key}"] ${state}`);
}

/** Settings whose presence decides what may be asked for. */
const SETTINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["elicitation", ["form", "url"]],
  ["sampling", ["tools", "context"]],
]);

/** Each capability is an object; so are the settings one level down that decide anything here. */
function isCapabilities(value: unknown): value is ClientCapabilities {
  if (!isObject(value)) return false;
  for (const name in value) {
    const capability = value[name];
    if (!isObject(capability)) return false;
    for (const setting of SETTINGS.get(name) ?? []) {
      if (capability[setting] !== undefined && !isObject(capability[setting])) return false;
    }
  }
  return true;
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel); // includes() wants the element type; it compares by identity.
}

/** Integers beyond 2^53 are refused rather than echoed with other digits. */
function isProgressToken(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

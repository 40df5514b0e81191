/**
 * The way down to servers of the legacy era: Streamable HTTP with a handshake first, then HTTP+SSE.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#backward-compatibility
 */
import { clip, ErrorCode, McpError, ProtocolError } from "../../protocol/errors.ts";
import { createEraSession } from "../era-session.ts";
import { httpFailureOf } from "../http-failure.ts";
import { isLegacyAnswer } from "../legacy-signals.ts";
import type { Connection, LegacyConnector, Session } from "../session.ts";
import { LEGACY_VERSIONS } from "./handshake.ts";
import { HttpSseWire } from "./http-sse-wire.ts";
import { LegacySession, type OpenWire } from "./legacy-session.ts";
import { StreamableWire } from "./streamable-wire.ts";

export interface LegacyOptions {
  /** Which revisions to speak, newest first. Default: all four. The first is offered. */
  readonly versions?: readonly string[];
}

/**
 * All of the era, as far back as HTTP+SSE, the transport of 2024-11-05.
 *
 * @throws {TypeError} for a version that is not of this era
 */
export function legacyFallback(options: LegacyOptions = {}): LegacyConnector {
  return connectorOf(options, overOldest);
}

/**
 * Servers that speak Streamable HTTP alone: half a kilobyte less.
 *
 * @throws {TypeError} for a version that is not of this era
 */
export function streamableFallback(options: LegacyOptions = {}): LegacyConnector {
  return connectorOf(options);
}

function connectorOf({ versions = LEGACY_VERSIONS }: LegacyOptions, older?: typeof overOldest): LegacyConnector {
  const stranger = versions.find((version) => !LEGACY_VERSIONS.includes(version));
  if (stranger !== undefined || versions.length === 0) {
    throw new TypeError(`versions: ${clip(String(stranger))} is not one of ${LEGACY_VERSIONS.join(", ")}`);
  }
  const connector: LegacyConnector = {
    isLegacyAnswer,
    over: (modern, connection) => createEraSession(modern, connector, connection),
    async connect(connection, signal) {
      try {
        return await shaken(new LegacySession(connection, versions, overStreamable(connection)), signal);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (older === undefined) throw noCommonEra(error);
        return await older(connection, versions, { signal, refusal: error });
      }
    },
  };
  return connector;
}

async function overOldest(
  connection: Connection,
  versions: readonly string[],
  { signal, refusal }: { readonly signal: AbortSignal | undefined; readonly refusal: unknown },
): Promise<Session> {
  const openWire: OpenWire = (owner, closed) => HttpSseWire.open(connection, owner, closed);
  try {
    return await shaken(new LegacySession(connection, versions, openWire), signal);
  } catch (error) {
    if (error instanceof McpError && (error.code === "aborted" || error.code === "redirect_refused")) throw error;
    throw noCommonEra(refusal);
  }
}

function overStreamable(connection: Connection): OpenWire {
  return (owner) => Promise.resolve(new StreamableWire(connection, owner));
}

async function shaken(session: LegacySession, signal: AbortSignal | undefined): Promise<Session> {
  try {
    await session.describe(signal === undefined ? {} : { signal });
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * The spec has a client turn to HTTP+SSE after 400, 404 and 405. What else says that nobody there knows `initialize` by POST:
 * an error of JSON-RPC other than a server's own trouble, and a success that holds no JSON, as of a web page.
 */
function isRefusal(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code !== ErrorCode.InternalError;
  if (!(error instanceof McpError)) return false;
  return error.code === "invalid_response" || (error.code === "http_error" && httpFailureOf(error)?.legacy === true);
}

function noCommonEra(cause: unknown): McpError {
  return new McpError("no_common_era", "The server speaks no era that is known", { cause });
}

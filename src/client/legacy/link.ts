/**
 * A wire that has shaken hands: what a legacy session has until the server forgets it.
 *
 * @see spec 2025-11-25 basic/lifecycle#initialization
 */
import { McpError } from "../../protocol/errors.ts";
import { type JsonObject, LOG_LEVELS, type LogLevel } from "../../protocol/types.ts";
import { patienceOf } from "../http-request.ts";
import type { Connection, RequestOptions, ServerDescription } from "../session.ts";
import { describeServer, initializeParams, versionInstead } from "./handshake.ts";
import type { Peer } from "./peer.ts";
import { SessionLost, type Wire } from "./wire.ts";

/** For what nobody waits for: notifications, and answers to the server. */
const TELL_TIMEOUT_MS = 30_000;

export interface LinkOptions {
  readonly connection: Connection;
  /** Newest first. */
  readonly versions: readonly string[];
  readonly peer: Peer;
  /** Aborts when the session is closed. */
  readonly closed: AbortSignal;
}

export class Link {
  readonly wire: Wire;
  readonly server: ServerDescription;
  readonly #options: LinkOptions;
  /** The mildest level that the server was told. */
  #level: LogLevel | undefined;

  constructor(wire: Wire, server: ServerDescription, options: LinkOptions) {
    this.wire = wire;
    this.server = server;
    this.#options = options;
  }

  /** Sends what is not answered. */
  tell(message: JsonObject): Promise<void> {
    const signal = AbortSignal.any([this.#options.closed, AbortSignal.timeout(TELL_TIMEOUT_MS)]);
    return this.wire.send(message, patienceOf(signal));
  }

  /**
   * Servers send requests of their own on any stream there is, so one is kept open where they may be answered. That it
   * cannot be had just now is no reason not to ask for anything.
   */
  async hearServer(): Promise<void> {
    const { elicit, sample, roots } = this.#options.connection.input;
    if (elicit === undefined && sample === undefined && roots === undefined) return;
    try {
      await this.wire.listen();
    } catch (error) {
      if (error instanceof SessionLost) throw error;
    }
  }

  /** The level is the session's, so it only ever gets milder; what a request does not want is left out again. */
  async askForLogs({ onLog, logLevel: level = "info", signal }: RequestOptions): Promise<void> {
    if (onLog === undefined || this.server.capabilities.logging === undefined) return;
    if (this.#level !== undefined && LOG_LEVELS.indexOf(this.#level) <= LOG_LEVELS.indexOf(level)) return;
    this.#level = level;
    const { peer, connection, closed } = this.#options;
    try {
      await ask({ peer, wire: this.wire, signal: signal ?? closed }, "logging/setLevel", { level });
    } catch (error) {
      if (error instanceof SessionLost) throw error;
      if (!signal?.aborted) connection.onWarning("The server refused logging/setLevel");
    }
  }
}

/** Shakes hands on a wire that nothing was sent on, which is closed again if that fails. */
export async function shakeHands(wire: Wire, options: LinkOptions): Promise<Link> {
  try {
    const server = describeServer(await initialize(wire, options), options.versions);
    wire.agreed(server.version);
    const link = new Link(wire, server, options);
    await link.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
    return link;
  } catch (error) {
    await wire.close();
    throw error;
  }
}

async function initialize(wire: Wire, { connection, versions, peer, closed }: LinkOptions): Promise<JsonObject> {
  const [newest = ""] = versions;
  const offer = (version: string): Promise<JsonObject> =>
    ask({ peer, wire, signal: closed }, "initialize", initializeParams(connection, version));
  try {
    return await offer(newest);
  } catch (error) {
    const other = versionInstead(error, versions);
    if (other === undefined || other === newest) throw error;
    return offer(other);
  }
}

interface Asking {
  readonly peer: Peer;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

/** A request on this very wire, which no new handshake stands in for. */
function ask({ peer, wire, signal }: Asking, method: string, params: JsonObject): Promise<JsonObject> {
  const request = peer.open(method, { signal });
  request.isSent = true;
  wire.send({ jsonrpc: "2.0", id: request.id, method, params }, request).then(
    () => wire.answersLater || request.fail(unanswered(method)),
    (error: unknown) => request.fail(error),
  );
  return request.result;
}

export function unanswered(method: string): McpError {
  return new McpError("stream_ended", `The stream of ${method} ended without its response`);
}

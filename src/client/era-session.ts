/**
 * Finds out which era a server is of: by asking in the modern one, and reading the answer.
 *
 * Contract: the first answer decides, until a legacy server says that it has become a modern one. A request that was
 * answered in a way that only a legacy server answers was not served, so it is sent again in the legacy era. Since that is
 * a guess, only reads are: anything else goes after a `server/discover`, in one era alone. Requests that start at once
 * share one handshake.
 *
 * @see spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
 */
import { McpError, ProtocolError, UNSUPPORTED_VERSION } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";
import { SUPPORTED_VERSIONS } from "../protocol/versions.ts";
import { Deadline } from "./deadline.ts";
import { httpFailureOf } from "./http-failure.ts";
import { isRead } from "./reads.ts";
import type { Connection, LegacyConnector, RequestOptions, Session } from "./session.ts";

/** At the latest this often whoever waits for the handshake is kept waiting while somebody signs in for it. */
const BEAT_MS = 10_000;

export function createEraSession(
  modern: Session,
  connector: Pick<LegacyConnector, "connect">,
  connection: Connection,
): Session {
  let settled: Session | undefined;
  let connecting: Promise<Session> | undefined;
  /** All that there were, since others may still be at work on one that is not asked any longer. */
  const legacies = new Set<Session>();
  const closing = new AbortController();

  async function connect(): Promise<Session> {
    try {
      // Without the caller's signal: others may be waiting for the same handshake.
      const session = await connector.connect(connection, closing.signal);
      legacies.add(session);
      settled = session;
      if (closing.signal.aborted) session.close().catch(() => {});
      return session;
    } catch (error) {
      connecting = undefined;
      throw error;
    }
  }

  async function fallBack(options: RequestOptions): Promise<Session> {
    closing.signal.throwIfAborted();
    const deadline = new Deadline(options, closing.signal);
    const beatMs = Math.min((options.timeoutMs ?? Infinity) / 2, BEAT_MS);
    const beat = setInterval(() => connection.signIns.underWay > 0 && deadline.heard(), beatMs);
    try {
      return await deadline.race((connecting ??= connect()));
    } finally {
      clearInterval(beat);
      deadline.end();
    }
  }

  async function askModern<T>(ask: Ask<T>): Promise<T> {
    try {
      const answer = await ask(modern);
      settled ??= modern;
      return answer;
    } catch (error) {
      if (error instanceof ProtocolError && !meansLegacy(error)) settled ??= modern;
      throw error;
    }
  }

  async function askSettled<T>(session: Session, ask: Ask<T>): Promise<T> {
    if (session === modern) return askModern(ask);
    try {
      return await ask(session);
    } catch (error) {
      if (!meansModern(error)) throw error;
      if (settled === session) settled = connecting = undefined;
      return askModern(ask);
    }
  }

  async function run<T>(ask: Ask<T>, options: RequestOptions): Promise<T> {
    if (settled !== undefined) return askSettled(settled, ask);
    try {
      return await askModern(ask);
    } catch (error) {
      if (!meansLegacy(error)) throw error;
      const legacy = await fallBack(options).catch((failed: unknown) => {
        if (!(failed instanceof McpError) || failed.code !== "no_common_era") throw failed;
        // It does not know `initialize` either: what it said first is what there is to say.
        if (error instanceof ProtocolError) settled ??= modern;
        throw error;
      });
      return ask(legacy);
    }
  }

  /** @throws whatever leaves it open which era the server is of */
  async function settle({ signal, timeoutMs, maxTimeoutMs }: RequestOptions): Promise<Session> {
    const options = {
      ...(signal !== undefined && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxTimeoutMs !== undefined && { maxTimeoutMs }),
    };
    const discover = { method: "server/discover", params: {}, options };
    try {
      // Any answer of the modern era will do, while `describe` wants a whole one.
      await run<unknown>((session) => (session === modern ? session.request(discover) : session.describe()), options);
    } catch (error) {
      if (settled === undefined) throw error;
    }
    return settled ?? modern;
  }

  return {
    async request(request) {
      const { method, options } = request;
      const ask: Ask<JsonObject> = (session) => session.request(request);
      if (settled !== undefined || isRead(method)) return run(ask, options);
      return askSettled(await settle(options), ask);
    },
    describe: (options = {}) => run((session) => session.describe(options), options),
    openStream: (filter, sink, signal) => run((session) => session.openStream(filter, sink, signal), { signal }),
    async close() {
      closing.abort(new McpError("aborted", "The client was closed"));
      await Promise.all([modern, ...legacies].map((session) => session.close()));
    },
  };
}

type Ask<T> = (session: Session) => Promise<T>;

/** The version that was asked in is none that the server speaks any longer, and it speaks one of this era. */
function meansModern(error: unknown): boolean {
  if (!(error instanceof ProtocolError) || error.code !== UNSUPPORTED_VERSION || !isObject(error.data)) return false;
  const { supported } = error.data;
  return Array.isArray(supported) && SUPPORTED_VERSIONS.some((version) => supported.includes(version));
}

function meansLegacy(error: unknown): boolean {
  if (error instanceof McpError && error.code === "no_common_version") {
    return httpFailureOf(error.cause)?.legacy === true;
  }
  return httpFailureOf(error)?.legacy === true;
}

/**
 * Finds out which era a server is of: by asking in the modern one, and reading the answer.
 *
 * Contract: the first answer decides, for as long as the client lives. A request that was answered in a way that only a
 * legacy server answers was not served, so it is sent again in the legacy era. Requests that start at once share one
 * handshake.
 *
 * @see spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
 */
import { McpError, ProtocolError } from "../protocol/errors.ts";
import { httpFailureOf } from "./http-failure.ts";
import type { Connection, LegacyConnector, Session } from "./session.ts";

export function createEraSession(
  modern: Session,
  connector: Pick<LegacyConnector, "connect">,
  connection: Connection,
): Session {
  let settled: Session | undefined;
  let connecting: Promise<Session> | undefined;

  async function fallBack(): Promise<Session> {
    // Without the caller's signal: others may be waiting for the same handshake.
    connecting ??= connector.connect(connection, undefined);
    try {
      settled = await connecting;
      return settled;
    } catch (error) {
      connecting = undefined;
      throw error;
    }
  }

  async function run<T>(ask: (session: Session) => Promise<T>): Promise<T> {
    if (settled !== undefined) return ask(settled);
    try {
      const answer = await ask(modern);
      settled ??= modern;
      return answer;
    } catch (error) {
      if (!meansLegacy(error)) {
        if (error instanceof ProtocolError) settled ??= modern;
        throw error;
      }
      const legacy = await fallBack().catch((failed: unknown) => {
        // It does not know `initialize` either: what it said first is what there is to say.
        throw failed instanceof McpError && failed.code === "no_common_era" ? error : failed;
      });
      return ask(legacy);
    }
  }

  return {
    request: (request) => run((session) => session.request(request)),
    describe: (options) => run((session) => session.describe(options)),
    openStream: (filter, sink, signal) => run((session) => session.openStream(filter, sink, signal)),
    async close() {
      await modern.close();
      if (settled !== undefined) await settled.close();
      // Not waited for: the server may never answer the handshake, and one that fails leaves nothing to close.
      else connecting?.then((legacy) => legacy.close()).catch(() => {});
    },
  };
}

function meansLegacy(error: unknown): boolean {
  if (error instanceof McpError && error.code === "no_common_version") {
    return httpFailureOf(error.cause)?.legacy === true;
  }
  return httpFailureOf(error)?.legacy === true;
}

/**
 * What servers of the legacy era mean by refusing: that they have forgotten the session, or just what they say.
 */
import type { McpError, ProtocolError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { parsed } from "../../protocol/json-text.ts";
import { isLegacyAnswer } from "../legacy-signals.ts";
import { readText } from "../message-stream.ts";
import { refusalOf } from "../reply.ts";
import type { Connection } from "../session.ts";
import { SessionLost } from "./wire.ts";

/** A reason in an error body is a sentence or two. */
const MAX_ERROR_BYTES = 65_536;

/**
 * What a refusal says: the JSON-RPC error in its body, or its status.
 *
 * @param sessionId the session that the message was sent in
 * @returns {SessionLost} where it says that there is no such session, with what it says otherwise as the cause
 */
export async function legacyRefusalOf(
  response: Response,
  { now }: Connection,
  { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId?: string | undefined },
): Promise<ProtocolError | McpError | SessionLost> {
  const text = await readText(response, MAX_ERROR_BYTES, { signal }).catch(() => ""); // The status says enough.
  const body = parsed(text);
  const refusal = refusalOf(response, body, { legacy: { isLegacyAnswer }, now });
  const { status } = response;
  if (sessionId === undefined || !(status === 404 || (status === 400 && saysSessionIsGone(body ?? text))))
    return refusal;
  const lost = new SessionLost("The server has forgotten the session", { cause: refusal });
  lost.isHearsay = status !== 404;
  return lost;
}

/** The whole of what the official SDKs, and the servers made after their examples, say of a session they do not know. */
const GONE =
  /^(Bad Request: )?(No valid session ID( provided)?|Server not initialized|Session not found|Invalid (or expired )?session ID)$/i;

/**
 * MUST — 2025-11-25 basic/transports#session-management, 4: 404 says it. The SDKs say 400 too, with a code for anything, so
 * that only their words tell it from other mistakes. What names the request has looked at it, and speaks of that; the
 * Python SDK puts "server-error" where the id of none would be.
 */
function saysSessionIsGone(message: unknown): boolean {
  // Older ones say it as bare text.
  if (!isObject(message)) return isGone(message);
  const { id = null, error } = message;
  return (id === null || id === "server-error") && isObject(error) && isGone(error["message"]);
}

function isGone(text: unknown): boolean {
  return typeof text === "string" && GONE.test(text);
}

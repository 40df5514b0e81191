/**
 * One HTTP exchange of a legacy session: signed, answered or refused, and its body read within bounds.
 */
import { McpError, ProtocolError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { HttpFailure } from "../http-failure.ts";
import { discard, lowerCased, noted } from "../http-request.ts";
import { isLegacyAnswer } from "../legacy-signals.ts";
import { readText } from "../message-stream.ts";
import type { Connection } from "../session.ts";
import { type Outgoing, SessionLost } from "./wire.ts";

export type Method = "POST" | "GET" | "DELETE";

export interface HttpMessage {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly unhurried?: Outgoing["unhurried"];
}

/** How often one message is sent at most, when the server keeps asking for another token. */
const MAX_SENDS = 3;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A reason in an error body is a sentence or two. */
const MAX_ERROR_BYTES = 65_536;

/**
 * Sends a message, again with another token where that helps. The response is neither a redirect nor a 401.
 *
 * @throws {McpError} `unauthorized`, `forbidden`, `connection_failed`, `redirect_refused`, `aborted`
 */
export async function signedFetch(connection: Connection, message: HttpMessage): Promise<Response> {
  const { auth, now } = connection;
  const { method, signal, unhurried = (work) => work } = message;
  for (let sends = 1; ; sends += 1) {
    const { response, url } = await followed(connection, message);
    const { status } = response;
    if (status !== 401 && status !== 403) {
      auth?.responded?.(response);
      return response;
    }
    // A 403 without a challenge is about the caller or the origin, and its body may say what.
    if (status === 403 && !response.headers.has("www-authenticate")) return response;
    try {
      const again =
        auth !== undefined && (await noted(connection, unhurried(auth.challenged(response, { url, method, signal }))));
      if (again && sends < MAX_SENDS) continue;
    } finally {
      discard(response);
    }
    const cause = new HttpFailure(response, false, now());
    if (status === 403) throw new McpError("forbidden", "The server refuses this request to this caller", { cause });
    throw new McpError("unauthorized", "The server asks for an authorization that there is none of", { cause });
  }
}

/** @returns also where the response came from */
async function followed(connection: Connection, message: HttpMessage): Promise<{ response: Response; url: string }> {
  let { url } = message;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetched(connection, { ...message, url });
    // Browsers alone have this type, and those of Workers leave it out.
    const isOpaque = (response.type as string) === "opaqueredirect";
    if (!isOpaque && !REDIRECTS.has(response.status)) return { response, url };
    discard(response);
    const next = redirects < MAX_REDIRECTS ? targetOf(response, url, message.method) : undefined;
    if (next === undefined) throw new McpError("redirect_refused", "The server redirects to another place");
    url = next;
  }
}

/**
 * Our choice: the same origin alone, since tokens and arguments are meant for it, and nothing that makes a GET of a POST. A
 * browser does not tell where a redirect goes, so there none is followed.
 */
function targetOf({ status, headers }: Response, from: string, method: Method): string | undefined {
  const location = headers.get("location");
  if (location === null || !URL.canParse(location, from)) return undefined;
  const { origin, href } = new URL(location, from);
  const keepsMethod = method === "GET" || status === 307 || status === 308;
  return keepsMethod && origin === new URL(from).origin ? href : undefined;
}

async function fetched(connection: Connection, { url, method, headers, body, signal }: HttpMessage): Promise<Response> {
  const { fetch, auth } = connection;
  // Of each address anew: a proof of possession names it.
  const signature = auth && lowerCased(await noted(connection, auth.headers({ url, method, signal })));
  try {
    return await fetch(url, {
      method,
      headers: { ...connection.headers, ...headers, ...signature },
      redirect: "manual",
      signal,
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    if (signal.aborted) throw new McpError("aborted", "The request was aborted", { cause: error });
    throw new McpError("connection_failed", "The server could not be reached", { cause: error });
  }
}

/**
 * What a refusal says: the JSON-RPC error in its body, or its status.
 *
 * @param sessionId the session that the message was sent in
 * @returns {SessionLost} where it says that there is no such session, with what it says otherwise as the cause
 */
export async function refusalOf(
  response: Response,
  { now }: Connection,
  { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId?: string | undefined },
): Promise<ProtocolError | McpError | SessionLost> {
  const text = await readText(response, MAX_ERROR_BYTES, signal).catch(() => ""); // The status says enough.
  const refusal = refusalIn(response, text, now());
  const { status } = response;
  if (sessionId === undefined || !(status === 404 || (status === 400 && saysSessionIsGone(text)))) return refusal;
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
function saysSessionIsGone(text: string): boolean {
  const message = parseJson(text);
  // Older ones say it as bare text.
  if (!isObject(message)) return GONE.test(text);
  const { id = null, error } = message;
  return (id === null || id === "server-error") && isObject(error) && GONE.test(String(error["message"]));
}

function refusalIn(response: Response, text: string, now: number): ProtocolError | McpError {
  const { status } = response;
  const cause = new HttpFailure(response, isLegacyAnswer(status, "application/json", text), now);
  const error = errorIn(text);
  if (error !== undefined) error.cause = cause;
  const code = status === 403 ? "forbidden" : "http_error";
  return error ?? new McpError(code, `The server answered with the status ${status}`, { cause });
}

function errorIn(text: string): ProtocolError | undefined {
  const message = parseJson(text);
  const error = isObject(message) && message["jsonrpc"] === "2.0" ? message["error"] : undefined;
  if (!isObject(error) || !Number.isInteger(error["code"])) return undefined;
  const { code, message: reason, data } = error;
  return new ProtocolError(Number(code), typeof reason === "string" ? reason : "", data);
}

/** Undefined for what is no JSON: a web server's page, or what some servers send to keep a connection open. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

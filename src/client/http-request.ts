/**
 * One request on its way to an answer worth reading: signed, sent, redirected within the origin, challenged and signed again.
 *
 * Contract: the response that comes back is neither a redirect nor a 401. Bodies of all others are let go of unread.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#sending-messages, basic/authorization
 */
import { clip, McpError } from "../protocol/errors.ts";
import { HttpFailure } from "./http-failure.ts";
import { assertWanted, orAbort } from "./or-abort.ts";
import type { Connection } from "./session.ts";

export interface OutgoingRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** How many to follow at most. Default 3. */
  readonly redirects?: number;
}

/** How whoever wants the answer waits for it. */
export interface Patience {
  readonly signal: AbortSignal;
  /** The outcome of `work`, or the reason for giving up, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T>;
  /** The same without a clock running, for what a person may have to do. */
  unhurried<T>(work: Promise<T>): Promise<T>;
}

/** What knows no clock but its signal. */
export function patienceOf(signal: AbortSignal): Patience {
  const race = <T>(work: Promise<T>): Promise<T> => orAbort(work, signal);
  return { signal, race, unhurried: race };
}

/** Sends of one request in all, the first one included: more means that server and tokens do not get along. */
const MAX_SIGNED_SENDS = 3;
const MAX_REDIRECTS = 3;

/** @throws {McpError} `unauthorized`, `forbidden`, and what `followed` throws */
export async function send(connection: Connection, request: OutgoingRequest, patience: Patience): Promise<Response> {
  const { auth, now } = connection;
  for (let sends = 1; ; sends++) {
    const { response, url } = await followed(connection, request, patience);
    const { status } = response;
    if (status !== 401 && status !== 403) {
      auth?.responded?.(response);
      return response;
    }
    // A 403 without a challenge is about the caller or the origin, and its body may say what.
    if (status === 403 && !response.headers.has("www-authenticate")) return response;
    const signed = { url, method: request.method, signal: patience.signal };
    try {
      const again =
        auth !== undefined && (await noted(connection, patience.unhurried(auth.challenged(response, signed))));
      if (again && sends < MAX_SIGNED_SENDS) continue;
    } finally {
      discard(response);
    }
    throw new McpError(status === 403 ? "forbidden" : "unauthorized", `The server answered ${status}`, {
      cause: new HttpFailure(response, false, now()),
    });
  }
}

/** The provider's work, with note taken of it. */
async function noted<T>({ signIns }: Pick<Connection, "signIns">, work: Promise<T>): Promise<T> {
  signIns.underWay++;
  try {
    return await work;
  } catch (error) {
    throw (signIns.failure = error);
  } finally {
    signIns.underWay--;
  }
}

interface Arrived {
  readonly response: Response;
  /** Where it came from. */
  readonly url: string;
}

/** What it takes to ask without being asked who one is. */
export type Sender = Pick<Connection, "fetch" | "headers" | "auth" | "signIns" | "now">;

/** @throws {McpError} `connection_failed`, `redirect_refused`, or why it was given up */
export async function followed(sender: Sender, request: OutgoingRequest, patience: Patience): Promise<Arrived> {
  let { url, redirects = MAX_REDIRECTS } = request;
  for (; ; redirects--) {
    const response = await sendOnce(sender, { ...request, url }, patience);
    if (!isRedirect(response)) return { response, url };
    discard(response);
    const next = redirects > 0 ? targetOf(response, url, request.method) : undefined;
    if (next === undefined) {
      throw new McpError("redirect_refused", `A redirect from ${clip(new URL(url).host)} was not followed`, {
        cause: new HttpFailure(response, false, sender.now()),
      });
    }
    url = next;
  }
}

function isRedirect({ status, type }: Response): boolean {
  const kind: string = type; // The types of Workers leave out what only browsers have.
  return kind === "opaqueredirect" || (status >= 301 && status <= 303) || status === 307 || status === 308;
}

/**
 * Our choice: the same origin alone, since tokens and arguments are meant for it, and 307 and 308 alone, since the others
 * turn a POST into a GET. A browser does not tell where a redirect goes, so there none is followed.
 */
function targetOf({ status, headers }: Response, from: string, method: string): string | undefined {
  const location = headers.get("location");
  const keepsMethod = method === "GET" || status === 307 || status === 308;
  if (!keepsMethod || location === null || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  target.hash = "";
  return target.origin === new URL(from).origin ? target.href : undefined;
}

/** In lower case like all others, so that none goes out twice. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // Without a cause: it would repeat the token.
    throw new McpError("unauthorized", "The provider's headers cannot be sent");
  }
}

async function sendOnce(sender: Sender, request: OutgoingRequest, patience: Patience): Promise<Response> {
  const { fetch, headers, auth } = sender;
  const { url, method, headers: own, body } = request;
  const { signal } = patience;
  // Of each address anew: a proof of possession names it.
  const signed = auth && lowerCased(await noted(sender, patience.race(auth.headers({ url, method, signal }))));
  const init: RequestInit = {
    method,
    headers: { ...headers, ...own, ...signed },
    redirect: "manual",
    signal,
    ...(body !== undefined && { body }),
  };
  assertWanted(signal);
  let answer: Promise<Response> | undefined;
  try {
    answer = fetch(url, init);
    return await patience.race(answer);
  } catch (cause) {
    // A `fetch` that does not heed its signal answers into the void; what it holds open is closed.
    answer?.then(discard).catch(() => {});
    assertWanted(signal);
    throw new McpError("connection_failed", `${clip(new URL(url).host)} could not be reached`, { cause });
  }
}

/** Lets go of a body, and of the connection that brings it. */
export function discard(response: Response): void {
  if (response.body !== null && !response.body.locked) response.body.cancel().catch(() => {}); // It may have failed already.
}

/**
 * One POST on its way to an answer worth reading: signed, sent, redirected within the origin, challenged and signed again.
 *
 * Contract: the response that comes back is neither a redirect nor a 401. Bodies of all others are let go of unread.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#sending-messages, basic/authorization
 */
import { McpError } from "../protocol/errors.ts";
import type { SignedRequest } from "./auth-provider.ts";
import type { Deadline } from "./deadline.ts";
import { HttpFailure } from "./http-failure.ts";
import type { Connection } from "./session.ts";

export interface OutgoingPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends of one request in all, the first one included: more means that server and tokens do not get along. */
const MAX_SIGNED_SENDS = 3;
const MAX_REDIRECTS = 3;

export async function sendPost(connection: Connection, post: OutgoingPost, deadline: Deadline): Promise<Response> {
  const { auth } = connection;
  for (let sends = 1; ; sends++) {
    const { response, url } = await sendFollowing(connection, post, deadline);
    const { status } = response;
    if (status !== 401 && status !== 403) {
      auth?.responded?.(response);
      return response;
    }
    // A 403 without a challenge is about the caller or the origin, and its body may say what.
    if (status === 403 && !response.headers.has("www-authenticate")) return response;
    const signed: SignedRequest = { url, method: "POST", signal: deadline.signal };
    try {
      const again =
        auth !== undefined && (await noted(connection, deadline.unhurried(auth.challenged(response, signed))));
      if (again && sends < MAX_SIGNED_SENDS) continue;
    } finally {
      discard(response);
    }
    throw refusal(status === 403 ? "forbidden" : "unauthorized", `The server answered ${status}`, {
      response,
      connection,
    });
  }
}

/** The provider's work, with note taken of it. */
export async function noted<T>({ signIns }: Pick<Connection, "signIns">, work: Promise<T>): Promise<T> {
  signIns.underWay++;
  try {
    return await work;
  } catch (error) {
    throw (signIns.failure = error);
  } finally {
    signIns.underWay--;
  }
}

function refusal(
  code: string,
  message: string,
  { response, connection }: { response: Response; connection: Connection },
): McpError {
  return new McpError(code, message, { cause: new HttpFailure(response, false, connection.now()) });
}

interface Arrived {
  readonly response: Response;
  /** Where it came from. */
  readonly url: string;
}

async function sendFollowing(connection: Connection, post: OutgoingPost, deadline: Deadline): Promise<Arrived> {
  let { url } = connection;
  for (let redirects = 0; ; redirects++) {
    const response = await sendOnce(connection, { ...post, url }, deadline);
    if (!isRedirect(response)) return { response, url };
    discard(response);
    const next = redirects < MAX_REDIRECTS ? targetOf(response, url) : undefined;
    if (next === undefined) {
      throw refusal("redirect_refused", "A redirect was not followed", { response, connection });
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
function targetOf({ status, headers }: Response, from: string): string | undefined {
  const location = headers.get("location");
  if ((status !== 307 && status !== 308) || location === null || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  target.hash = "";
  return target.origin === new URL(from).origin ? target.href : undefined;
}

/** In lower case like all others, so that none goes out twice. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // Without a cause: it would repeat the token.
    throw new McpError("unauthorized", "The provider's headers cannot be sent");
  }
}

async function sendOnce(
  connection: Connection,
  { url, headers: own, body }: OutgoingPost & { readonly url: string },
  deadline: Deadline,
): Promise<Response> {
  const { fetch, headers, auth } = connection;
  const { signal } = deadline;
  const signed =
    auth && lowerCased(await noted(connection, deadline.race(auth.headers({ url, method: "POST", signal }))));
  const init: RequestInit = {
    method: "POST",
    headers: { ...headers, ...own, ...signed },
    body,
    redirect: "manual",
    signal,
  };
  signal.throwIfAborted();
  let answer: Promise<Response> | undefined;
  try {
    answer = fetch(url, init);
    return await deadline.race(answer);
  } catch (cause) {
    // A `fetch` that does not heed its signal answers into the void; what it holds open is closed.
    answer?.then(discard).catch(() => {});
    signal.throwIfAborted();
    throw new McpError("connection_failed", "The server could not be reached", { cause });
  }
}

/** Lets go of a body, and of the connection that brings it. */
export function discard(response: Response): void {
  if (response.body !== null && !response.body.locked) response.body.cancel().catch(() => {}); // It may have failed already.
}

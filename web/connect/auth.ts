/**
 * Signing in to a server: tokens of its own, kept in this browser, got in a window beside the page.
 *
 * Contract: no window opens before the person said so in a dialog, which names where it leads. They can give up at any
 * time. For servers that no token may be sent to there is no signing in, and the page works all the same.
 *
 * @see spec 2026-07-28 basic/authorization
 */
import { McpError } from "../../src/client.ts";
import {
  authorizationCode,
  indexedDbOAuthStore,
  interactionBy,
  type OAuthProvider,
  oauthProvider,
  popup,
} from "../../src/client-oauth.ts";
import { openDialog } from "../dialog.ts";
import { h } from "../dom.ts";

/** As they are registered with the server's issuer, for servers that register nobody by themselves. */
export interface OAuthClientSettings {
  readonly issuer: string;
  readonly clientId: string;
}

/** For servers that are called over `http:` from elsewhere, or by a URL with a password in it. */
const NO_AUTH: OAuthProvider = {
  headers: () => Promise.resolve({}),
  challenged: () => Promise.resolve(false),
  resume: () => Promise.resolve(false),
  signOut: () => Promise.resolve(),
};
/** Some servers of static files redirect it to `/callback`, with the query. */
const redirectUri = new URL("/callback.html", location.href).href;

export function authFor(server: string, fetch: typeof globalThis.fetch, known?: OAuthClientSettings): OAuthProvider {
  const interaction = interactionBy(redirectUri, (at, signal) => askFirst(server, at, signal));
  const client = { ...(known && { registered: [known] }), dynamic: { client_name: "mcp-edge companion page" } };
  const grant = authorizationCode({ client, interaction });
  try {
    return oauthProvider({ server, fetch, grant, store: indexedDbOAuthStore() });
  } catch {
    return NO_AUTH;
  }
}

async function askFirst(server: string, at: URL, signal: AbortSignal): Promise<string> {
  const notSignedIn = new McpError("unauthorized", "You did not sign in");
  const answer = await openDialog({
    eyebrow: new URL(server).host,
    title: `Sign in at ${at.host}?`,
    body: [h("p", {}, "A window opens at ", h("code", {}, at.origin), ". Check its address before you type there.")],
    actions: [
      { value: "open", label: "Open the window", tone: "primary" },
      { value: "", label: "Not now" },
    ],
    signal,
  });
  if (answer !== "open") throw notSignedIn;
  const done = new AbortController();
  const givenUp = new AbortController();
  const waiting = openDialog({
    title: "Sign in in the other window",
    body: [h("p", { role: "status" }, "This goes on by itself then.")],
    actions: [{ value: "", label: "Give up" }],
    signal: done.signal,
  }).then(() => givenUp.abort(notSignedIn));
  try {
    const visit = await popup({ redirectUri }).open(signal);
    return await visit.authorize(at, AbortSignal.any([signal, givenUp.signal]));
  } finally {
    done.abort();
    await waiting;
  }
}

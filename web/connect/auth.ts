/**
 * Signing in to a server: tokens of its own, kept in this browser, got in a window beside the page.
 *
 * Contract: no window opens before the person said so in a dialog, which names where it leads. They can give up at any time.
 *
 * @see spec 2026-07-28 basic/authorization
 */
import { McpError } from "../../src/client.ts";
import {
  authorizationCode,
  indexedDbOAuthStore,
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

const REDIRECT_URI = new URL("/callback.html", location.href).href;

export function authFor(url: string, fetch: typeof globalThis.fetch, known?: OAuthClientSettings): OAuthProvider {
  const windows = popup({ redirectUri: REDIRECT_URI });
  return oauthProvider({
    server: url,
    store: indexedDbOAuthStore(),
    fetch,
    grant: authorizationCode({
      client: {
        ...(known && { registered: [known] }),
        dynamic: { client_name: "mcp-edge companion page", redirect_uris: [REDIRECT_URI] },
      },
      interaction: {
        async open(signal) {
          const visit = await windows.open(signal);
          return {
            ...visit,
            authorize: (at, given) => askFirst(url, at, given, (ending) => visit.authorize(at, ending)),
          };
        },
      },
    }),
  });
}

async function askFirst(
  server: string,
  at: URL,
  signal: AbortSignal,
  visit: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const answer = await openDialog({
    eyebrow: new URL(server).host,
    title: `Sign in at ${at.host}?`,
    body: [
      h(
        "p",
        {},
        "The server wants to know who you are. A window opens at ",
        h("code", {}, at.origin),
        "; check its address before you type anything there.",
      ),
    ],
    actions: [
      { value: "open", label: "Open the window", tone: "primary" },
      { value: "", label: "Not now" },
    ],
    signal,
  });
  if (answer !== "open") throw new McpError("unauthorized", "You did not sign in");
  const done = new AbortController();
  const givenUp = new AbortController();
  const waiting = openDialog({
    title: "Sign in in the other window",
    body: [h("p", { role: "status" }, "This goes on by itself once you have signed in there.")],
    actions: [{ value: "stop", label: "Give up" }],
    signal: done.signal,
  }).then(() => givenUp.abort(new McpError("unauthorized", "You did not sign in")));
  try {
    return await visit(AbortSignal.any([signal, givenUp.signal]));
  } finally {
    done.abort();
    await waiting;
  }
}

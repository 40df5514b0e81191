/**
 * Signing in to a server: tokens of its own, kept in this browser, got in a window beside the page.
 *
 * Contract: no window opens before the person said so in a dialog, which names where it leads and stays until the sign-in
 * ended: they can open the window once more, and give up at any time. For servers that no token may be sent to there is no
 * signing in, and the page works all the same.
 *
 * @see spec 2026-07-28 basic/authorization
 */
import { McpError } from "../../src/client.ts";
import {
  authorizationCode,
  interactionBy,
  type OAuthProvider,
  oauthProvider,
  type OAuthStore,
  popup,
} from "../../src/client-oauth.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { h } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";
import { redirectUri } from "./callback.ts";

/** As they are registered with the server's issuer, for servers that register nobody by themselves. */
export interface OAuthClientSettings {
  readonly issuer: string;
  readonly clientId: string;
}

/** Of what is kept of signing in. */
export const OAUTH_KEY = "oauth ";

/** Beside all else that the page keeps. No browser has what signing in needs, and not these locks. */
const store: OAuthStore = {
  get: (key) => Promise.resolve(readStored(OAUTH_KEY + key, isObject)),
  set: (key, value) => Promise.resolve(writeStored(OAUTH_KEY + key, value)),
  delete: (key) => Promise.resolve(writeStored(OAUTH_KEY + key, undefined)),
  exclusively: (name, work, signal) => navigator.locks.request(OAUTH_KEY + name, { signal }, work),
};

/** Undefined for servers that are called over `http:` from elsewhere, or by a URL with a password in it. */
export function authFor(
  server: string,
  fetch: typeof globalThis.fetch,
  known?: OAuthClientSettings,
): OAuthProvider | undefined {
  const interaction = interactionBy(redirectUri, (at, signal) => signIn(server, at, signal));
  const client = { ...(known && { registered: [known] }), dynamic: { client_name: "mcp-edge companion page" } };
  const grant = authorizationCode({ client, interaction });
  try {
    return oauthProvider({ server, fetch, grant, store });
  } catch {
    return undefined;
  }
}

async function signIn(server: string, at: URL, outer: AbortSignal): Promise<string> {
  const ended = new AbortController();
  const signal = AbortSignal.any([outer, ended.signal]);
  const visit = await popup({ redirectUri }).open(signal);
  return new Promise<string>((resolve, reject) => {
    const dialog = openDialog({
      eyebrow: new URL(server).host,
      title: `Sign in at ${at.host}?`,
      body: [h("p", {}, "A window opens at ", h("code", {}, at.origin), ". Check its address before you type there.")],
      actions: [
        { value: "open", label: "Open the window", tone: "primary" },
        { value: "", label: "Not now" },
      ],
      signal,
      mayEnd(value) {
        if (value === "") return true;
        // At once, since browsers open windows only right after a click.
        visit.authorize(at, signal).then(resolve, reject);
        return false;
      },
    });
    void dialog.then(() => reject(new McpError("unauthorized", "You did not sign in"))); // Never rejects.
  }).finally(() => ended.abort());
}

/** What test/e2e/client-oauth.test.ts does in a page: signing in by leaving it, or in a window beside it. */
import type { SignedRequest } from "../../src/client/auth-provider.ts";
import {
  announceCallback,
  authorizationCode,
  dpop,
  indexedDbOAuthStore,
  type Interaction,
  type OAuthProvider,
  oauthProvider,
  popup,
  redirect,
} from "../../src/client-oauth.ts";

/** As much of `window` as is used, since the tests are checked with the types of Workers. */
interface Window {
  readonly location: { readonly origin: string; readonly href: string; readonly pathname: string };
  oauthPage: unknown;
}
const window = globalThis as unknown as Window;
const { origin, href, pathname } = window.location;

function providerWith(interaction: Interaction): OAuthProvider {
  return oauthProvider({
    server: `${origin}/mcp`,
    store: indexedDbOAuthStore(),
    dpop: dpop({ required: true }),
    grant: authorizationCode({ interaction, client: { dynamic: { client_name: "page" } } }),
  });
}

const providers = {
  redirect: providerWith(redirect({ redirectUri: `${origin}/` })),
  popup: providerWith(popup({ redirectUri: `${origin}/callback` })),
};

/** Sends a request as the client does. @returns the status in the end */
async function call(kind: keyof typeof providers): Promise<number> {
  const provider = providers[kind];
  const request: SignedRequest = { url: `${origin}/mcp`, method: "POST" };
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(request.url, { method: "POST", headers: { ...(await provider.headers(request)) } });
    if (response.status !== 401) provider.responded?.(response);
    if (response.status !== 401 || attempt === 3 || !(await provider.challenged(response, request))) {
      return response.status;
    }
  }
}

if (pathname === "/callback") announceCallback();
const resumed = pathname === "/callback" ? false : await providers.redirect.resume(href);
window.oauthPage = { call, resumed };

/** A client on behalf of a person, between servers that live in this process. */
import { authorizationCode } from "../../../src/client/oauth/authorization-code.ts";
import type { ClientIdentity } from "../../../src/client/oauth/client-registration.ts";
import type { Grant } from "../../../src/client/oauth/grant.ts";
import { interactionBy } from "../../../src/client/oauth/interaction.ts";
import type { OAuthOptions, OAuthProvider } from "../../../src/client/oauth/oauth-options.ts";
import { oauthProvider } from "../../../src/client/oauth/provider.ts";
import { fakeIssuer, FakeNetwork, fakeServer, SERVER } from "./fake-network.ts";

export const AS = "https://as.test";
export const REDIRECT_URI = "http://127.0.0.1:3000/callback";
export const HOUR_MS = 3_600_000;

interface Setting extends Partial<OAuthOptions> {
  client?: ClientIdentity;
}

/** A provider for a person whose browser goes along with every redirect. */
export function person(network: FakeNetwork, { client, ...options }: Setting = {}): OAuthProvider {
  const grant = obedient(network, client ?? { dynamic: { client_name: "test" } });
  return oauthProvider({ server: SERVER, grant, fetch: network.fetch, ...options });
}

export function obedient(network: FakeNetwork, client: ClientIdentity, redirectUri: string = REDIRECT_URI): Grant {
  const interaction = interactionBy(redirectUri, async (url) => {
    const response = await network.fetch(url);
    return response.headers.get("location") ?? "";
  });
  return authorizationCode({ interaction, client });
}

/** One MCP server and its one authorization server. */
export function world(metadata = {}) {
  const network = new FakeNetwork();
  const issuer = fakeIssuer(network, AS, metadata);
  const server = fakeServer(network, issuer);
  return { network, issuer, server };
}

/** What each sign-in asked for. */
export function scopesAsked(network: FakeNetwork): (string | null)[] {
  return network.to(`${AS}/authorize`).map(({ url }) => url.searchParams.get("scope"));
}

/** A clock to set. */
export function clock() {
  const time = { ms: 1_000_000_000_000, now: () => time.ms };
  return time;
}

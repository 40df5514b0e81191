/**
 * Tokens on behalf of a person, by an authorization code.
 *
 * @see spec 2026-07-28 basic/authorization#authorization-flow-steps
 */
import { assertFitForCode, authorizationUrl, readCode } from "./authorization-response.ts";
import { McpError } from "../../protocol/errors.ts";
import type { OAuthClient } from "./client-authentication.ts";
import { chooseClient, type ClientIdentity, findClient } from "./client-registration.ts";
import { boundTo, type Grant, type GrantContext, type IssuedTokens, type ReturningFlow } from "./grant.ts";
import type { Interaction, Visit } from "./interaction.ts";
import { assertWanted, orAbort } from "../or-abort.ts";
import { randomToken } from "./pkce.ts";
import { withOfflineAccess } from "./scopes.ts";
import { flowKey, type PendingFlow } from "./store.ts";
import { requestTokens } from "./token-endpoint.ts";

export interface AuthorizationCodeOptions {
  interaction: Interaction;
  client: ClientIdentity;
  /** Whether to ask for a refresh token where the authorization server can be asked. Default true. */
  offlineAccess?: boolean;
}

export function authorizationCode({ interaction, client, offlineAccess = true }: AuthorizationCodeOptions): Grant {
  return {
    pickIssuer: (listed, known) => pickIssuer(client, listed, known),
    async obtain(context) {
      // Nobody but the flow gives up a flow that several callers wait for.
      const signal = context.signal ?? new AbortController().signal;
      const opening = attempt(() => interaction.open(signal));
      const visit = await orAbort(opening, signal).catch((error: unknown) => {
        opening.then((late) => late.close?.()).catch(() => undefined); // nobody waits for it any more
        throw error;
      });
      try {
        const supported = offlineAccess ? context.server.scopes : undefined;
        const scopes = withOfflineAccess(context.scopes, supported);
        return await visitServer({ ...context, scopes, signal }, client, visit);
      } finally {
        await visit.close?.();
      }
    },
    refresher: (context, clientId) => findClient(context, client, clientId),
    async resume(context, { state, flow, callbackUrl }) {
      const owner = await findClient(context, client, flow.clientId);
      if (owner === undefined) throw new McpError("unauthorized", "The client that began to sign in is gone");
      return redeem(context, owner, { state, flow, callbackUrl });
    },
  };
}

function pickIssuer(
  { registered = [], metadataUrl, dynamic }: ClientIdentity,
  listed: readonly string[],
  known?: string,
): string {
  const issuers = registered.map(({ issuer }) => issuer);
  const own = issuers.find((issuer) => listed.includes(issuer));
  // Where this client has other ways to be known, a server it was not registered with is no error.
  const first = metadataUrl === undefined && dynamic === undefined ? undefined : listed[0];
  const before = known !== undefined && listed.includes(known) ? known : undefined;
  return before ?? own ?? first ?? boundTo(issuers, listed);
}

async function visitServer(
  context: GrantContext & { readonly signal: AbortSignal },
  identity: ClientIdentity,
  visit: Visit,
): Promise<IssuedTokens> {
  const { server, store, signal } = context;
  const trusted = identity.registered?.some(({ issuer }) => issuer === server.issuer) === true;
  const endpoint = assertFitForCode(server, trusted);
  const client = await chooseClient(context, identity, visit.redirectUri);
  const state = randomToken();
  const flow: PendingFlow = {
    server: context.endpoint,
    issuer: server.issuer,
    sendsIssuer: server.sendsIssuer,
    clientId: client.clientId,
    redirectUri: visit.redirectUri,
    resource: context.resource,
    scopes: context.scopes,
    verifier: randomToken(),
    startedAt: context.now(),
  };
  // Kept before the person leaves: the page may not be there any more when they come back.
  await store.set(flowKey(state), flow);
  try {
    const url = await authorizationUrl(endpoint, state, flow);
    assertWanted(signal); // nobody is to see the window of a flow that was given up
    const visiting = attempt(() => visit.authorize(url, signal));
    const callbackUrl = await orAbort(visiting, signal);
    return await redeem(context, client, { state, flow, callbackUrl });
  } finally {
    if (visit.leaves !== true || !signal.aborted) await store.delete(flowKey(state));
  }
}

/** @throws {McpError} whatever an interaction throws, such as that no browser opens */
async function attempt<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof McpError) throw error;
    throw new McpError("unauthorized", "Nobody can be sent to sign in", { cause: error });
  }
}

async function redeem(
  context: GrantContext,
  client: OAuthClient,
  { state, flow, callbackUrl }: ReturningFlow,
): Promise<IssuedTokens> {
  const code = readCode(callbackUrl, state, flow);
  // A code is spent by asking, so nobody's leaving ends this: its tokens serve the next request.
  const tokens = await requestTokens({ ...context, signal: undefined }, client, {
    grant_type: "authorization_code",
    code,
    code_verifier: flow.verifier,
    redirect_uri: flow.redirectUri,
    resource: flow.resource,
  });
  return { ...tokens, clientId: client.clientId };
}

/**
 * An `AuthProvider` that gets its tokens by OAuth 2.1: discovers who issues them, has them issued by its grant, refreshes
 * them, and steps up when the server wants more scopes.
 *
 * @see spec 2026-07-28 basic/authorization
 */
import { McpError } from "../../protocol/errors.ts";
import type { SignedRequest } from "../auth-provider.ts";
import { discoverAuthorizationServer } from "./authorization-server.ts";
import { serverChallenge, type ServerChallenge } from "./challenge.ts";
import type { KeyVault, ProofMaker } from "./dpop.ts";
import { canonicalResource, guardFor, parseUrl, secureUrl } from "./endpoint-url.ts";
import type { Grant, GrantContext } from "./grant.ts";
import type { OAuthHttp } from "./json-request.ts";
import type { OAuthOptions, OAuthProvider } from "./oauth-options.ts";
import { OneFlight } from "./one-flight.ts";
import { orAbort } from "../or-abort.ts";
import { type Discovery, discoverResource, type ProtectedResource } from "./resource-metadata.ts";
import { chooseScopes, covers, union } from "./scopes.ts";
import { StepUpLimit } from "./step-up-limit.ts";
import {
  flowKey,
  memoryOAuthStore,
  type OAuthStore,
  type PendingFlow,
  readRecord,
  reporting,
  type StoredTokens,
} from "./store.ts";
import { isFinalRefusal, requestTokens } from "./token-endpoint.ts";
import { TokenKeeper } from "./token-keeper.ts";

/** The longest that timers take: a longer one goes off at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * @throws {McpError} `insecure_url` when the server is neither on https: nor on this machine
 * @throws {TypeError} when a limit is none
 */
export function oauthProvider(options: OAuthOptions): OAuthProvider {
  return new Provider(options);
}

interface Refused {
  readonly status: number;
  readonly challenge: ServerChallenge;
  /** The token that the server refused; empty when there was none. */
  readonly token: string | undefined;
}

class Provider implements OAuthProvider {
  readonly #server: URL;
  readonly #options: OAuthOptions;
  readonly #grant: Grant;
  readonly #store: Required<OAuthStore>;
  readonly #dpop: ProofMaker | undefined;
  readonly #vault: KeyVault;
  readonly #http: OAuthHttp;
  readonly #now: () => number;
  readonly #tokens: TokenKeeper;
  readonly #flowMs: number;
  readonly #signIns: OneFlight;
  readonly #refreshes: OneFlight;
  /** By the state. */
  readonly #resuming = new Map<string, Promise<boolean>>();
  readonly #stepUps = new StepUpLimit();
  /** Which token went with a request, by its signal where it has one: the same request may be described anew. */
  readonly #sent = new WeakMap<object, string>();

  constructor(options: OAuthOptions) {
    const { server, grant, store = memoryOAuthStore(), dpop, now = Date.now } = options;
    this.#options = options;
    // Tokens are not for the open air.
    this.#server = secureUrl(String(server), "The server's URL");
    this.#server.hash = "";
    this.#grant = grant;
    this.#store = reporting(store);
    this.#dpop = dpop;
    this.#vault = { store, name: `dpop ${this.#server.href}` };
    this.#now = now;
    this.#http = {
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timeoutMs: timeout(options.timeoutMs ?? 30_000),
      maxBytes: options.maxBytes ?? 262_144,
    };
    this.#flowMs = timeout(options.signInTimeoutMs ?? 600_000);
    this.#signIns = new OneFlight({ limitMs: this.#flowMs, endures: false });
    // A refresh token is spent by asking.
    this.#refreshes = new OneFlight({ limitMs: this.#flowMs, endures: true });
    this.#tokens = new TokenKeeper(this.#store, this.#server, now);
  }

  async headers(request: SignedRequest): Promise<Readonly<Record<string, string>>> {
    // MUST NOT — a token is for the server that it was issued for.
    if (new URL(request.url).origin !== this.#server.origin) return {};
    const tokens = await this.#usable(request.signal);
    this.#sent.set(request.signal ?? request, tokens?.accessToken ?? "");
    if (tokens === undefined) return {};
    const { accessToken, tokenType } = tokens;
    const authorization = `${tokenType} ${accessToken}`;
    if (tokenType === "Bearer") return { authorization };
    if (this.#dpop === undefined) return {};
    return { authorization, dpop: await this.#dpop.proof({ ...request, accessToken }, this.#vault) };
  }

  async challenged(response: Response, request: SignedRequest): Promise<boolean> {
    const isNewNonce = this.#dpop?.learn(request.url, response.headers) === true;
    const challenge = serverChallenge(response);
    if (challenge.error === "use_dpop_nonce") return isNewNonce;
    const { status } = response;
    if (status !== 401 && challenge.error !== "insufficient_scope") return false;
    const token = this.#sent.get(request.signal ?? request) ?? this.#tokens.current?.accessToken;
    const key = [status, token, ...(challenge.scopes ?? [])].join(" ");
    await this.#signIns.join(key, request.signal, (signal) => this.#renew({ status, challenge, token }, signal));
    return true;
  }

  responded(response: Response): void {
    this.#dpop?.learn(this.#server.href, response.headers);
    this.#tokens.confirm();
  }

  async ready(): Promise<void> {
    await this.#tokens.load();
  }

  principal(): string | undefined {
    return this.#tokens.current?.principal;
  }

  async resume(callbackUrl: string): Promise<boolean> {
    const state = parseUrl(callbackUrl)?.searchParams.get("state") ?? "";
    // Frameworks run what a page does on loading twice.
    const resuming =
      this.#resuming.get(state) ?? this.#resume(state, callbackUrl).finally(() => this.#resuming.delete(state));
    this.#resuming.set(state, resuming);
    return resuming;
  }

  async #resume(state: string, callbackUrl: string): Promise<boolean> {
    const { generation } = this.#tokens;
    const flow = await this.#store.exclusively(
      flowKey(state),
      () => this.#takeFlow(state),
      new AbortController().signal,
    );
    if (flow === undefined || this.#grant.resume === undefined) return false;
    if (!(this.#now() - flow.startedAt < this.#flowMs)) {
      throw new McpError("state_mismatch", "The sign-in took too long");
    }
    const { issuer, resource, scopes } = flow;
    const context = await this.#context({ issuer, resource, scopes }, undefined);
    const issued = await this.#grant.resume(context, { state, flow, callbackUrl });
    await this.#tokens.keep({ issued, issuer, resource, requested: scopes ?? [], generation });
    return true;
  }

  /** Whatever comes of it, it is a response's only use. */
  async #takeFlow(state: string): Promise<PendingFlow | undefined> {
    const names = ["server", "issuer", "clientId", "redirectUri", "resource", "verifier"] as const;
    const flow = await readRecord<PendingFlow>(this.#store, flowKey(state), names);
    if (flow?.server !== this.#server.href) return undefined;
    await this.#store.delete(flowKey(state));
    return flow;
  }

  async signOut(): Promise<void> {
    this.#tokens.clear();
    const reason = new McpError("aborted", "Somebody signed out meanwhile");
    for (const flights of [this.#signIns, this.#refreshes]) flights.stop(reason);
    // Another tab's refresh would bring the tokens back.
    const forget = async (): Promise<void> => {
      await this.#tokens.forget();
      await this.#dpop?.forget(this.#vault);
    };
    await this.#store.exclusively(this.#refreshLock, forget, new AbortController().signal);
  }

  get #refreshLock(): string {
    return `refresh ${this.#server.href}`;
  }

  /** The tokens, refreshed if they are about to expire; undefined when there are none of use. */
  async #usable(signal: AbortSignal | undefined): Promise<StoredTokens | undefined> {
    const tokens = await this.#tokens.load();
    if (tokens === undefined || !this.#tokens.isExpired(tokens)) return tokens;
    return (await this.#refreshed(tokens, signal)) ? this.#tokens.current : undefined;
  }

  async #renew({ status, challenge, token }: Refused, signal: AbortSignal): Promise<void> {
    const { generation } = this.#tokens;
    const kept = await this.#tokens.reload();
    const stepUp = status !== 401;
    if (kept !== undefined && kept.accessToken !== token && !this.#tokens.isExpired(kept)) {
      // Another request or another tab was quicker.
      if (!stepUp || covers(union(kept.requested, kept.granted), challenge.scopes)) return;
    }
    const { untried } = this.#tokens;
    if (!stepUp && untried === "issued" && kept?.accessToken === token) {
      throw new McpError("unauthorized", "The server refuses a new token");
    }
    const found = await this.#discover(challenge.resourceMetadata, signal);
    const issuer = this.#grant.pickIssuer(found.issuers, kept?.issuer);
    const previous = kept?.issuer === issuer ? kept : undefined;
    const scopes = chooseScopes({
      challenged: challenge.scopes,
      previous: previous && union(previous.requested, previous.granted),
      resource: found.scopes,
    });
    if (stepUp) this.#stepUps.spend(scopes ?? [], this.#now());
    // A refreshed token cannot have more scopes, and one that was refused will be refused again.
    if (!stepUp && untried !== "refreshed" && previous !== undefined && (await this.#refreshed(previous, signal)))
      return;
    const context = await this.#context({ issuer, resource: found.resource, scopes }, signal);
    const issued = await this.#grant.obtain(context);
    await this.#tokens.keep({ issued, issuer, resource: found.resource, requested: scopes ?? [], generation });
  }

  /** Gets newer tokens without a person, from the store or by refreshing. @returns whether there are any */
  async #refreshed(stale: StoredTokens, signal: AbortSignal | undefined): Promise<boolean> {
    await this.#refreshes.join("", signal, (flight) => {
      const refresh = async (): Promise<void> => {
        const kept = await this.#tokens.reload();
        if (kept?.accessToken === stale.accessToken) await this.#refresh(kept, flight);
      };
      // What does not heed that it was stopped does not keep the lock.
      return this.#store.exclusively(this.#refreshLock, () => orAbort(refresh(), flight), flight);
    });
    const { current } = this.#tokens;
    return current !== undefined && current.accessToken !== stale.accessToken && !this.#tokens.isExpired(current);
  }

  async #refresh(tokens: StoredTokens, signal: AbortSignal): Promise<void> {
    const { generation } = this.#tokens;
    const { refreshToken, issuer, resource, requested } = tokens;
    if (refreshToken === undefined) return;
    const context = await this.#context({ issuer, resource, scopes: undefined }, signal);
    const client = await this.#grant.refresher(context, tokens.clientId);
    if (client === undefined) return;
    try {
      const params = { grant_type: "refresh_token", refresh_token: refreshToken, resource };
      const issued = { ...(await requestTokens(context, client, params)), clientId: client.clientId };
      await this.#tokens.keep({ issued, issuer, resource, requested, refreshed: tokens, generation });
    } catch (error) {
      if (!isFinalRefusal(error) || generation !== this.#tokens.generation) throw error;
      await this.#tokens.dropRefreshToken(tokens);
    }
  }

  async #discover(announced: string | undefined, signal: AbortSignal): Promise<ProtectedResource> {
    const found = await discoverResource(this.#discovery(signal), this.#server, announced);
    if (found !== undefined) return found;
    const { issuer } = this.#options;
    if (issuer === undefined) throw new McpError("discovery_failed", "The server names no authorization server");
    return { resource: canonicalResource(this.#server), issuers: [issuer], scopes: undefined };
  }

  #discovery(signal: AbortSignal | undefined): Discovery {
    return { http: this.#http, guard: guardFor(this.#server), signal };
  }

  async #context(
    { issuer, resource, scopes }: Pick<GrantContext, "resource" | "scopes"> & { readonly issuer: string },
    signal: AbortSignal | undefined,
  ): Promise<GrantContext> {
    const discovery = this.#discovery(signal);
    return {
      ...discovery,
      server: await discoverAuthorizationServer(discovery, issuer),
      dpop: this.#dpop,
      vault: this.#vault,
      store: this.#store,
      now: this.#now,
      endpoint: this.#server.href,
      resource,
      scopes,
    };
  }
}

function timeout(ms: number): number {
  if (!Number.isInteger(ms) || ms < 1 || ms > MAX_TIMEOUT_MS) {
    throw new TypeError(`A timeout is a whole number of milliseconds up to ${MAX_TIMEOUT_MS}`);
  }
  return ms;
}

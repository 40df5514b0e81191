/**
 * Asks a token endpoint and judges its answer.
 *
 * @see RFC 6749 sections 4.1.4 and 5, RFC 9449 sections 5 and 8
 */
import { clip, McpError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/types.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { OAuthClient, TokenForm } from "./client-authentication.ts";
import type { KeyVault, ProofMaker } from "./dpop.ts";
import { type JsonReply, requestJson } from "./json-request.ts";
import type { Discovery } from "./resource-metadata.ts";

/** A token endpoint, and what requests to it are made with. */
export interface TokenContext extends Discovery {
  readonly server: AuthorizationServer;
  readonly dpop: ProofMaker | undefined;
  readonly vault: KeyVault;
}

export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: "Bearer" | "DPoP";
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number | undefined;
  /** Undefined: as requested. */
  readonly scopes: readonly string[] | undefined;
}

export type TokenParams = Readonly<Record<string, string | undefined>>;

/** The characters of an access token (RFC 6750 section 2.1 and beyond): whatever a header can carry. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** RFC 6749 section 5.2. */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/** What may be a token or a code, which some servers repeat in their descriptions. */
const SECRET = /[\w.~+/=-]{20,}/g;

/** @throws {McpError} `unauthorized` when the endpoint refuses, `http_error` when it says nothing that makes sense */
export async function requestTokens(
  context: TokenContext,
  client: OAuthClient,
  params: TokenParams,
): Promise<TokenResponse> {
  const json = await postTokenRequest(context, client, params);
  return readTokens(json, usesDpop(context));
}

/** The same without judging the tokens, for what only looks like a token. */
export async function postTokenRequest(
  context: TokenContext,
  client: OAuthClient,
  params: TokenParams,
): Promise<JsonObject> {
  let reply = await post(context, client, params);
  context.dpop?.learn(context.server.tokenEndpoint.href, reply.headers);
  // RFC 9449 section 8: once more, with the nonce that came with the refusal.
  if (reply.json?.["error"] === "use_dpop_nonce" && context.dpop !== undefined) {
    reply = await post(context, client, params);
    context.dpop.learn(context.server.tokenEndpoint.href, reply.headers);
  }
  if (reply.status === 200 && reply.json !== undefined) return reply.json;
  throw refusal(reply, "The token endpoint");
}

async function post(context: TokenContext, client: OAuthClient, params: TokenParams): Promise<JsonReply> {
  const { server, dpop, vault, http, signal } = context;
  const url = server.tokenEndpoint;
  const request: TokenForm = {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    form: new URLSearchParams(),
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) request.form.set(name, value);
  await client.authenticate(request, server);
  if (dpop !== undefined && usesDpop(context)) {
    request.headers["dpop"] = await dpop.proof({ method: "POST", url: url.href }, vault);
  }
  return requestJson(http, { url, headers: request.headers, body: request.form.toString(), signal });
}

/** Whether tokens are to be bound, which the client must want and the server must offer. */
function usesDpop({ server, dpop }: TokenContext): boolean {
  if (dpop === undefined) return false;
  const offered = server.dpopAlgorithms.includes("ES256");
  if (dpop.required && !offered) throw new McpError("unauthorized", "The authorization server does not offer DPoP");
  return offered;
}

function readTokens(json: JsonObject, bound: boolean): TokenResponse {
  const { access_token: accessToken, refresh_token: refreshToken, scope } = json;
  const type = String(json["token_type"]).toLowerCase();
  if (typeof accessToken !== "string" || !TOKEN.test(accessToken)) {
    throw new McpError("invalid_response", "The token endpoint sent no usable access token");
  }
  // A token of another type is one that this client cannot show, or one that lost its binding on the way.
  if (type !== (bound ? "dpop" : "bearer")) {
    throw new McpError("invalid_response", "The token endpoint sent a token of another type");
  }
  return {
    accessToken,
    tokenType: bound ? "DPoP" : "Bearer",
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : undefined,
    expiresInSeconds: readSeconds(json["expires_in"]),
    scopes: typeof scope === "string" ? scope.split(" ").filter(Boolean) : undefined,
  };
}

/** Some servers send the number as a string. */
function readSeconds(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  if (!(seconds >= 0) || !Number.isFinite(seconds)) {
    throw new McpError("invalid_response", "The token endpoint sent an odd expires_in");
  }
  return seconds;
}

/** The cause of an error that an authorization server answered with. */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";
  /** Such as `invalid_grant`; empty when the answer holds none. */
  readonly error: string;
  constructor(error: string) {
    super(error);
    this.error = error;
  }
}

export function refusal({ status, json }: Pick<JsonReply, "status" | "json">, who: string): McpError {
  const error = typeof json?.["error"] === "string" && ERROR_CODE.test(json["error"]) ? json["error"] : "";
  const text = typeof json?.["error_description"] === "string" ? json["error_description"] : "";
  const description = clip(text.replaceAll(SECRET, "…"));
  const detail = [error, description].filter(Boolean).join(": ");
  return new McpError(error === "" ? "http_error" : "unauthorized", `${who} refused (${detail || `HTTP ${status}`})`, {
    cause: new OAuthRefusal(error),
  });
}

/** Refusals that asking again does not change (RFC 6749 section 5.2), unlike those of a server that is busy or broken. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
]);

export function isFinalRefusal(error: unknown): boolean {
  return error instanceof McpError && error.cause instanceof OAuthRefusal && FINAL.has(error.cause.error);
}

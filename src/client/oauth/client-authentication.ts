/**
 * How a client shows a token endpoint who it is.
 *
 * @see RFC 6749 section 2.3, RFC 7523 section 2.2
 */
import { McpError } from "../../protocol/errors.ts";
import { encodeBase64 } from "../../protocol/base64.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { signJwt } from "./jwt.ts";
import { randomToken } from "./pkce.ts";

/** A client as one authorization server knows it. */
export interface OAuthClient {
  readonly clientId: string;
  /** Adds to a token request what shows that it is this client's. */
  authenticate(request: TokenForm, server: AuthorizationServer): Promise<void> | void;
}

export interface TokenForm {
  readonly headers: Record<string, string>;
  readonly form: URLSearchParams;
}

export type SecretMethod = "none" | "client_secret_basic" | "client_secret_post";

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** As registered. Without it the server's list decides, `client_secret_basic` first. */
  readonly method?: string | undefined;
}

/** A client with a secret, or without. */
export function secretClient(credentials: ClientCredentials): OAuthClient {
  const { clientId, clientSecret = "" } = credentials;
  return {
    clientId,
    authenticate({ headers, form }, server) {
      const method = chooseMethod(credentials, server);
      if (method === "client_secret_basic") {
        headers["authorization"] = `Basic ${basic(clientId, clientSecret)}`;
      } else {
        form.set("client_id", clientId);
        if (method === "client_secret_post") form.set("client_secret", clientSecret);
      }
    },
  };
}

function chooseMethod({ clientSecret, method }: ClientCredentials, { authMethods }: AuthorizationServer): SecretMethod {
  if (clientSecret === undefined) return "none";
  const candidates: readonly SecretMethod[] = ["client_secret_basic", "client_secret_post", "none"];
  // RFC 8414 section 2: a server that lists no methods knows basic.
  const wanted = method === undefined ? (authMethods ?? candidates) : [method];
  const chosen = candidates.find((candidate) => wanted.includes(candidate));
  if (chosen === undefined) {
    throw new McpError("unauthorized", "The authorization server accepts no authentication of this client");
  }
  return chosen;
}

/** RFC 6749 section 2.3.1: each part is form-encoded first, since an id may hold a colon. */
function basic(clientId: string, clientSecret: string): string {
  return encodeBase64(new TextEncoder().encode(`${formEncode(clientId)}:${formEncode(clientSecret)}`));
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

export interface PrivateKey {
  readonly key: CryptoKey;
  /** JWS name of the key's algorithm, such as `ES256`. */
  readonly alg: string;
  /** Names the key, where several are registered. */
  readonly kid?: string | undefined;
}

/** An assertion is sent at once, so it lives only as long as clocks may differ. */
const ASSERTION_SECONDS = 60;

/**
 * A client that signs an assertion with its private key (`private_key_jwt`).
 *
 * @param now milliseconds since the epoch
 */
export function keyClient(clientId: string, { key, alg, kid }: PrivateKey, now: () => number = Date.now): OAuthClient {
  return {
    clientId,
    async authenticate({ form }, server) {
      const iat = Math.floor(now() / 1000);
      // The issuer alone as audience: an assertion that lists a token endpoint could be replayed at another issuer.
      const claims = {
        iss: clientId,
        sub: clientId,
        aud: server.issuer,
        jti: randomToken(),
        iat,
        exp: iat + ASSERTION_SECONDS,
      };
      const header = { alg, typ: "JWT", ...(kid === undefined ? {} : { kid }) };
      form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      form.set("client_assertion", await signJwt(header, claims, key));
    },
  };
}

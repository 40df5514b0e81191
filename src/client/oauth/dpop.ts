/**
 * Tokens bound to a key of this client, which it shows with each request (DPoP): a stolen token is of no use.
 *
 * @see RFC 9449
 */
import { signJwt } from "./jwt.ts";
import { randomToken, sha256 } from "./pkce.ts";
import { type OAuthStore, reporting } from "./store.ts";

export interface ProofRequest {
  readonly method: string;
  readonly url: string;
  /** The token that goes with the request, unless the request asks for one. */
  readonly accessToken?: string | undefined;
}

/** Makes proofs and remembers what servers want in them. */
export interface ProofMaker {
  /** Whether to refuse authorization servers that do not say that they can bind tokens. */
  readonly required: boolean;
  proof(request: ProofRequest, vault: KeyVault): Promise<string>;
  /** Takes the nonce for further requests to the URL's origin. @returns whether there is one that was not known */
  learn(url: string, headers: Headers): boolean;
  /** Throws the key away, and with it every token that is bound to it. */
  forget(vault: KeyVault): Promise<void>;
}

/** Where the key of a provider lies. */
export interface KeyVault {
  readonly store: OAuthStore;
  readonly name: string;
}

export interface DpopOptions {
  /** Default false: servers without DPoP get requests without it. */
  required?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const KEY = { name: "ECDSA", namedCurve: "P-256" };

/** DPoP with an ECDSA P-256 key that cannot be read out, made on first use and kept in the provider's store. */
export function dpop({ required = false, now = Date.now }: DpopOptions = {}): ProofMaker {
  const nonces = new Map<string, string>();
  /** By their vaults: providers of several people may share this. */
  const stores = new WeakMap<OAuthStore, Map<string, Promise<CryptoKeyPair>>>();
  const pairOf = (vault: KeyVault): Promise<CryptoKeyPair> => {
    const pairs = stores.get(vault.store) ?? new Map<string, Promise<CryptoKeyPair>>();
    stores.set(vault.store, pairs);
    const known = pairs.get(vault.name);
    if (known !== undefined) return known;
    const pair = keyPair(vault);
    pairs.set(vault.name, pair);
    pair.catch(() => pairs.delete(vault.name)); // the next request tries again
    return pair;
  };
  return {
    required,
    learn(url, headers) {
      const nonce = headers.get("dpop-nonce");
      const { origin } = new URL(url);
      if (nonce === null || nonces.get(origin) === nonce) return false;
      nonces.set(origin, nonce);
      return true;
    },
    async forget(vault) {
      stores.get(vault.store)?.delete(vault.name);
      await reporting(vault.store).delete(vault.name);
    },
    async proof({ method, url, accessToken }, vault) {
      const { publicKey, privateKey } = await pairOf(vault);
      const jwk = await crypto.subtle.exportKey("jwk", publicKey);
      if (!("kty" in jwk)) throw new TypeError("The key was not exported as a JWK");
      const { kty, crv, x, y } = jwk;
      const { origin, pathname } = new URL(url);
      const claims = {
        jti: randomToken(),
        htm: method,
        // MUST — RFC 9449 section 4.2: without query and fragment.
        htu: `${origin}${pathname}`,
        iat: Math.floor(now() / 1000),
        ...(accessToken === undefined ? {} : { ath: await sha256(accessToken) }),
        ...(nonces.has(origin) ? { nonce: nonces.get(origin) } : {}),
      };
      return signJwt({ typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } }, claims, privateKey);
    },
  };
}

async function keyPair({ store: raw, name }: KeyVault): Promise<CryptoKeyPair> {
  const store = reporting(raw);
  const kept = await store.get(name);
  if (typeof kept === "object" && kept !== null && "privateKey" in kept && "publicKey" in kept) {
    return kept as CryptoKeyPair; // nothing else is kept under this name
  }
  const made = await crypto.subtle.generateKey(KEY, false, ["sign", "verify"]);
  if (!("privateKey" in made)) throw new TypeError("ECDSA keys come in pairs");
  await store.set(name, made);
  return made;
}

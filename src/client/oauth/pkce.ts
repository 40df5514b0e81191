/**
 * Proof Key for Code Exchange, and the random strings of a flow.
 *
 * @see RFC 7636
 */
import { encodeBase64Url } from "../../protocol/base64.ts";

/** 256 bits, which PKCE recommends; 43 characters. */
const RANDOM_BYTES = 32;

/** An unguessable string of the unreserved characters: a code verifier, a state, an id. */
export function randomToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

/** SHA-256 in the URL-safe alphabet: the S256 challenge of a verifier, the `ath` of a token. */
export async function sha256(text: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

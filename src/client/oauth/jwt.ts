/**
 * Signs compact JWTs with WebCrypto, whose signatures already have the form that JWS wants.
 *
 * @see RFC 7515, RFC 7518 section 3
 */
import { decodeBase64, encodeBase64Url } from "../../protocol/base64.ts";
import type { JsonObject } from "../../protocol/types.ts";

interface Algorithm {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
  readonly saltLength?: number;
}

const rsa = (name: string, bits: number): Algorithm => ({ name, hash: `SHA-${bits}`, saltLength: bits / 8 });

/** By JWS name. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ["ES256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
  ["ES384", { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }],
  ["RS256", rsa("RSASSA-PKCS1-v1_5", 256)],
  ["RS384", rsa("RSASSA-PKCS1-v1_5", 384)],
  ["RS512", rsa("RSASSA-PKCS1-v1_5", 512)],
  ["PS256", rsa("RSA-PSS", 256)],
  ["PS384", rsa("RSA-PSS", 384)],
  ["PS512", rsa("RSA-PSS", 512)],
  ["EdDSA", { name: "Ed25519" }],
]);

/** @param header with `alg`, which has to fit the key */
export async function signJwt(
  header: JsonObject & { alg: string },
  claims: JsonObject,
  key: CryptoKey,
): Promise<string> {
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(algorithmOf(header.alg), key, new TextEncoder().encode(signed));
  return `${signed}.${encodeBase64Url(new Uint8Array(signature))}`;
}

/**
 * Reads a private key in PKCS #8 PEM, for signing alone and not extractable.
 *
 * @param alg JWS name, such as `ES256`
 * @throws {TypeError} for an algorithm or a text that it does not know
 */
export async function importPrivateKey(pem: string, alg: string): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  const bytes = decodeBase64((body ?? "-").replaceAll(/\s/g, ""));
  if (bytes === undefined) throw new TypeError("The private key is not PKCS #8 in PEM");
  return crypto.subtle.importKey("pkcs8", bytes, algorithmOf(alg), false, ["sign"]);
}

function encode(part: JsonObject): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(part)));
}

function algorithmOf(alg: string): Algorithm {
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined) throw new TypeError(`No such signature algorithm: ${alg}`);
  return algorithm;
}

/** Reads JWTs as those do who receive them. */
import { decodeBase64Url } from "../../../src/protocol/base64.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";

export interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  isSignedBy(key: CryptoKey, algorithm: { name: string; hash?: string }): Promise<boolean>;
}

export function readJwt(jwt: string): Jwt {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  return {
    header: object(header),
    claims: object(claims),
    isSignedBy(key, algorithm) {
      const signed = new TextEncoder().encode(`${header}.${claims}`);
      return crypto.subtle.verify(algorithm, key, bytes(signature), signed);
    },
  };
}

function object(part: string): JsonObject {
  return JSON.parse(new TextDecoder().decode(bytes(part))) as JsonObject; // a JWT's parts are objects
}

function bytes(part: string): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(part) ?? new Uint8Array();
}

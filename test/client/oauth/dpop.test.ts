/** Tokens that are bound to a key: what the proofs say, and what is refused. */
import { describe, expect, test } from "vitest";
import { dpop, type DpopOptions } from "../../../src/client/oauth/dpop.ts";
import { sha256 } from "../../../src/client/oauth/pkce.ts";
import type { OAuthProvider } from "../../../src/client/oauth/oauth-options.ts";
import { memoryOAuthStore, type OAuthStore } from "../../../src/client/oauth/store.ts";
import { type Seen, send, SERVER } from "./fake-network.ts";
import { AS, person, world } from "./person.ts";
import { readJwt } from "./read-jwt.ts";

const DPOP = { dpop_signing_alg_values_supported: ["ES256"] };

interface Proof {
  readonly header: { typ: string; alg: string; jwk: JsonWebKey };
  readonly claims: { jti: string; htm: string; htu: string; iat: number; ath?: string; nonce?: string };
}

/** Reads a proof as a server does. */
async function proofOf(seen: Seen | undefined): Promise<Proof> {
  const jwt = readJwt(seen?.headers.get("dpop") ?? "");
  const proof = { header: jwt.header, claims: jwt.claims } as unknown as Proof; // compared member by member below
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("jwk", proof.header.jwk, algorithm, false, ["verify"]);
  expect(await jwt.isSignedBy(key, algorithm)).toBe(true);
  return proof;
}

function bound(
  metadata: object = DPOP,
  { store = memoryOAuthStore(), ...options }: DpopOptions & { store?: OAuthStore } = {},
) {
  const { network, issuer } = world(metadata);
  issuer.extra = { token_type: "DPoP" };
  /** As in a page of its own. */
  const open = (): OAuthProvider => person(network, { store, dpop: dpop(options) });
  return { network, issuer, store, open };
}

describe("A token bound to a key", () => {
  test("is asked for and shown with a proof for each request, made with one key", async () => {
    const { network, open } = bound(DPOP, { now: () => 1_000_000_500 });
    const provider = open();
    await send(network, provider);
    await send(network, provider);
    const asking = await proofOf(network.to(`${AS}/token`)[0]);
    const [, first, second] = network.to(SERVER);
    const [one, two] = [await proofOf(first), await proofOf(second)];
    expect(first?.headers.get("authorization")).toMatch(/^DPoP token-/);
    expect(asking.header).toEqual({
      typ: "dpop+jwt",
      alg: "ES256",
      jwk: { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) },
    });
    expect(asking.claims).toEqual({ jti: expect.any(String), htm: "POST", htu: `${AS}/token`, iat: 1_000_000 });
    const ath = await sha256(first?.headers.get("authorization")?.slice("DPoP ".length) ?? "");
    expect(one.claims).toEqual({ jti: expect.any(String), htm: "POST", htu: SERVER, iat: 1_000_000, ath });
    expect(new Set([asking, one, two].map(({ claims }) => claims.jti)).size).toBe(3);
    expect(new Set([asking, one, two].map(({ header }) => header.jwk.x)).size).toBe(1);
  });

  test("keeps its key in the store, where nobody can read it, until somebody signs out", async () => {
    const { network, store, open } = bound();
    const provider = open();
    await send(network, provider);
    const pair = (await store.get(`dpop ${SERVER}`)) as CryptoKeyPair; // what is kept there
    expect(pair.privateKey.extractable).toBe(false);
    await send(network, open());
    const used = network.to(SERVER).filter(({ headers }) => headers.has("dpop"));
    const keys = (await Promise.all(used.map(proofOf))).map(({ header }) => header.jwk.x);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    await provider.signOut();
    expect(await store.get(`dpop ${SERVER}`)).toBeUndefined();
    await send(network, provider);
    expect((await proofOf(network.to(SERVER).at(-1))).header.jwk.x).not.toBe(keys[0]);
  });

  test("has a key for each store, be they used with the same maker", async () => {
    const { network } = bound();
    const maker = dpop();
    const stores = [memoryOAuthStore(), memoryOAuthStore()];
    for (const store of stores) await send(network, person(network, { store, dpop: maker }));
    const keys = (await Promise.all(network.to(`${AS}/token`).map(proofOf))).map(({ header }) => header.jwk.x);
    expect(new Set(keys).size).toBe(2);
    for (const store of stores) expect(await store.get(`dpop ${SERVER}`)).toBeDefined();
  });

  test("leaves query and fragment out of the proof", async () => {
    const { network, open } = bound();
    const provider = open();
    await send(network, provider);
    const request = { url: `${SERVER}?secret=1#f`, method: "GET" };
    const headers = new Headers(await provider.headers(request));
    const seen: Seen = { method: "GET", url: new URL(SERVER), headers, form: new URLSearchParams(), body: "" };
    expect((await proofOf(seen)).claims).toMatchObject({ htm: "GET", htu: SERVER });
  });
});

describe("A server that wants a nonce", () => {
  test("gets its own one: the authorization server in the second try, the MCP server too", async () => {
    const { network, issuer, open } = bound();
    const tries: (string | undefined)[] = [];
    network.on(`${AS}/token`, async (seen) => {
      const { nonce } = (await proofOf(seen)).claims;
      tries.push(nonce);
      const headers = { "dpop-nonce": "of-as" };
      if (nonce !== "of-as") return Response.json({ error: "use_dpop_nonce" }, { status: 400, headers });
      issuer.tokens.set("bound", "");
      return Response.json({ access_token: "bound", token_type: "DPoP" }, { headers });
    });
    network.on(SERVER, async (seen) => {
      if (!seen.headers.has("dpop"))
        return new Response(null, { status: 401, headers: { "www-authenticate": "DPoP" } });
      const { nonce } = (await proofOf(seen)).claims;
      tries.push(nonce);
      const challenge = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "of-rs" };
      return nonce === "of-rs" ? Response.json({}) : new Response(null, { status: 401, headers: challenge });
    });
    const provider = open();
    expect(await send(network, provider)).toBe(200);
    expect(await send(network, provider)).toBe(200);
    expect(tries).toEqual([undefined, "of-as", undefined, "of-rs", "of-rs"]);
  });

  test("takes a new one from any response", async () => {
    const { network, open } = bound();
    const provider = open();
    await send(network, provider);
    provider.responded?.(new Response(null, { headers: { "dpop-nonce": "next" } }));
    await send(network, provider);
    expect((await proofOf(network.to(SERVER).at(-1))).claims.nonce).toBe("next");
  });

  test.for([undefined, "same"])("and sends no new one (%s) is not asked without end", async (nonce) => {
    const { network, open } = bound();
    network.on(`${AS}/token`, () =>
      Response.json(
        { error: "use_dpop_nonce" },
        { status: 400, headers: nonce === undefined ? {} : { "dpop-nonce": nonce } },
      ),
    );
    await expect(send(network, open())).rejects.toMatchObject({ code: "unauthorized" });
    expect(network.to(`${AS}/token`).length).toBeLessThanOrEqual(2);
  });
});

describe("A client that wants bound tokens", () => {
  test("refuses one that lost its binding", async () => {
    const { network, issuer, open } = bound();
    issuer.extra = { token_type: "Bearer" };
    await expect(send(network, open())).rejects.toMatchObject({ code: "invalid_response" });
    expect(network.to(SERVER)).toHaveLength(1);
  });

  test("goes without where the authorization server cannot, unless it must not", async () => {
    const plain = bound({});
    plain.issuer.extra = { token_type: "bearer" };
    expect(await send(plain.network, plain.open())).toBe(200);
    expect(plain.network.seen.some(({ headers }) => headers.has("dpop"))).toBe(false);
    const strict = bound({}, { required: true });
    await expect(send(strict.network, strict.open())).rejects.toMatchObject({ code: "unauthorized" });
    expect(strict.network.to(`${AS}/token`)).toEqual([]);
  });
});

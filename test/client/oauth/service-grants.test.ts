/** Tokens without a person: what is sent where, and what never is. */
import { describe, expect, test } from "vitest";
import { type ClientCredentials, keyClient, secretClient } from "../../../src/client/oauth/client-authentication.ts";
import type { Grant } from "../../../src/client/oauth/grant.ts";
import { importPrivateKey } from "../../../src/client/oauth/jwt.ts";
import type { OAuthProvider } from "../../../src/client/oauth/oauth-options.ts";
import { oauthProvider } from "../../../src/client/oauth/provider.ts";
import { clientCredentials, enterpriseManaged, workloadIdentity } from "../../../src/client/oauth/service-grants.ts";
import { encodeBase64 } from "../../../src/protocol/base64.ts";
import { fakeIssuer, FakeNetwork, fakeServer, send, SERVER } from "./fake-network.ts";
import { readJwt } from "./read-jwt.ts";

const AS = "https://as.test";
const IDP = "https://idp.test";
const CREDENTIALS: ClientCredentials = { clientId: "service", clientSecret: "secret" };
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

function world() {
  const network = new FakeNetwork();
  const issuer = fakeIssuer(network, AS, { token_endpoint_auth_methods_supported: ["client_secret_basic"] });
  const server = fakeServer(network, issuer);
  return { network, server, issuer };
}

function service(network: FakeNetwork, grant: Grant): OAuthProvider {
  return oauthProvider({ server: SERVER, grant, fetch: network.fetch });
}

async function pemPair(algorithm: object): Promise<{ pem: string; publicKey: CryptoKey }> {
  const pair = await crypto.subtle.generateKey(algorithm as { name: string }, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new TypeError("no pair");
  const bytes = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  if (!(bytes instanceof ArrayBuffer)) throw new TypeError("no bytes");
  const body = encodeBase64(new Uint8Array(bytes)).replaceAll(/.{64}/g, "$&\n");
  return { pem: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`, publicKey: pair.publicKey };
}

describe("A service", () => {
  test("gets a token for the resource with its own credentials, and another one when that is refused", async () => {
    const { network, server, issuer } = world();
    server.metadata = { scopes_supported: ["a", "b"] };
    const provider = service(network, clientCredentials({ issuer: AS, client: secretClient(CREDENTIALS) }));
    expect(await send(network, provider)).toBe(200);
    issuer.tokens.clear();
    expect(await send(network, provider)).toBe(200);
    const [request, ...others] = network.to(`${AS}/token`);
    expect(others).toHaveLength(1);
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: "client_credentials",
      resource: SERVER,
      scope: "a b",
    });
    expect(request?.headers.get("authorization")).toBe(`Basic ${btoa("service:secret")}`);
  });

  test("shows nothing to an authorization server that it was not set up for", async () => {
    const { network, server } = world();
    server.issuers = [fakeIssuer(network, "https://evil.test")];
    const provider = service(network, clientCredentials({ issuer: AS, client: secretClient(CREDENTIALS) }));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "issuer_mismatch" });
    expect(network.seen.filter(({ url }) => url.origin === "https://evil.test")).toEqual([]);
  });

  test("is told why it gets no token, without what it sent", async () => {
    const { network } = world();
    network.on(`${AS}/token`, ({ headers }) =>
      Response.json(
        { error: "invalid_client", error_description: `Wrong: ${headers.get("authorization")}` },
        { status: 401 },
      ),
    );
    const credentials = { clientId: "service", clientSecret: "a-secret-of-a-decent-length" };
    const provider = service(network, clientCredentials({ issuer: AS, client: secretClient(credentials) }));
    const error: unknown = await send(network, provider).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "unauthorized", message: expect.stringContaining("invalid_client: Wrong") });
    expect(String(error)).not.toContain(btoa("service:a-secret-of-a-decent-length"));
    expect(network.to(`${AS}/token`)).toHaveLength(1);
  });
});

describe("A service with a key", () => {
  test.for([
    { alg: "ES256", algorithm: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } },
    { alg: "ES384", algorithm: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" } },
    {
      alg: "RS256",
      algorithm: {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
    },
    { alg: "EdDSA", algorithm: { name: "Ed25519" } },
  ])("signs who it is with $alg, for the issuer and a minute", async ({ alg, algorithm }) => {
    const network = new FakeNetwork();
    fakeServer(network, fakeIssuer(network, AS, { token_endpoint_auth_methods_supported: ["private_key_jwt"] }));
    const { pem, publicKey } = await pemPair(algorithm);
    const key = await importPrivateKey(pem, alg);
    expect(key.extractable).toBe(false);
    const client = keyClient("service", { key, alg, kid: "k1" }, () => 1_000_000_500);
    expect(await send(network, service(network, clientCredentials({ issuer: AS, client })))).toBe(200);
    const form = network.to(`${AS}/token`)[0]?.form;
    const assertion = readJwt(form?.get("client_assertion") ?? "");
    expect(form?.get("client_assertion_type")).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    expect(form?.has("client_id")).toBe(false);
    expect(assertion.header).toEqual({ alg, typ: "JWT", kid: "k1" });
    expect(assertion.claims).toEqual({
      iss: "service",
      sub: "service",
      aud: AS,
      jti: expect.stringMatching(/^.{43}$/),
      iat: 1_000_000,
      exp: 1_000_060,
    });
    expect(await assertion.isSignedBy(publicKey, algorithm)).toBe(true);
  });

  test.for([
    ["", "ES256"],
    ["-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "ES256"],
    ["-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----", "ES256"],
    ["-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "none"],
  ] as const)("is not made of %s with %s", async ([pem, alg]) => {
    await expect(importPrivateKey(pem, alg)).rejects.toThrow(TypeError);
  });
});

describe("A workload", () => {
  test("shows what its platform vouches with, made for the issuer and the resource", async () => {
    const { network } = world();
    const asked: unknown[] = [];
    const assertion = (audience: unknown): Promise<string> => {
      asked.push(audience);
      return Promise.resolve("the-jwt");
    };
    const client = secretClient({ clientId: "workload" });
    expect(await send(network, service(network, workloadIdentity({ issuer: AS, client, assertion })))).toBe(200);
    expect(asked).toEqual([{ issuer: AS, resource: SERVER }]);
    expect(Object.fromEntries(network.to(`${AS}/token`)[0]?.form ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "the-jwt",
      client_id: "workload",
      resource: SERVER,
    });
  });

  test.for(["invalid_grant", "invalid_scope", "unauthorized_client"])(
    "that is refused with %s is not tried again",
    async (error) => {
      const { network } = world();
      network.on(`${AS}/token`, () => Response.json({ error }, { status: 400 }));
      const client = secretClient({ clientId: "workload" });
      const grant = workloadIdentity({ issuer: AS, client, assertion: async () => "the-jwt" });
      await expect(send(network, service(network, grant))).rejects.toThrow(error);
      expect(network.to(`${AS}/token`)).toHaveLength(1);
    },
  );
});

describe("An employee", () => {
  const employee = enterpriseManaged({
    issuer: AS,
    client: secretClient(CREDENTIALS),
    identityProvider: { issuer: IDP, clientId: "app-at-idp" },
    subjectToken: () => Promise.resolve("id-token"),
  });

  test("is vouched for by the identity provider, whose token goes nowhere else", async () => {
    const { network, server } = world();
    server.metadata = { scopes_supported: ["a"] };
    const idp = fakeIssuer(network, IDP);
    idp.extra = { access_token: "id-jag", token_type: "N_A", issued_token_type: ID_JAG };
    expect(await send(network, service(network, employee))).toBe(200);
    expect(Object.fromEntries(network.to(`${IDP}/token`)[0]?.form ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: ID_JAG,
      audience: AS,
      resource: SERVER,
      scope: "a",
      subject_token: "id-token",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      client_id: "app-at-idp",
    });
    const request = network.to(`${AS}/token`)[0];
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "id-jag",
      resource: SERVER,
      scope: "a",
    });
    expect(request?.headers.get("authorization")).toBe(`Basic ${btoa("service:secret")}`);
  });

  test.for([
    { issued_token_type: "urn:ietf:params:oauth:token-type:access_token" },
    { access_token: 7 },
    { access_token: "" },
  ])("is not signed in with %o of the identity provider", async (extra) => {
    const { network } = world();
    const idp = fakeIssuer(network, IDP);
    idp.extra = { access_token: "id-jag", token_type: "N_A", issued_token_type: ID_JAG, ...extra };
    await expect(send(network, service(network, employee))).rejects.toMatchObject({
      code: "invalid_response",
    });
    expect(network.to(`${AS}/token`)).toEqual([]);
  });
});

/** The authorization request, and whom its response is believed. */
import { describe, expect, test } from "vitest";
import { assertFitForCode, authorizationUrl, readCode } from "../../../src/client/oauth/authorization-response.ts";
import type { AuthorizationServer } from "../../../src/client/oauth/authorization-server.ts";
import { randomToken, sha256 } from "../../../src/client/oauth/pkce.ts";
import type { PendingFlow } from "../../../src/client/oauth/store.ts";

const ISSUER = "https://as.test/t1";
const STATE = "the-state";

const flow: PendingFlow = {
  server: "https://mcp.test/mcp",
  issuer: ISSUER,
  sendsIssuer: false,
  clientId: "client",
  redirectUri: "http://127.0.0.1:3000/callback",
  resource: "https://mcp.test/mcp",
  scopes: ["a", "b"],
  // RFC 7636 appendix B.
  verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  startedAt: 0,
};

const server: AuthorizationServer = {
  issuer: ISSUER,
  tokenEndpoint: new URL("https://as.test/token"),
  authorizationEndpoint: new URL("https://as.test/authorize?tenant=1"),
  registrationEndpoint: undefined,
  scopes: undefined,
  authMethods: undefined,
  challengeMethods: ["S256"],
  dpopAlgorithms: [],
  sendsIssuer: false,
  readsClientDocuments: false,
};

function callback(params: Record<string, string>): string {
  return `${flow.redirectUri}?${new URLSearchParams({ state: STATE, ...params }).toString()}`;
}

function outcome(params: Record<string, string>, sendsIssuer = false): unknown {
  try {
    return readCode(callback(params), STATE, { ...flow, sendsIssuer });
  } catch (error) {
    return error;
  }
}

describe("PKCE", () => {
  test("makes the challenge of RFC 7636 appendix B", async () => {
    expect(await sha256(flow.verifier)).toBe("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  });

  test("makes verifiers of 43 unreserved characters, never the same", () => {
    const made = new Set(Array.from({ length: 100 }, randomToken));
    expect(made.size).toBe(100);
    for (const verifier of made) expect(verifier).toMatch(/^[\w-]{43}$/);
  });
});

describe("An authorization request", () => {
  test("holds everything that the response is checked by, beside the endpoint's own query", async () => {
    const url = await authorizationUrl(assertFitForCode(server, false), STATE, flow);
    expect(url.origin + url.pathname).toBe("https://as.test/authorize");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: "1",
      response_type: "code",
      client_id: "client",
      redirect_uri: flow.redirectUri,
      state: STATE,
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      resource: flow.resource,
      scope: "a b",
    });
  });

  test("leaves the scope out when there is none to ask for", async () => {
    const url = await authorizationUrl(assertFitForCode(server, false), STATE, { ...flow, scopes: undefined });
    expect(url.searchParams.has("scope")).toBe(false);
  });

  test("asks for consent when it asks for offline access", async () => {
    const scopes = ["a", "offline_access"];
    const url = await authorizationUrl(assertFitForCode(server, false), STATE, { ...flow, scopes });
    expect(url.searchParams.get("prompt")).toBe("consent");
  });

  test.for([[[]], [["plain"]], [["s256"]]])(
    "is not made to a server whose PKCE methods are %o",
    ([challengeMethods]) => {
      expect(() => assertFitForCode({ ...server, challengeMethods: challengeMethods ?? [] }, true)).toThrow(
        expect.objectContaining({ code: "pkce_unsupported" }),
      );
    },
  );

  test("is not made where a server of someone else's stands beside the token endpoint, unless the response will tell", () => {
    const mixed = { ...server, tokenEndpoint: new URL("https://evil.test/token") };
    expect(() => assertFitForCode(mixed, false)).toThrow(expect.objectContaining({ code: "issuer_mismatch" }));
    expect(assertFitForCode({ ...mixed, sendsIssuer: true }, false)).toBe(server.authorizationEndpoint);
    // Large issuers spread over several hosts; who registered there knows them.
    expect(assertFitForCode(mixed, true)).toBe(server.authorizationEndpoint);
  });
});

describe("An authorization response", () => {
  const good = "the code";
  test.for([
    { advertised: true, iss: ISSUER, want: good },
    { advertised: true, iss: undefined, want: "issuer_mismatch" },
    { advertised: false, iss: ISSUER, want: good },
    { advertised: false, iss: undefined, want: good },
    ...[
      `${ISSUER}/`,
      "https://AS.test/t1",
      "HTTPS://as.test/t1",
      "https://as.test:443/t1",
      "https://as.test/t%31",
      "https://evil.test",
      "",
    ].flatMap((iss) => [true, false].map((advertised) => ({ advertised, iss, want: "issuer_mismatch" }))),
  ])("with iss $iss, advertised: $advertised, ends in $want", ({ advertised, iss, want }) => {
    const params = { code: good, ...(iss === undefined ? {} : { iss }) };
    const result = outcome(params, advertised);
    if (want === good) expect(result).toBe(good);
    else expect(result).toMatchObject({ code: want });
  });

  test("from another issuer does not have its error shown", () => {
    const params = { error: "access_denied", error_description: "Call 555-1234", iss: "https://evil.test" };
    const result = outcome(params);
    expect(result).toMatchObject({ code: "issuer_mismatch" });
    expect(String(result)).not.toMatch(/access_denied|555/);
  });

  test("that refuses says why, shortened and without what may be a secret", () => {
    const secret = "eyJhbGciOiJFUzI1NiJ9.e30.abc";
    const params = { error: "access_denied", error_description: `Not you: ${secret} ${"x ".repeat(500)}` };
    const result = outcome(params);
    expect(result).toMatchObject({ code: "unauthorized" });
    expect(String(result)).toMatch(/access_denied: Not you/);
    expect(String(result)).not.toContain(secret);
    expect(String(result).length).toBeLessThan(300);
  });

  test.for([
    `${flow.redirectUri}?code=c`,
    `${flow.redirectUri}?code=c&state=other`,
    `${flow.redirectUri}?code=c&state=${STATE}&state=${STATE}`,
    `${flow.redirectUri}?code=c&code=d&state=${STATE}`,
    `${flow.redirectUri}?code=c&state=${STATE}&iss=${ISSUER}&iss=${ISSUER}`,
    `${flow.redirectUri}#code=c&state=${STATE}`,
    "not a URL",
    "",
  ])("such as %s does not belong to the request", (url) => {
    expect(() => readCode(url, STATE, flow)).toThrow(expect.objectContaining({ code: "state_mismatch" }));
  });

  test("without a code makes no sense, and one with a code and an error is a refusal", () => {
    expect(outcome({})).toMatchObject({ code: "invalid_response" });
    expect(outcome({ code: "" })).toMatchObject({ code: "invalid_response" });
    expect(outcome({ code: "c", error: "server_error" })).toMatchObject({ code: "unauthorized" });
  });
});

import { describe, expect, test } from "vitest";
import { parseChallenges, serverChallenge } from "../../../src/client/oauth/challenge.ts";

const METADATA = "https://mcp.test/.well-known/x";

const rows = [
  { name: "one challenge", header: `Bearer resource_metadata="${METADATA}", scope="a b"` },
  {
    name: "another scheme first, with a comma in a quoted string",
    header: `Basic realm="a, b", Bearer resource_metadata="${METADATA}", scope="a b"`,
  },
  {
    name: "several DPoP parameters first",
    header: `DPoP algs="ES256 PS256", Bearer resource_metadata="${METADATA}", scope="a b"`,
  },
  { name: "upper case", header: `BEARER RESOURCE_METADATA="${METADATA}", SCOPE="a b"` },
  { name: "folded lines and tabs", header: `Bearer\r\n\tresource_metadata="${METADATA}",\r\n\t  scope="a b"` },
  { name: "spaces around the equals sign", header: `Bearer resource_metadata = "${METADATA}" , scope = "a b"` },
  { name: "a token68 before it", header: `Negotiate YWJj==, Bearer resource_metadata="${METADATA}", scope="a b"` },
  { name: "a bare scheme before it", header: `Negotiate, Bearer resource_metadata="${METADATA}", scope="a b"` },
  { name: "empty list elements", header: `, ,Bearer ,resource_metadata="${METADATA}",,scope="a b"` },
  { name: "an unquoted URL", header: `Bearer resource_metadata=${METADATA}, scope="a b"` },
  { name: "a repeated parameter", header: `Bearer resource_metadata="${METADATA}", scope="a b", scope="c"` },
];

describe("A WWW-Authenticate header", () => {
  test.for(rows)("is understood with $name", ({ header }) => {
    // Headers refuse line breaks, which HTTP/1.1 parsers of other platforms pass on.
    const params = parseChallenges(header).find(({ scheme }) => scheme === "bearer")?.params;
    expect(params?.get("resource_metadata")).toBe(METADATA);
    expect(params?.get("scope")).toBe("a b");
  });

  test("is understood when it comes in two lines", () => {
    const response = new Response(null, { status: 401 });
    response.headers.append("www-authenticate", 'Basic realm="x"');
    response.headers.append("www-authenticate", 'Bearer scope="a", error="invalid_token"');
    expect(serverChallenge(response)).toEqual({ error: "invalid_token", scopes: ["a"], resourceMetadata: undefined });
  });

  test("gives escaped characters back", () => {
    expect(parseChallenges(String.raw`Bearer realm="a \"b\" \\"`)[0]?.params.get("realm")).toBe(
      String.raw`a "b" \ `.trim(),
    );
  });

  test("says nothing when it is absent, or its parameters belong to another scheme", () => {
    const nothing = { error: undefined, scopes: undefined, resourceMetadata: undefined };
    expect(serverChallenge(new Response(null, { status: 401 }))).toEqual(nothing);
    const headers = { "www-authenticate": 'Basic scope="a", resource_metadata="https://mcp.test/x"' };
    expect(serverChallenge(new Response(null, { status: 401, headers }))).toEqual(nothing);
  });

  test.for([
    '"'.repeat(100_000),
    "a=".repeat(50_000),
    "\\".repeat(100_000),
    `Bearer a="${"\\".repeat(99_999)}`,
    ", ".repeat(99_999),
    "a ".repeat(50_000),
  ])("ends whatever it holds", (header) => {
    expect(parseChallenges(header).length).toBeLessThan(20_000);
  });
});

/** What is noted of secrets: nothing but how long they were. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskBody, maskHeaders, maskPairs } from "../../web/wire/mask.ts";

const S = "s3cr3t-Value";
const GONE = "•••• (12 characters)";

describe("headers", () => {
  test.for([
    ["authorization", S],
    ["cookie", S],
    ["set-cookie", S],
    ["dpop", S],
    ["proxy-authorization", S],
    ["x-api-key", S],
    ["x-auth", S],
    ["x-access-token", S],
    ["client-secret", S],
    ["mcp-param-api-key", S],
  ])("%s is masked", ([name = "", value = ""]) => {
    expect(maskHeaders([[name, value]])).toEqual([[name, GONE]]);
  });

  test("the scheme of credentials stays", () => {
    expect(maskHeaders([["authorization", `Bearer ${S}`]])).toEqual([["authorization", `Bearer ${GONE}`]]);
    expect(maskHeaders([["authorization", `DPoP ${S}`]])).toEqual([["authorization", `DPoP ${GONE}`]]);
  });

  test.for([
    ["content-type", "application/json"],
    ["www-authenticate", 'Bearer resource_metadata="https://a.test/"'],
    ["mcp-name", "get_token"],
    ["mcp-param-key", "c sharp"],
    ["x-author", "Ada"],
    ["mcp-session-id", "1"],
  ])("%s stays as it is", ([name = "", value = ""]) => {
    expect(maskHeaders([[name, value]])).toEqual([[name, value]]);
  });
});

describe("queries and forms", () => {
  test.for([
    [`https://a.test/p?code=${S}&state=x#y`, `https://a.test/p?code=${GONE}&state=x#y`],
    [`https://a.test/p?access%5Ftoken=${S}`, `https://a.test/p?access%5Ftoken=${GONE}`],
    [`https://a.test/p?a=1&api_key=${S}`, `https://a.test/p?a=1&api_key=${GONE}`],
    [`https://a.test/p#id_token=${S}`, `https://a.test/p#id_token=${GONE}`],
    ["https://a.test/codes?q=code", "https://a.test/codes?q=code"],
    [
      `grant_type=authorization_code&code=${S}&code_verifier=${S}`,
      `grant_type=authorization_code&code=${GONE}&code_verifier=${GONE}`,
    ],
    ["client_assertion_type=urn:x&scope=a", "client_assertion_type=urn:x&scope=a"],
  ])("%s", ([text = "", expected]) => {
    expect(maskPairs(text)).toBe(expected);
    if (!text.startsWith("http")) expect(maskBody(text).text).toBe(expected);
  });
});

describe("bodies", () => {
  test.for([
    { access_token: S },
    { refresh_token: S, expires_in: 5 },
    { id_token: S },
    { code: S },
    { registration_access_token: S },
    { client_secret: S },
    { client_assertion: S },
    { code_verifier: S },
    { jsonrpc: "2.0", method: "tools/call", params: { arguments: { password: S, deep: [{ api_key: S }] } } },
    { jsonrpc: "2.0", result: { structuredContent: { accessToken: S } } },
    { jsonrpc: "2.0", params: { url: `https://a.test/?token=${S}` } },
  ])("%o is masked, as JSON that is still JSON", (value) => {
    const masked = maskBody(JSON.stringify(value));
    expect(masked.text).not.toContain(S);
    expect(masked.text).toContain(GONE);
    expect(JSON.parse(masked.text)).toEqual(masked.value);
  });

  test("a name in escapes hides nothing", () => {
    expect(maskBody(`{"access\\u005ftoken":"${S}"}`).text).toBe(`{"access_token":"${GONE}"}`);
  });

  test("everyday arguments of tools stay, and so does the way in which it was written", () => {
    const text =
      '{ "jsonrpc": "2.0", "params": { "code": "1 + 1", "key": "c", "_meta": { "progressToken": 12345678901234567890 } } }';
    expect(maskBody(text).text).toBe(text);
  });

  test("a schema of a secret is no secret", () => {
    const text = '{"jsonrpc":"2.0","result":{"tools":[{"inputSchema":{"properties":{"password":{"type":"string"}}}}]}}';
    expect(maskBody(text).text).toBe(text);
  });

  test.for([
    `{"jsonrpc":"2.0","params":{"password":"${S}","more":"`,
    `{"token_type":"Bearer","access_token":"${S}`,
    `{"text":"{\\"access_token\\":\\"${S}\\"}",`,
    `{"jsonrpc":"2.0","params":{"password":"two words \\"quoted\\" ${S}","more":"`,
    `Authorization: Bearer ${S}`,
    `client_secret = ${S}; next`,
  ])("what is no whole JSON is masked too: %s", (text) => {
    expect(maskBody(text).text).not.toContain(S);
  });

  test("takes no longer than in proportion, whatever the text", () => {
    for (const piece of ["a", "token", "\\", '"', "a=", "token=", "token ", 'x"', "-", "token\\\\"]) {
      expect(maskBody(`{${piece.repeat(200_000 / piece.length)}`).text.length).toBeGreaterThan(0);
    }
  });
});

test("no secret under a known name is in what is noted", () => {
  const names = [
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "code_verifier",
    "assertion",
    "client_assertion",
  ];
  const secret = fc.stringMatching(/^[\w .:/+"\\é€-]{8,40}$/).filter((text) => text.trim().length >= 8);
  fc.assert(
    fc.property(fc.constantFrom(...names), secret, fc.json(), fc.boolean(), (name, value, other, isRpc) => {
      const around: unknown = JSON.parse(other);
      const text = JSON.stringify({ ...(isRpc && { jsonrpc: "2.0" }), around, list: [{ [name]: value }] });
      fc.pre(!JSON.stringify(around).includes(value));
      expect(JSON.stringify(JSON.parse(maskBody(text).text))).not.toContain(JSON.stringify(value));
      const form = new URLSearchParams({ a: "b", [name]: value, c: "d" }).toString();
      expect(new URLSearchParams(maskBody(form).text).get(name)).toBe(`•••• (${encoded(value)} characters)`);
    }),
  );
});

function encoded(value: string): number {
  return new URLSearchParams({ x: value }).toString().length - 2;
}

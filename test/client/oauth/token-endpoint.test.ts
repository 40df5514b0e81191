/** What a token endpoint may answer. */
import { describe, expect, test } from "vitest";
import { send, SERVER } from "./fake-network.ts";
import { AS, person, world } from "./person.ts";

const TOKEN = `${AS}/token`;

function hasty(metadata = {}) {
  const { network, issuer } = world(metadata);
  return { network, issuer, provider: person(network, { timeoutMs: 200, maxBytes: 10_000 }) };
}

describe("A token response", () => {
  test.for([
    { access_token: undefined },
    { access_token: "" },
    { access_token: 7 },
    { access_token: "two words" },
    { access_token: "line\r\nx-injected: 1" },
    { access_token: "ümlaut" },
    { token_type: undefined },
    { token_type: "mac" },
    { token_type: "DPoP" },
    { expires_in: -1 },
    { expires_in: "soon" },
    { expires_in: {} },
  ])("with %o is refused", async (extra) => {
    const { network, issuer, provider } = hasty();
    issuer.extra = extra;
    await expect(send(network, provider)).rejects.toMatchObject({ code: "invalid_response" });
  });

  test.for([
    { token_type: "bearer" },
    { token_type: "BEARER" },
    { expires_in: "3600" },
    { expires_in: 0 },
    { expires_in: null },
    { refresh_token: "" },
    { refresh_token: 7 },
    { scope: 7 },
  ])("with %o is taken", async (extra) => {
    const { network, issuer, provider } = hasty();
    issuer.extra = extra;
    expect(await send(network, provider)).toBe(200);
    expect(await send(network, provider)).toBe(200);
    expect(network.to(TOKEN)).toHaveLength(1);
  });
});

/** As servers of a certain age write: in Latin-1, whatever they say. */
function latin1(json: string, status: number): Response {
  const bytes = Uint8Array.from(json, (character) => character.charCodeAt(0));
  return new Response(bytes, { status, headers: { "content-type": "application/json" } });
}

describe("A token endpoint that does not write UTF-8", () => {
  test("is understood when it refuses", async () => {
    const { network, provider } = hasty();
    network.on(TOKEN, () => latin1('{"error":"invalid_grant","error_description":"Refus\u00e9"}', 400));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "unauthorized" });
    expect(network.to(TOKEN)).toHaveLength(1);
  });

  test("is understood when it issues tokens", async () => {
    const { network, provider } = hasty();
    const token = '{"access_token":"issued","token_type":"Bearer","name":"J\u00f6rg"}';
    network.on(TOKEN, () => latin1(token, 200));
    network.on(
      SERVER,
      ({ headers }) => new Response(null, { status: headers.get("authorization") === null ? 401 : 200 }),
    );
    expect(await send(network, provider)).toBe(200);
    expect(network.to(TOKEN)).toHaveLength(1);
  });
});

describe("A hostile token endpoint", () => {
  test.for([302, 307, 308])("that redirects with %s, even within its origin, gets nothing sent on", async (status) => {
    const { network, provider } = hasty();
    network.on(TOKEN, () => new Response(null, { status, headers: { location: `${AS}/token2` } }));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "redirect_refused" });
    expect(network.log).not.toContain(`POST ${AS}/token2`);
  });

  test("that never answers is given up", async () => {
    const { network, provider } = hasty();
    network.on(TOKEN, () => new Promise<Response>(() => undefined));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "timeout" });
  });

  test("that sends without end is given up", async () => {
    const { network, provider } = hasty();
    network.on(TOKEN, () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(5000)) })));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "too_large" });
  });

  test("on another origin than the authorization endpoint gets no code", async () => {
    const { network, provider } = hasty({
      token_endpoint: "https://evil.test/token",
      authorization_response_iss_parameter_supported: undefined,
    });
    await expect(send(network, provider)).rejects.toMatchObject({ code: "issuer_mismatch" });
    expect(network.to(`${AS}/authorize`)).toEqual([]);
    expect(network.to("https://evil.test/token")).toEqual([]);
  });

  test.for([
    [new Response("<h1>Oops</h1>", { status: 500 }), /HTTP 500/],
    [Response.json({ error: 'bad"code\n' }, { status: 400 }), /HTTP 400/],
    [Response.json({ error: { code: 1 } }, { status: 400 }), /HTTP 400/],
    [Response.json([], { status: 200 }), /HTTP 200/],
  ] as const)("is quoted only as far as it makes sense (%#)", async ([response, message]) => {
    const { network, provider } = hasty();
    network.on(TOKEN, () => response.clone());
    const error: unknown = await send(network, provider).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "http_error", message: expect.stringMatching(message) });
    expect(String(error)).not.toMatch(/Oops|bad"code/);
  });
});

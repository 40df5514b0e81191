/** As whom a client comes to an authorization server, and to which one. */
import { describe, expect, test } from "vitest";
import { memoryOAuthStore } from "../../../src/client/oauth/store.ts";
import { fakeIssuer, FakeNetwork, fakeServer, send } from "./fake-network.ts";
import { AS, clock, HOUR_MS, obedient, person, world } from "./person.ts";

function clientAt(network: FakeNetwork): (string | null)[] {
  return network.to(`${AS}/authorize`).map(({ url }) => url.searchParams.get("client_id"));
}

describe("Who the client is", () => {
  const registered = [{ issuer: AS, clientId: "known:client", clientSecret: "s%cret" }];
  const metadataUrl = "https://app.test/client.json";
  const dynamic = { client_name: "test" };
  test.for([
    { identity: { registered, metadataUrl, dynamic }, reads: true, want: "known:client" },
    { identity: { metadataUrl, dynamic }, reads: true, want: metadataUrl },
    { identity: { metadataUrl, dynamic }, reads: false, want: "client-1" },
  ])("is $want where the server reads documents: $reads", async ({ identity, reads, want }) => {
    const network = new FakeNetwork();
    fakeServer(network, fakeIssuer(network, AS, { client_id_metadata_document_supported: reads }));
    expect(await send(network, person(network, { client: identity }))).toBe(200);
    expect(clientAt(network)).toEqual([want]);
  });

  test("is an error when there is no way to be known", async () => {
    const { network } = world();
    await expect(send(network, person(network, { client: { metadataUrl } }))).rejects.toMatchObject({
      code: "unauthorized",
    });
    const elsewhere = [{ issuer: "https://other.test", clientId: "known" }];
    await expect(send(network, person(network, { client: { registered: elsewhere } }))).rejects.toMatchObject({
      code: "issuer_mismatch",
    });
    expect(network.to(`${AS}/authorize`)).toEqual([]);
  });

  test.for(["http://app.test/client.json", "https://app.test/", "https://app.test/client.json#x", "nonsense"])(
    "cannot be the document at %s",
    async (url) => {
      const network = new FakeNetwork();
      fakeServer(network, fakeIssuer(network, AS, { client_id_metadata_document_supported: true }));
      await expect(send(network, person(network, { client: { metadataUrl: url } }))).rejects.toMatchObject({
        name: "McpError",
      });
      expect(network.to(`${AS}/authorize`)).toEqual([]);
    },
  );

  test.for([
    { methods: ["client_secret_basic"], authorization: `Basic ${btoa("known%3Aclient:s%25cret")}`, secret: null },
    { methods: undefined, authorization: `Basic ${btoa("known%3Aclient:s%25cret")}`, secret: null },
    { methods: ["client_secret_post"], authorization: null, secret: "s%cret" },
    { methods: ["none"], authorization: null, secret: null },
  ])("is shown to the token endpoint as it wants: $methods", async ({ methods, authorization, secret }) => {
    const network = new FakeNetwork();
    fakeServer(network, fakeIssuer(network, AS, { token_endpoint_auth_methods_supported: methods }));
    expect(await send(network, person(network, { client: { registered } }))).toBe(200);
    const request = network.to(`${AS}/token`)[0];
    expect(request?.headers.get("authorization")).toBe(authorization);
    expect(request?.form.get("client_secret")).toBe(secret);
    expect(request?.form.get("client_id")).toBe(authorization === null ? "known:client" : null);
  });

  test("is registered once with an issuer, and again for another redirect URI", async () => {
    const { network } = world();
    const store = memoryOAuthStore();
    const one = person(network, { store });
    await send(network, one);
    await one.signOut();
    await send(network, person(network, { store }));
    expect(network.to(`${AS}/register`)).toHaveLength(1);
    await one.signOut();
    const grant = obedient(network, { dynamic }, "http://127.0.0.1:4000/callback");
    await send(network, person(network, { store, grant }));
    expect(network.to(`${AS}/register`)).toHaveLength(2);
  });

  test("remains the one that tokens were issued to when another server of the issuer has it registered anew", async () => {
    const { network, issuer, server } = world();
    issuer.extra = { refresh_token: "r" };
    const time = clock();
    const shared = { store: memoryOAuthStore(), now: time.now };
    const one = person(network, shared);
    await send(network, one);
    const other = "https://mcp.test/other";
    server.metadata = { resource: "https://mcp.test" };
    const grant = obedient(network, { dynamic }, "http://127.0.0.1:4000/callback");
    await person(network, { ...shared, server: other, grant }).challenged(
      await network.fetch("https://mcp.test/api/mcp", { method: "POST" }),
      { url: other, method: "POST" },
    );
    expect(network.to(`${AS}/register`)).toHaveLength(2);
    time.ms += HOUR_MS;
    expect(await send(network, one)).toBe(200);
    const clients = network.to(`${AS}/token`).map(({ form }) => [form.get("grant_type"), form.get("client_id")]);
    expect(clients.at(-1)).toEqual(["refresh_token", clients[0]?.[1]]);
    expect(network.to(`${AS}/authorize`)).toHaveLength(2);
  });

  test("is registered again when its secret has expired", async () => {
    const { network } = world();
    const time = clock();
    const client = { client_id: "c", client_secret: "s", client_secret_expires_at: (time.ms + HOUR_MS) / 1000 };
    network.on(`${AS}/register`, () => Response.json(client, { status: 201 }));
    const provider = person(network, { now: time.now });
    for (const wait of [0, HOUR_MS - 1000, 1000]) {
      time.ms += wait;
      await send(network, provider);
      await provider.signOut();
    }
    expect(network.to(`${AS}/authorize`)).toHaveLength(3);
    expect(network.to(`${AS}/register`)).toHaveLength(2);
  });

  test("is surfaced when a registration is refused", async () => {
    const { network } = world();
    network.on(`${AS}/register`, () => Response.json({ error: "invalid_redirect_uri" }, { status: 400 }));
    await expect(send(network, person(network))).rejects.toThrow(/registration.*invalid_redirect_uri/);
  });
});

describe("An MCP server that changes to another authorization server", () => {
  test("gets tokens of the new one, which sees nothing of the old one", async () => {
    const { network, issuer, server } = world();
    issuer.extra = { refresh_token: "refresh-token-of-the-first" };
    const provider = person(network);
    await send(network, provider);
    const other = fakeIssuer(network, "https://other.test");
    server.issuers = [other];
    expect(await send(network, provider)).toBe(200);
    const seen = network.seen.filter(({ url }) => url.origin === "https://other.test");
    expect(seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      "GET /.well-known/oauth-authorization-server",
      "POST /register",
      "GET /authorize",
      "POST /token",
    ]);
    expect(JSON.stringify(seen.map(({ body, url }) => body + url.href))).not.toContain("of-the-first");
    expect(network.to(`${AS}/token`)).toHaveLength(1);
  });

  test("keeps the one that issued the tokens for as long as it is among those it trusts", async () => {
    const { network, issuer, server } = world();
    const provider = person(network);
    await send(network, provider);
    server.issuers = [fakeIssuer(network, "https://other.test"), issuer];
    issuer.tokens.clear();
    expect(await send(network, provider)).toBe(200);
    expect(network.to("https://other.test/authorize")).toEqual([]);
    expect(network.to(`${AS}/authorize`)).toHaveLength(2);
  });

  test("is refused by a client that was registered with the old one", async () => {
    const { network, server } = world();
    const client = { registered: [{ issuer: AS, clientId: "known", clientSecret: "secret" }] };
    const provider = person(network, { client });
    await send(network, provider);
    server.issuers = [fakeIssuer(network, "https://other.test")];
    await expect(send(network, provider)).rejects.toMatchObject({ code: "issuer_mismatch" });
    expect(network.seen.filter(({ url }) => url.origin === "https://other.test")).toEqual([]);
  });
});

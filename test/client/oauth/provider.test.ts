/** A provider between a client and its servers: signing in, refreshing, and what it refuses. */
import { describe, expect, test } from "vitest";
import { authorizationCode } from "../../../src/client/oauth/authorization-code.ts";
import { redirect } from "../../../src/client/oauth/browser.ts";
import { interactionBy } from "../../../src/client/oauth/interaction.ts";
import type { OAuthProvider } from "../../../src/client/oauth/oauth-options.ts";
import { memoryOAuthStore } from "../../../src/client/oauth/store.ts";
import { send, SERVER } from "./fake-network.ts";
import { AS, clock, HOUR_MS, person, REDIRECT_URI, world } from "./person.ts";

describe("A client that is challenged", () => {
  test("finds the authorization server, registers, signs in, and sends its request again", async () => {
    const { network } = world();
    expect(await send(network, person(network))).toBe(200);
    expect(network.log).toEqual([
      `POST ${SERVER}`,
      "GET https://mcp.test/.well-known/oauth-protected-resource/api/mcp",
      `GET ${AS}/.well-known/oauth-authorization-server`,
      `POST ${AS}/register`,
      `GET ${AS}/authorize`,
      `POST ${AS}/token`,
      `POST ${SERVER}`,
    ]);
    expect(JSON.parse(network.to(`${AS}/register`)[0]?.body ?? "")).toEqual({
      client_name: "test",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
    });
  });

  test("names the resource as published when it asks for a code, a token and a refresh", async () => {
    const { network, issuer, server } = world();
    server.metadata = { resource: "https://MCP.test/api" };
    issuer.extra = { refresh_token: "r", expires_in: 60 };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    time.ms += HOUR_MS;
    await send(network, provider);
    expect(network.to(`${AS}/authorize`)[0]?.url.searchParams.get("resource")).toBe("https://MCP.test/api");
    const resources = network.to(`${AS}/token`).map(({ form }) => [form.get("grant_type"), form.get("resource")]);
    expect(resources).toEqual([
      ["authorization_code", "https://MCP.test/api"],
      ["refresh_token", "https://MCP.test/api"],
    ]);
  });

  test("signs in once for all the requests that wait", async () => {
    const { network } = world();
    const provider = person(network);
    const statuses = await Promise.all(Array.from({ length: 10 }, () => send(network, provider)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
    expect(network.to(`${AS}/token`)).toHaveLength(1);
  });

  test("renews nothing for a request whose token was renewed meanwhile, described anew as it may be", async () => {
    const { network, issuer } = world();
    const provider = person(network);
    const first = await describeRequest();
    const late = await describeRequest();
    expect(await provider.challenged(await refusal(), first())).toBe(true);
    expect(await provider.challenged(await refusal(), late())).toBe(true);
    expect(issuer.tokens.size).toBe(2); // one, and what was asked for
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);

    async function describeRequest() {
      const { signal } = new AbortController();
      const describe = () => ({ url: SERVER, method: "POST", signal });
      await provider.headers(describe());
      return describe;
    }
    function refusal(): Promise<Response> {
      return network.fetch(SERVER, { method: "POST" });
    }
  });

  test("sends nothing to another origin, be it one that challenges", async () => {
    const { network } = world();
    const provider = person(network);
    await send(network, provider);
    expect(await provider.headers({ url: "https://evil.test/mcp", method: "POST" })).toEqual({});
    expect(await provider.headers({ url: "http://mcp.test/api/mcp", method: "POST" })).toEqual({});
    expect(await provider.headers({ url: "https://mcp.test:8443/api/mcp", method: "POST" })).toEqual({});
  });

  test("gives up when the server refuses a token that was just issued for it", async () => {
    const { network, issuer } = world();
    issuer.extra = { access_token: "unknown" };
    await expect(send(network, person(network))).rejects.toMatchObject({ code: "unauthorized" });
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
  });

  test("says so when the server does not tell who issues its tokens, unless it was told", async () => {
    const { network } = world();
    network.on(
      "https://mcp.test/.well-known/oauth-protected-resource/api/mcp",
      () => new Response("", { status: 404 }),
    );
    await expect(send(network, person(network))).rejects.toMatchObject({ code: "discovery_failed" });
    expect(await send(network, person(network, { issuer: AS }))).toBe(200);
    expect(network.to(`${AS}/authorize`)[0]?.url.searchParams.get("resource")).toBe(SERVER);
  });

  test("is told of a 403 that no other scope would help", async () => {
    const { network } = world();
    network.on(SERVER, () => new Response(null, { status: 403 }));
    expect(await send(network, person(network))).toBe(403);
    expect(network.seen).toHaveLength(1);
  });

  test("is not made for servers whose tokens would cross the Internet in clear", () => {
    const { network } = world();
    expect(() => person(network, { server: "http://mcp.test/mcp" })).toThrow(
      expect.objectContaining({ code: "insecure_url" }),
    );
  });
});

describe("A caller that gives up", () => {
  test("leaves the sign-in to the others who wait for it", async () => {
    const { network, issuer } = world();
    const gate = Promise.withResolvers<void>();
    network.on(`${AS}/register`, async () => {
      await gate.promise;
      return Response.json({ client_id: issuer.issuer }, { status: 201 });
    });
    const provider = person(network);
    const stop = new AbortController();
    const [leaving, staying] = [send(network, provider, { signal: stop.signal }), send(network, provider)];
    await expect.poll(() => network.to(`${AS}/register`).length).toBe(1);
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    gate.resolve();
    expect(await staying).toBe(200);
  });

  test("before it begins starts nothing that goes on", async () => {
    const { network } = world();
    const provider = person(network);
    await expect(send(network, provider, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    expect(network.to(`${AS}/authorize`)).toEqual([]);
  });

  test("ends the sign-in that nobody else waits for, and the next one starts anew", async () => {
    const { network } = world();
    const asked: AbortSignal[] = [];
    const interaction = interactionBy(REDIRECT_URI, (url, signal) => {
      asked.push(signal);
      if (asked.length === 1) return new Promise<string>(() => undefined);
      return network.fetch(url).then((response) => response.headers.get("location") ?? "");
    });
    const grant = authorizationCode({ interaction, client: { dynamic: {} } });
    const provider = person(network, { grant });
    const stop = new AbortController();
    const leaving = send(network, provider, { signal: stop.signal });
    await expect.poll(() => asked.length).toBe(1);
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    expect(asked[0]?.aborted).toBe(true);
    expect(await send(network, provider)).toBe(200);
  });
});

describe("A token that expires", () => {
  test("is refreshed once, before it is used, for all the requests of a moment", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "refresh-1" };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    const principal = provider.principal?.();
    time.ms += HOUR_MS;
    issuer.extra = { refresh_token: "refresh-2" };
    await Promise.all(Array.from({ length: 10 }, () => send(network, provider)));
    time.ms += HOUR_MS;
    issuer.extra = {};
    await send(network, provider);
    time.ms += HOUR_MS;
    await send(network, provider);
    const refreshes = network.to(`${AS}/token`).slice(1);
    // Rotated, then kept when the server sends no other.
    expect(refreshes.map(({ form }) => form.get("refresh_token"))).toEqual(["refresh-1", "refresh-2", "refresh-2"]);
    expect(network.to(SERVER).filter(({ headers }) => !headers.has("authorization"))).toHaveLength(1);
    expect(principal).toBeDefined();
    expect(provider.principal?.()).toBe(principal);
  });

  test("is not used in its last half minute, nor a short-lived one in its last tenth", async () => {
    for (const [seconds, marginMs] of [
      [3600, 30_000],
      [10, 1000],
    ] as const) {
      const { network, issuer } = world();
      issuer.extra = { refresh_token: "r", expires_in: seconds };
      const time = clock();
      const provider = person(network, { now: time.now });
      await send(network, provider);
      time.ms += seconds * 1000 - marginMs - 1;
      await send(network, provider);
      expect(network.to(`${AS}/token`)).toHaveLength(1);
      time.ms += 1;
      await send(network, provider);
      expect(network.to(`${AS}/token`)).toHaveLength(2);
    }
  });

  test("is refreshed when the server knows of its end first", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "r" };
    const provider = person(network);
    await send(network, provider);
    issuer.tokens.clear();
    expect(await send(network, provider)).toBe(200);
    expect(network.to(`${AS}/token`).map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  });

  test("has somebody sign in again when the refresh token is worth nothing, which is not tried again", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "r" };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    const before = provider.principal?.();
    const grants: string[] = [];
    network.on(`${AS}/token`, ({ form }) => {
      grants.push(form.get("grant_type") ?? "");
      if (grants.at(-1) === "refresh_token") return Response.json({ error: "invalid_grant" }, { status: 400 });
      issuer.tokens.set("again", "");
      return Response.json({ access_token: "again", token_type: "bearer" });
    });
    time.ms += HOUR_MS;
    expect(await send(network, provider)).toBe(200);
    expect(grants).toEqual(["refresh_token", "authorization_code"]);
    expect(provider.principal?.()).not.toBe(before);
  });

  test.for([
    { how: "does not answer", answer: () => Promise.reject(new TypeError("network")), code: "connection_failed" },
    { how: "is busy", answer: () => new Response("", { status: 503 }), code: "http_error" },
    { how: "is broken", answer: () => Response.json({ error: "server_error" }, { status: 400 }), code: "unauthorized" },
  ])("is kept when the token endpoint $how", async ({ answer, code }) => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "r" };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    time.ms += HOUR_MS;
    const tries: (string | null)[] = [];
    network.on(`${AS}/token`, ({ form }) => {
      tries.push(form.get("refresh_token"));
      if (tries.length === 1) return answer();
      issuer.tokens.set("new", "");
      return Response.json({ access_token: "new", token_type: "Bearer" });
    });
    await expect(send(network, provider)).rejects.toMatchObject({ code });
    expect(await send(network, provider)).toBe(200);
    expect(tries).toEqual(["r", "r"]);
  });

  test("is kept when the authorization server is out of reach", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "r" };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    time.ms += HOUR_MS;
    const answer = { ...issuer.metadata };
    network.on(`${AS}/.well-known/oauth-authorization-server`, () => Promise.reject(new TypeError("network")));
    await expect(send(network, provider)).rejects.toMatchObject({ code: "discovery_failed" });
    network.on(`${AS}/.well-known/oauth-authorization-server`, () => Response.json(answer));
    expect(await send(network, provider)).toBe(200);
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
  });
});

describe("Two tabs", () => {
  test("with a store between them refresh once", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "r" };
    const time = clock();
    const shared = { store: memoryOAuthStore(), now: time.now };
    const tabs = [person(network, shared), person(network, shared)];
    for (const tab of tabs) expect(await send(network, tab)).toBe(200);
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
    time.ms += HOUR_MS;
    expect(await Promise.all(tabs.map((tab) => send(network, tab)))).toEqual([200, 200]);
    issuer.tokens.clear();
    expect(await Promise.all(tabs.map((tab) => send(network, tab)))).toEqual([200, 200]);
    expect(network.to(`${AS}/token`)).toHaveLength(3);
    expect(tabs[0]?.principal?.()).toBe(tabs[1]?.principal?.());
  });

  test("do not wait for each other's sign-in, which may never end", async () => {
    const { network } = world();
    const store = memoryOAuthStore();
    const interaction = interactionBy(REDIRECT_URI, () => new Promise<string>(() => undefined));
    const stuck = person(network, { store, grant: authorizationCode({ interaction, client: { dynamic: {} } }) });
    void send(network, stuck); // for ever
    await expect.poll(() => network.to(`${AS}/register`).length).toBe(1);
    expect(await send(network, person(network, { store }))).toBe(200);
  });

  test("learn of each other's tokens when their own are refused", async () => {
    const { network, issuer } = world();
    const store = memoryOAuthStore();
    const [one, two] = [person(network, { store }), person(network, { store })];
    await send(network, one);
    await send(network, two);
    issuer.tokens.clear();
    await send(network, one);
    expect(await send(network, two)).toBe(200);
    expect(network.to(`${AS}/authorize`)).toHaveLength(2);
  });
});

describe("A sign-in that leaves the page", () => {
  const REDIRECT = "https://app.test/callback";

  function pages() {
    const { network } = world();
    const store = memoryOAuthStore();
    const left = Promise.withResolvers<string>();
    const open = (now?: () => number): OAuthProvider => {
      const interaction = redirect({ redirectUri: REDIRECT, leave: left.resolve });
      const grant = authorizationCode({ interaction, client: { dynamic: {} } });
      return person(network, { store, grant, ...(now === undefined ? {} : { now }) });
    };
    const leave = async (): Promise<string> => {
      void send(network, open()); // never returns: the page is gone
      const response = await network.fetch(await left.promise);
      return response.headers.get("location") ?? "";
    };
    return { network, store, open, leave };
  }

  test("goes on in the next page, once", async () => {
    const { network, open, leave } = pages();
    const callbackUrl = await leave();
    const provider = open();
    expect(await provider.resume(callbackUrl)).toBe(true);
    expect(await send(network, provider)).toBe(200);
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
    expect(JSON.parse(network.to(`${AS}/register`)[0]?.body ?? "")).toMatchObject({ application_type: "web" });
    expect(await provider.resume(callbackUrl)).toBe(false);
  });

  test("is not taken up with a response that somebody made up", async () => {
    const { network, open, leave } = pages();
    const callbackUrl = new URL(await leave());
    expect(await open().resume("https://app.test/callback?code=x&state=y")).toBe(false);
    expect(await open().resume("https://app.test/")).toBe(false);
    callbackUrl.searchParams.set("iss", "https://evil.test");
    await expect(open().resume(callbackUrl.href)).rejects.toMatchObject({ code: "issuer_mismatch" });
    expect(network.to(`${AS}/token`)).toEqual([]);
  });

  test("to another server is left to that server's provider", async () => {
    const { network, open, leave, store } = pages();
    const callbackUrl = await leave();
    expect(await person(network, { store, server: "https://mcp.test/other" }).resume(callbackUrl)).toBe(false);
    expect(await open().resume(callbackUrl)).toBe(true);
  });

  test("is not taken up hours later", async () => {
    const { open, leave } = pages();
    const callbackUrl = await leave();
    await expect(open(() => Date.now() + HOUR_MS).resume(callbackUrl)).rejects.toMatchObject({
      code: "state_mismatch",
    });
  });
});

describe("Signing out", () => {
  test("forgets the tokens", async () => {
    const { network } = world();
    const store = memoryOAuthStore();
    const provider = person(network, { store });
    await send(network, provider);
    await provider.signOut();
    expect(provider.principal?.()).toBeUndefined();
    expect(await provider.headers({ url: SERVER, method: "POST" })).toEqual({});
    expect(await person(network, { store }).headers({ url: SERVER, method: "POST" })).toEqual({});
  });
});

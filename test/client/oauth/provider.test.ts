/** A provider between a client and its servers: signing in, refreshing, and what it refuses. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { authorizationCode } from "../../../src/client/oauth/authorization-code.ts";
import { popup, redirect } from "../../../src/client/oauth/browser.ts";
import type { Grant } from "../../../src/client/oauth/grant.ts";
import { interactionBy, type Visit } from "../../../src/client/oauth/interaction.ts";
import type { OAuthProvider } from "../../../src/client/oauth/oauth-options.ts";
import { memoryOAuthStore, type OAuthStore } from "../../../src/client/oauth/store.ts";
import type { JsonObject } from "../../../src/protocol/types.ts";
import { type FakeNetwork, send, SERVER } from "./fake-network.ts";
import { AS, clock, HOUR_MS, obedient, person, REDIRECT_URI, world } from "./person.ts";

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

  test("and with it the last one who waited has no window opened any more", async () => {
    const { network } = world();
    const memory = memoryOAuthStore();
    const [kept, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store: OAuthStore = {
      ...memory,
      async set(key, value) {
        if (key.startsWith("flow ")) kept.resolve();
        if (key.startsWith("flow ")) await gate.promise;
        await memory.set(key, value);
      },
      async delete(key) {
        await memory.delete(key);
        if (key.startsWith("flow ")) deleted.resolve();
      },
    };
    const deleted = Promise.withResolvers<void>();
    const provider = person(network, { store });
    const stop = new AbortController();
    const leaving = send(network, provider, { signal: stop.signal });
    await kept.promise;
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    gate.resolve();
    await deleted.promise;
    expect(network.to(`${AS}/authorize`)).toEqual([]);
  });

  test("does not keep others waiting for an interaction that does not open, and one that opens late is closed", async () => {
    const { network } = world();
    const opening = Promise.withResolvers<Visit>();
    let opened = 0;
    const visit: Visit = {
      redirectUri: REDIRECT_URI,
      authorize: async (url) => (await network.fetch(url)).headers.get("location") ?? "",
    };
    const interaction = { open: () => (++opened === 1 ? opening.promise : Promise.resolve(visit)) };
    const provider = person(network, { grant: authorizationCode({ interaction, client: { dynamic: {} } }) });
    const stop = new AbortController();
    const leaving = send(network, provider, { signal: stop.signal });
    await expect.poll(() => opened).toBe(1);
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    expect(await send(network, provider)).toBe(200);
    const closed = new Promise<void>((resolve) => opening.resolve({ ...visit, close: resolve }));
    await closed;
  });

  test("does not take the refresh token along that is being traded in", async () => {
    const { network, issuer } = world();
    issuer.extra = { refresh_token: "refresh-1" };
    const time = clock();
    const provider = person(network, { now: time.now });
    await send(network, provider);
    time.ms += HOUR_MS;
    const { asked, answer } = slowTokens(network, { access_token: "new", refresh_token: "refresh-2" });
    issuer.tokens.set("new", "");
    const stop = new AbortController();
    const leaving = send(network, provider, { signal: stop.signal });
    await asked;
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    const next = send(network, provider);
    answer();
    expect(await next).toBe(200);
    expect(network.to(`${AS}/token`)).toHaveLength(2);
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
  });

  test("does not waste the code that is being traded in", async () => {
    const { network, issuer } = world();
    const store = memoryOAuthStore();
    const provider = person(network, { store });
    const { asked, answer } = slowTokens(network, { access_token: "new" });
    issuer.tokens.set("new", "");
    const stop = new AbortController();
    const leaving = send(network, provider, { signal: stop.signal });
    await asked;
    stop.abort();
    await expect(leaving).rejects.toMatchObject({ code: "aborted" });
    answer();
    await expect.poll(() => store.get(`tokens ${SERVER}`)).toMatchObject({ accessToken: "new" });
    expect(await send(network, provider)).toBe(200);
    expect(network.to(`${AS}/authorize`)).toHaveLength(1);
  });
});

describe("A sign-in that cannot begin", () => {
  const cause = new Error("no browser");
  const fail = (): never => {
    throw cause;
  };
  test.for([
    { when: "before anything is registered", interaction: { open: fail } },
    { when: "when the URL is to be shown", interaction: interactionBy(REDIRECT_URI, fail) },
    { when: "a little later", interaction: interactionBy(REDIRECT_URI, () => Promise.reject(cause)) },
  ])("$when says why", async ({ interaction }) => {
    const { network } = world();
    const grant = authorizationCode({ interaction, client: { dynamic: {} } });
    await expect(send(network, person(network, { grant }))).rejects.toMatchObject({
      name: "McpError",
      code: "unauthorized",
      cause,
    });
  });
});

describe("A sign-in that nobody finishes", () => {
  test("ends, and the next one begins", async () => {
    const { network } = world();
    let asked = 0;
    const interaction = interactionBy(REDIRECT_URI, async (url) =>
      ++asked === 1 ? new Promise<string>(() => undefined) : ((await network.fetch(url)).headers.get("location") ?? ""),
    );
    const grant = authorizationCode({ interaction, client: { dynamic: {} } });
    const provider = person(network, { grant, signInTimeoutMs: 200 });
    await expect(send(network, provider)).rejects.toMatchObject({ code: "timeout" });
    expect(await send(network, provider)).toBe(200);
  });

  test.for([0, -1, 0.5, Infinity, Number.NaN, 2 ** 31])("cannot be given %s ms, nor can a request", (ms) => {
    const { network } = world();
    expect(() => person(network, { signInTimeoutMs: ms })).toThrow(TypeError);
    expect(() => person(network, { timeoutMs: ms })).toThrow(TypeError);
  });
});

describe("A store that fails", () => {
  test("is reported, and asked again by the next request", async () => {
    const { network } = world();
    const memory = memoryOAuthStore();
    const cause = new TypeError("busy");
    let failures = 1;
    const get = (key: string): Promise<unknown> => (failures-- > 0 ? Promise.reject(cause) : memory.get(key));
    const provider = person(network, { store: { ...memory, get } });
    await expect(send(network, provider)).rejects.toMatchObject({ name: "McpError", code: "store_failed", cause });
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
    const leave = async (signal?: AbortSignal): Promise<string> => {
      // Never returns, or as the page does away with it: the page is gone.
      send(network, open(), signal === undefined ? {} : { signal }).catch(() => undefined);
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

  test("is taken up once by whoever asks at the same time", async () => {
    const { network, open, leave } = pages();
    const callbackUrl = await leave();
    const [one, other] = [open(), open()];
    const outcomes = await Promise.all([one, one, other].map((provider) => provider.resume(callbackUrl)));
    expect(outcomes).toEqual([true, true, false]);
    expect(network.to(`${AS}/token`)).toHaveLength(1);
  });

  test("is not given up by what the page does when it ends", async () => {
    const { network, open, leave } = pages();
    const stop = new AbortController();
    const callbackUrl = await leave(stop.signal);
    stop.abort();
    const provider = open();
    expect(await provider.resume(callbackUrl)).toBe(true);
    expect(await send(network, provider)).toBe(200);
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

describe("A sign-in in a window", () => {
  /** A channel as browsers have it, between the pages of this test. */
  class Channel extends EventTarget {
    static readonly open = new Set<Channel>();
    constructor() {
      super();
      Channel.open.add(this);
    }
    close(): void {
      Channel.open.delete(this);
    }
  }

  beforeEach(() => {
    Channel.open.clear();
    vi.stubGlobal("BroadcastChannel", Channel);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.for([
    { how: "was given up", isOpen: true, code: "aborted" },
    { how: "was blocked", isOpen: false, code: "unauthorized" },
  ])("that $how listens no more", async ({ isOpen, code }) => {
    const interaction = popup({ redirectUri: "https://app.test/callback", open: () => isOpen });
    const stop = new AbortController();
    const visit = await interaction.open(stop.signal);
    if (code === "aborted") stop.abort();
    const visiting = visit.authorize(new URL(`${AS}/authorize?state=s`), stop.signal);
    await expect(visiting).rejects.toMatchObject({ code });
    await expect.poll(() => Channel.open.size).toBe(0);
  });
});

describe("Whose requests these are", () => {
  test("is known once the provider is ready, before the first request", async () => {
    const { network } = world();
    const store = memoryOAuthStore();
    const before = person(network, { store });
    await send(network, before);
    const after = person(network, { store });
    expect(after.principal?.()).toBeUndefined();
    await after.ready?.();
    expect(after.principal?.()).toBe(before.principal?.());
    expect(after.principal?.()).toBeDefined();
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

  test.for(["is being refreshed", "is being signed in for", "is being refreshed by another tab"])(
    "is not undone by a token that %s",
    async (how) => {
      const { network, issuer } = world();
      issuer.extra = { refresh_token: "r" };
      const time = clock();
      const shared = { store: memoryOAuthStore(), now: time.now };
      const provider = person(network, shared);
      if (how !== "is being signed in for") await send(network, provider);
      time.ms += HOUR_MS;
      const { asked, answer } = slowTokens(network, { access_token: "new" });
      issuer.tokens.set("new", "");
      const isOther = how.endsWith("tab");
      const waiting = send(network, isOther ? person(network, shared) : provider);
      const outcome = waiting.catch((error: unknown) => error);
      await asked;
      const signedOut = provider.signOut();
      expect(provider.principal?.()).toBeUndefined();
      answer();
      await signedOut;
      if (!isOther) expect(await outcome).toMatchObject({ code: "aborted" });
      await outcome;
      await new Promise((resolve) => setTimeout(resolve)); // what was under way goes on a little behind its callers
      expect(await shared.store.get(`tokens ${SERVER}`)).toBeUndefined();
      expect(provider.principal?.()).toBeUndefined();
    },
  );
});

test("Signing out does not wait for a refresh that does not heed that it was stopped", async () => {
  const { network, issuer } = world();
  issuer.extra = { refresh_token: "r" };
  const time = clock();
  const store = memoryOAuthStore();
  const stuck = Promise.withResolvers<void>();
  const grant: Grant = {
    ...obedient(network, { dynamic: {} }),
    refresher() {
      stuck.resolve();
      return new Promise(() => undefined);
    },
  };
  const provider = person(network, { store, grant, now: time.now });
  await send(network, provider);
  time.ms += HOUR_MS;
  const outcome = expect(send(network, provider)).rejects.toMatchObject({ code: "aborted" });
  await stuck.promise;
  await provider.signOut();
  await outcome;
  expect(await store.get(`tokens ${SERVER}`)).toBeUndefined();
});

/** A token endpoint whose first answer waits. */
function slowTokens(network: FakeNetwork, tokens: JsonObject) {
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  network.on(`${AS}/token`, async () => {
    asked.resolve();
    await gate.promise;
    return Response.json({ token_type: "Bearer", ...tokens });
  });
  return { asked: asked.promise, answer: gate.resolve };
}

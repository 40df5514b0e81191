/** Which scopes are asked for, and how often. */
import { describe, expect, test } from "vitest";
import { send, SERVER } from "./fake-network.ts";
import { AS, person, scopesAsked, world } from "./person.ts";

describe("Scopes", () => {
  test("are those of the challenge, then those that the resource names, else none", async () => {
    const { network, server } = world();
    await send(network, person(network));
    server.metadata = { scopes_supported: ["x", "y"] };
    await send(network, person(network));
    server.scope = "a";
    await send(network, person(network));
    expect(scopesAsked(network)).toEqual([null, "x y", "a"]);
  });

  test("add up when the server wants others, by signing in and not by refreshing", async () => {
    const { network, issuer, server } = world();
    issuer.extra = { refresh_token: "r" };
    server.scope = "a";
    const provider = person(network);
    await send(network, provider);
    server.scope = "b";
    const statuses = await Promise.all([send(network, provider), send(network, provider)]);
    expect(statuses).toEqual([200, 200]);
    expect(scopesAsked(network)).toEqual(["a", "a b"]);
    expect(network.to(`${AS}/token`).map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "authorization_code",
    ]);
  });

  test("that are given and wanted again are not asked for without end", async () => {
    const { network, server, issuer } = world();
    server.scope = "a";
    network.on(`${AS}/token`, () => {
      const token = `poor-${network.seen.length}`;
      issuer.tokens.set(token, "nothing");
      return Response.json({ access_token: token, token_type: "Bearer", scope: "nothing" });
    });
    const provider = person(network);
    // One may have declined by mistake; the second refusal ends it.
    expect(await send(network, provider)).toBe(403);
    await expect(send(network, provider)).rejects.toMatchObject({ code: "forbidden" });
    expect(scopesAsked(network)).toHaveLength(2);
  });

  test("that are new with each refusal are not asked for without end", async () => {
    const { network, server } = world();
    server.scope = "s0";
    const provider = person(network);
    network.on(SERVER, ({ headers }) => {
      const status = headers.has("authorization") ? 403 : 401;
      const challenge = `Bearer error="insufficient_scope", scope="s${network.seen.length}"`;
      return new Response(null, { status, headers: { "www-authenticate": challenge } });
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => send(network, provider)));
    expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
    expect(scopesAsked(network).length).toBeLessThan(10);
  });

  test.for([
    { supported: ["a", "offline_access"], asked: "a offline_access" },
    { supported: ["a"], asked: "a" },
    { supported: undefined, asked: "a" },
  ])("hold offline_access only where the authorization server knows it: $supported", async ({ supported, asked }) => {
    const { network, server } = world({ scopes_supported: supported });
    server.metadata = { scopes_supported: ["a", "offline_access"] };
    await send(network, person(network));
    expect(scopesAsked(network)).toEqual([asked]);
  });
});

import { describe, expect, test } from "vitest";
import type { AllowedHosts, AllowedOrigins } from "../../src/core.ts";
import { type PostOptions, requestFor, send } from "../kit/post.ts";
import { serverWith } from "../kit/serve.ts";
import { rawRequest } from "./raw-request.ts";

interface Policy {
  allowedOrigins?: AllowedOrigins;
  allowedHosts?: AllowedHosts;
}

const handlerWith = (policy: Policy) => serverWith((server) => server.tool("echo", {}, () => "ok"), policy);

async function statusFrom(origin: string, url: string, policy: Policy = {}): Promise<number> {
  const options: PostOptions = { headers: { origin }, url };
  const response = await send(handlerWith(policy), requestFor("server/discover", {}, options));
  await response.text();
  return response.status;
}

function preflight(requested: string | null, origin = "https://app.test", url = "https://mcp.test/mcp"): Request {
  return rawRequest(null, {
    method: "OPTIONS",
    url,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": requested,
      "content-type": null,
      accept: "*/*",
      "mcp-protocol-version": null,
      "mcp-method": null,
      "mcp-name": null,
    },
  });
}

const HERE = "https://mcp.test/mcp";
const LOCAL = "http://127.0.0.1:8787/mcp";

describe("origins", () => {
  test.each<{ name: string; origin: string; url: string; policy?: Policy; status: number; because: string }>([
    {
      name: "the page beside the endpoint",
      origin: "https://mcp.test",
      url: HERE,
      status: 200,
      because: "it is of the same origin",
    },
    {
      name: "a page on a custom domain",
      origin: "https://notes.example",
      url: "https://notes.example/mcp",
      status: 200,
      because: "nothing has to be configured",
    },
    {
      name: "a page behind TLS termination",
      origin: "https://mcp.test",
      url: "http://mcp.test/mcp",
      status: 200,
      because: "the scheme here is the proxy's",
    },
    {
      name: "a page without TLS beside an endpoint with it",
      origin: "http://mcp.test",
      url: HERE,
      status: 403,
      because: "anybody on the way may have written it",
    },
    {
      name: "a local page beside a local endpoint",
      origin: "http://127.0.0.1:8787",
      url: LOCAL,
      status: 200,
      because: "it is of the same origin",
    },
    { name: "a stranger", origin: "https://app.test", url: HERE, status: 403, because: "nobody allowed it" },
    {
      name: "another port of the host",
      origin: "https://mcp.test:8443",
      url: HERE,
      status: 403,
      because: "a port makes another origin",
    },
    {
      name: "a sub-domain",
      origin: "https://evil.mcp.test",
      url: HERE,
      status: 403,
      because: "it may belong to somebody else",
    },
    {
      name: "a parent domain",
      origin: "https://test",
      url: HERE,
      status: 403,
      because: "it may belong to somebody else",
    },
    {
      name: "a frame without an origin",
      origin: "null",
      url: HERE,
      status: 403,
      because: "anybody can make such a frame",
    },
    {
      name: "a frame without an origin, where loopback may call",
      origin: "null",
      url: LOCAL,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "as above",
    },
    { name: "no URL at all", origin: "garbage", url: HERE, status: 403, because: "no browser sends it" },
    { name: "an empty origin", origin: "", url: HERE, status: 403, because: "no browser sends it" },
    {
      name: "an extension of the same name",
      origin: "chrome-extension://mcp.test",
      url: HERE,
      status: 403,
      because: "only pages of the web are of an origin here",
    },
    {
      name: "a listed page",
      origin: "https://app.test",
      url: HERE,
      policy: { allowedOrigins: ["https://app.test"] },
      status: 200,
      because: "it is listed",
    },
    {
      name: "a listed extension",
      origin: "chrome-extension://abc",
      url: HERE,
      policy: { allowedOrigins: ["chrome-extension://abc"] },
      status: 200,
      because: "it is listed",
    },
    {
      name: "a look-alike suffix",
      origin: "https://app.test.evil",
      url: HERE,
      policy: { allowedOrigins: ["https://app.test"] },
      status: 403,
      because: "origins are compared whole",
    },
    {
      name: "a look-alike prefix",
      origin: "https://evilapp.test",
      url: HERE,
      policy: { allowedOrigins: ["https://app.test"] },
      status: 403,
      because: "origins are compared whole",
    },
    {
      name: "a listed host over plain HTTP",
      origin: "http://app.test",
      url: HERE,
      policy: { allowedOrigins: ["https://app.test"] },
      status: 403,
      because: "the scheme is part of the origin",
    },
    {
      name: "the endpoint's own page beside a list",
      origin: "https://mcp.test",
      url: HERE,
      policy: { allowedOrigins: ["https://app.test"] },
      status: 200,
      because: "same-origin is never refused",
    },
    {
      name: "anybody",
      origin: "https://any.test",
      url: HERE,
      policy: { allowedOrigins: ["*"] },
      status: 200,
      because: "the list says everybody",
    },
    {
      name: "a local page",
      origin: "http://localhost:5173",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 200,
      because: "loopback covers every port",
    },
    {
      name: "a local page by address",
      origin: "http://127.0.0.1:1",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 200,
      because: "loopback covers every form",
    },
    {
      name: "a local page by IPv6 address",
      origin: "http://[::1]:5173",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 200,
      because: "loopback covers every form",
    },
    {
      name: "a host that begins like localhost",
      origin: "http://localhost.evil.test",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "host names are compared whole",
    },
    {
      name: "a host that begins like an address",
      origin: "http://127.0.0.1.evil.test",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "host names are compared whole",
    },
    {
      name: "a host that ends like localhost",
      origin: "http://evil-localhost",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "host names are compared whole",
    },
    {
      name: "an extension named localhost",
      origin: "chrome-extension://localhost",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "it is not served from this machine",
    },
    {
      name: "a local page, unless allowed",
      origin: "http://localhost:5173",
      url: LOCAL,
      status: 403,
      because: "another port is another origin",
    },
    {
      name: "the word in the list",
      origin: "loopback",
      url: HERE,
      policy: { allowedOrigins: ["loopback"] },
      status: 403,
      because: "it is no origin",
    },
    {
      name: "the star in the list",
      origin: "https://app.test",
      url: HERE,
      policy: { allowedOrigins: ["https://*.test"] },
      status: 403,
      because: "there are no patterns",
    },
  ])("$name ($origin): $status, because $because", async ({ origin, url, policy, status }) => {
    expect(await statusFrom(origin, url, policy)).toBe(status);
  });

  test("a caller that is no page has no Origin and is served without CORS headers", async () => {
    const response = await send(handlerWith({}), requestFor("server/discover"));
    expect(response.status).toBe(200);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
    await response.text();
  });

  test("a refused page is told nothing about who may call, and can read nothing of the answer", async () => {
    const handler = handlerWith({ allowedOrigins: ["https://app.test"] });
    const response = await send(
      handler,
      requestFor("server/discover", {}, { headers: { origin: "https://evil.test" } }),
    );
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(await response.text()).not.toContain("app.test");
  });

  test("the list may come from the environment", async () => {
    const handler = serverWith<{ ORIGINS: string }>((server) => server.tool("echo", {}, () => "ok"), {
      allowedOrigins: ({ ORIGINS }) => ORIGINS.split(","),
    });
    const request = requestFor("server/discover", {}, { headers: { origin: "https://b.test" } });
    const response = await handler.fetch(request, { ORIGINS: "https://a.test,https://b.test" });
    expect(response.status).toBe(200);
    await response.text();
  });
});

describe("answers to an allowed page", () => {
  test.each<[name: string, request: () => Request, status: number]>([
    ["a result", () => requestFor("server/discover", {}, { headers: { origin: "https://app.test" } }), 200],
    ["an unknown method", () => requestFor("no/such", {}, { headers: { origin: "https://app.test" } }), 404],
    [
      "a mismatch",
      () => requestFor("server/discover", {}, { headers: { origin: "https://app.test", "mcp-method": "x" } }),
      400,
    ],
    ["a wrong method", () => rawRequest(null, { method: "GET", headers: { origin: "https://app.test" } }), 405],
    [
      "a wrong type",
      () => rawRequest("{}", { headers: { origin: "https://app.test", "content-type": "text/plain" } }),
      415,
    ],
    [
      "a notification",
      () => rawRequest('{"jsonrpc":"2.0","method":"x"}', { headers: { origin: "https://app.test" } }),
      202,
    ],
    [
      "bytes that are no text",
      () => rawRequest(new Uint8Array([255]), { headers: { origin: "https://app.test" } }),
      400,
    ],
  ])("%s may be read, with the headers that a page needs", async (_, request, status) => {
    const response = await handlerWith({ allowedOrigins: ["https://app.test"] }).fetch(request());
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.test");
    expect(response.headers.get("access-control-expose-headers")).toBe("WWW-Authenticate, Retry-After");
    expect(response.headers.get("vary")).toContain("Origin");
    await response.text();
  });

  test("credentials are never allowed: a bearer token needs none", async () => {
    const handler = handlerWith({ allowedOrigins: ["*"] });
    for (const request of [
      preflight("authorization"),
      requestFor("server/discover", {}, { headers: { origin: "https://app.test" } }),
    ]) {
      const response = await handler.fetch(request);
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
      await response.text();
    }
  });
});

describe("preflights", () => {
  test("are answered before authentication, method and media types", async () => {
    let asked = 0;
    const handler = serverWith(() => undefined, {
      allowedOrigins: ["https://app.test"],
      authenticate: () => {
        asked += 1;
        return new Response(null, { status: 401 });
      },
    });
    const response = await handler.fetch(preflight("content-type"));
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(asked).toBe(0);
  });

  test.each<[requested: string | null, allowed: string | null]>([
    [
      "content-type,mcp-method,mcp-name,mcp-protocol-version",
      "content-type, mcp-method, mcp-name, mcp-protocol-version",
    ],
    ["authorization", "authorization"],
    ["traceparent, tracestate, baggage", "traceparent, tracestate, baggage"],
    ["mcp-param-region,mcp-param-a.b_c!", "mcp-param-region, mcp-param-a.b_c!"],
    ["Mcp-Param-Region", "mcp-param-region"],
    ["DPoP", "dpop"],
    ["mcp-method, x-forwarded-for, cookie", "mcp-method"],
    ["x-evil", null],
    ["mcp-param-", null],
    ["mcp-parameter", null],
    ["mcp-method-2", null],
    ["*", null],
    ["", null],
    [null, null],
  ])("that ask for %j are allowed %j", async (requested, allowed) => {
    const response = await handlerWith({ allowedOrigins: ["https://app.test"] }).fetch(preflight(requested));
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toBe(allowed);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.test");
    expect(response.headers.get("access-control-allow-methods")).toBe("POST");
    expect(response.headers.get("vary")).toContain("Access-Control-Request-Headers");
  });

  test("from the endpoint's own page are allowed without any list", async () => {
    const response = await handlerWith({}).fetch(preflight("content-type", "https://mcp.test"));
    expect(response.status).toBe(204);
  });

  test("from a stranger are refused", async () => {
    const response = await handlerWith({}).fetch(preflight("content-type"));
    expect(response.status).toBe(403);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });

  test("of another path find no endpoint", async () => {
    const response = await handlerWith({}).fetch(preflight(null, "https://mcp.test", "https://mcp.test/other"));
    expect(response.status).toBe(404);
  });

  test("OPTIONS without the headers of a preflight is a method like others", async () => {
    const response = await handlerWith({}).fetch(rawRequest(null, { method: "OPTIONS" }));
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });
});

describe("hosts", () => {
  test.each<{ name: string; url: string; allowedHosts: AllowedHosts; status: number }>([
    { name: "a local server by name", url: "http://localhost:8787/mcp", allowedHosts: "loopback", status: 200 },
    { name: "a local server by address", url: LOCAL, allowedHosts: "loopback", status: 200 },
    { name: "a local server by IPv6 address", url: "http://[::1]:8787/mcp", allowedHosts: "loopback", status: 200 },
    {
      name: "a local server under a stranger's name",
      url: "http://evil.test:8787/mcp",
      allowedHosts: "loopback",
      status: 403,
    },
    {
      name: "a name that begins like localhost",
      url: "http://localhost.evil.test/mcp",
      allowedHosts: "loopback",
      status: 403,
    },
    { name: "a listed name", url: "https://mcp.test/mcp", allowedHosts: ["mcp.test"], status: 200 },
    { name: "a listed name, on any port", url: "https://mcp.test:8443/mcp", allowedHosts: ["mcp.test"], status: 200 },
    { name: "a name that is not listed", url: "https://other.test/mcp", allowedHosts: ["mcp.test"], status: 403 },
    { name: "localhost, where names are listed", url: "http://localhost/mcp", allowedHosts: ["mcp.test"], status: 403 },
  ])("$name is answered with $status", async ({ url, allowedHosts, status }) => {
    const response = await send(handlerWith({ allowedHosts }), requestFor("server/discover", {}, { url }));
    expect(response.status).toBe(status);
    await response.text();
  });

  test("a page re-pointed at this machine is same-origin to itself, and refused all the same", async () => {
    const url = "http://evil.test:8787/mcp";
    expect(await statusFrom("http://evil.test:8787", url)).toBe(200);
    expect(await statusFrom("http://evil.test:8787", url, { allowedHosts: "loopback" })).toBe(403);
    const response = await handlerWith({ allowedHosts: "loopback" }).fetch(
      preflight(null, "http://evil.test:8787", url),
    );
    expect(response.status).toBe(403);
  });
});

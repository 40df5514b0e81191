/** Which documents are asked for, in which order, and what they are believed. */
import { describe, expect, test } from "vitest";
import { discoverAuthorizationServer, serverMetadataUrls } from "../../../src/client/oauth/authorization-server.ts";
import { coversServer, guardFor, secureUrl } from "../../../src/client/oauth/endpoint-url.ts";
import { type Discovery, discoverResource, resourceMetadataUrls } from "../../../src/client/oauth/resource-metadata.ts";
import { fakeIssuer, FakeNetwork } from "./fake-network.ts";

const SERVER = new URL("https://mcp.test/api/mcp");

function discovery(network: FakeNetwork, server: URL = SERVER): Discovery {
  const http = { fetch: network.fetch, timeoutMs: 200, maxBytes: 10_000 };
  return { http, guard: guardFor(server), signal: undefined };
}

describe("Resource metadata", () => {
  test.for([
    [
      "https://mcp.test/api/mcp",
      ["/.well-known/oauth-protected-resource/api/mcp", "/.well-known/oauth-protected-resource"],
    ],
    ["https://mcp.test/", ["/.well-known/oauth-protected-resource"]],
    ["https://mcp.test", ["/.well-known/oauth-protected-resource"]],
    [
      "https://mcp.test/mcp?x=1",
      ["/.well-known/oauth-protected-resource/mcp?x=1", "/.well-known/oauth-protected-resource"],
    ],
  ] as const)("of %s are looked for at the path, then at the root", ([server, paths]) => {
    expect(resourceMetadataUrls(new URL(server))).toEqual(paths.map((path) => `https://mcp.test${path}`));
  });

  test("are looked for where the challenge says, and nowhere else", async () => {
    const network = new FakeNetwork();
    expect(await discoverResource(discovery(network), SERVER, "https://mcp.test/custom.json")).toBeUndefined();
    expect(network.log).toEqual(["GET https://mcp.test/custom.json"]);
  });

  test("are looked for at the root when the path has none, or something else", async () => {
    const network = new FakeNetwork();
    const root = "https://mcp.test/.well-known/oauth-protected-resource";
    network.on(`${root}/api/mcp`, () => new Response("<!doctype html>"));
    network.on(root, () => Response.json({ resource: "https://mcp.test", authorization_servers: ["https://as.test"] }));
    const found = await discoverResource(discovery(network), SERVER, undefined);
    expect(found).toEqual({ resource: "https://mcp.test", issuers: ["https://as.test"], scopes: undefined });
  });

  test.for([
    ["https://mcp.test/api/mcp", true],
    ["https://MCP.test:443/api/mcp", true],
    ["https://mcp.test/api/mcp/", true],
    ["https://mcp.test/api", true],
    ["https://mcp.test/api/", true],
    ["https://mcp.test", true],
    ["https://mcp.test/", true],
    ["https://mcp.test/ap", false],
    ["https://mcp.test/api/mcp2", false],
    ["https://mcp.test/api/mcp#f", false],
    ["https://mcp.test/api/mcp?tenant=1", false],
    ["https://evil.test/api/mcp", false],
    ["http://mcp.test/api/mcp", false],
    ["https://mcp.test:8443/api/mcp", false],
    ["https://mcp.test@evil.test/api/mcp", false],
    ["https://evil.test/https://mcp.test/api/mcp", false],
  ] as const)("for the resource %s stand for https://mcp.test/api/mcp: %s", async ([resource, fits]) => {
    expect(coversServer(new URL(resource), SERVER)).toBe(fits);
    const network = new FakeNetwork().on("https://mcp.test/prm", () =>
      Response.json({ resource, authorization_servers: ["https://as.test"] }),
    );
    const outcome = discoverResource(discovery(network), SERVER, "https://mcp.test/prm");
    if (fits) expect(await outcome).toMatchObject({ resource });
    else await expect(outcome).rejects.toMatchObject({ code: "resource_mismatch" });
  });

  test("without an authorization server are refused", async () => {
    const network = new FakeNetwork().on("https://mcp.test/prm", () => Response.json({ resource: SERVER.href }));
    await expect(discoverResource(discovery(network), SERVER, "https://mcp.test/prm")).rejects.toMatchObject({
      code: "invalid_response",
    });
  });
});

describe("Authorization server metadata", () => {
  test.for([
    [
      "https://as.test/t1",
      [
        "/.well-known/oauth-authorization-server/t1",
        "/.well-known/openid-configuration/t1",
        "/t1/.well-known/openid-configuration",
      ],
    ],
    ["https://as.test", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
    ["https://as.test/", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  ] as const)("of %s are asked for in the order of the specification", ([issuer, paths]) => {
    expect(serverMetadataUrls(new URL(issuer))).toEqual(paths.map((path) => `https://as.test${path}`));
  });

  test("are found at the last of the places", async () => {
    const network = new FakeNetwork();
    const { metadata } = fakeIssuer(new FakeNetwork(), "https://as.test/t1");
    network.on("https://as.test/t1/.well-known/openid-configuration", () => Response.json(metadata));
    const server = await discoverAuthorizationServer(discovery(network), "https://as.test/t1");
    expect(server.tokenEndpoint.href).toBe("https://as.test/t1/token");
    expect(network.log).toEqual(serverMetadataUrls(new URL("https://as.test/t1")).map((url) => `GET ${url}`));
  });

  test.for([
    "https://as.test/t1/",
    "https://as.test",
    "https://AS.test/t1",
    "https://as.test:443/t1",
    "https://as.test/t%31",
    "https://evil.test/t1",
    undefined,
    ["https://as.test/t1"],
  ])("that name the issuer %s are those of another one than https://as.test/t1", async (issuer) => {
    const network = new FakeNetwork();
    fakeIssuer(network, "https://as.test/t1", { issuer });
    await expect(discoverAuthorizationServer(discovery(network), "https://as.test/t1")).rejects.toMatchObject({
      code: "issuer_mismatch",
    });
  });

  test.for([
    [{ token_endpoint: "http://as.test/token" }, "insecure_url"],
    [{ token_endpoint: undefined }, "invalid_response"],
    [{ token_endpoint: 7 }, "invalid_response"],
    [{ token_endpoint: "/token" }, "invalid_response"],
    [{ authorization_endpoint: "javascript:alert(1)" }, "insecure_url"],
    [{ authorization_endpoint: "file:///etc/passwd" }, "insecure_url"],
    [{ token_endpoint: "https://user:pw@as.test/token" }, "insecure_url"],
    [{ token_endpoint: "https://192.168.0.1/token" }, "insecure_url"],
    [{ token_endpoint: "http://localhost:9000/token" }, "insecure_url"],
  ] as const)("with %o are refused as %s", async ([metadata, code]) => {
    const network = new FakeNetwork();
    fakeIssuer(network, "https://as.test", metadata);
    await expect(discoverAuthorizationServer(discovery(network), "https://as.test")).rejects.toMatchObject({ code });
  });
});

describe("A URL from a peer", () => {
  test.for([
    ["https://as.test/", true],
    ["http://localhost:3000/", true],
    ["http://127.0.0.1/", true],
    ["http://[::1]:8080/", true],
    ["http://as.test/", false],
    ["http://localhost.evil.test/", false],
    ["http://127.0.0.1.evil.test/", false],
    ["ftp://localhost/", false],
  ] as const)("%s may be asked by a client of a server on this machine: %s", ([url, allowed]) => {
    const ask = (): URL => guardFor(new URL("http://localhost/mcp"))(url, "It");
    if (allowed) expect(ask().href).toBe(url);
    else expect(ask).toThrow(/must use https/);
    expect(secureUrl).toBe(guardFor(new URL("http://localhost/mcp")));
  });

  test.for([
    "https://169.254.169.254/latest",
    "https://10.1.2.3/",
    "https://172.16.0.1/",
    "https://172.31.255.1/",
    "https://192.168.1.1/",
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://0.0.0.0/",
    "https://100.64.0.1/",
    "https://localhost/",
    "https://localhost./",
    "http://foo.localhost/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://[::169.254.169.254]/",
    "https://[::ffff:0:10.0.0.1]/",
    "https://[64:ff9b::169.254.169.254]/",
    "https://[64:ff9b:1::10.0.0.1]/",
    "https://[2002:a00:1::]/",
    "https://[2001::a00:1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://192.0.0.192/",
  ])("%s is not asked for a server on the Internet", (url) => {
    expect(() => guardFor(SERVER)(url, "It")).toThrow(/private network/);
  });

  test.for([
    "https://172.32.0.1/",
    "https://11.0.0.1/",
    "https://100.128.0.1/",
    "https://192.0.2.1/",
    "https://[2606:4700::1111]/",
    "https://[2001:db8::1]/",
    "https://[2a00::1]/",
    "https://fd.test/",
    "https://10.test/",
  ])("%s is on the Internet as well", (url) => {
    expect(guardFor(SERVER)(url, "It").href).toBe(url);
  });
});

describe("A hostile metadata document", () => {
  const URL_OF_IT = "https://mcp.test/prm";
  const ask = (network: FakeNetwork): Promise<unknown> => discoverResource(discovery(network), SERVER, URL_OF_IT);

  test("that never ends is given up at the limit", async () => {
    let pulled = 0;
    const network = new FakeNetwork().on(URL_OF_IT, () => {
      const body = new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(new Uint8Array(1000));
        },
      });
      return new Response(body);
    });
    await expect(ask(network)).rejects.toMatchObject({ code: "too_large" });
    expect(pulled).toBeLessThan(20);
  });

  test("whose answer never comes is given up", async () => {
    const network = new FakeNetwork().on(URL_OF_IT, () => new Promise<Response>(() => undefined));
    await expect(ask(network)).rejects.toMatchObject({ code: "timeout" });
  });

  test("whose body never comes is given up", async () => {
    const network = new FakeNetwork().on(URL_OF_IT, () => new Response(new ReadableStream({})));
    await expect(ask(network)).rejects.toMatchObject({ code: "timeout" });
  });

  test.for([
    "https://evil.test/prm",
    "http://mcp.test/prm",
    "https://169.254.169.254/",
    "//evil.test/prm",
    "https://mcp.test:8443/",
    "",
  ])("that leads to %s is not followed", async (location) => {
    const network = new FakeNetwork().on(URL_OF_IT, () => new Response(null, { status: 302, headers: { location } }));
    // An empty location is the same place again, without end.
    await expect(ask(network)).rejects.toMatchObject({ code: "redirect_refused" });
    expect(new Set(network.log)).toEqual(new Set([`GET ${URL_OF_IT}`]));
  });

  test("that leads elsewhere on its origin is followed", async () => {
    const network = new FakeNetwork()
      .on(URL_OF_IT, () => new Response(null, { status: 307, headers: { location: "/other" } }))
      .on("https://mcp.test/other", () =>
        Response.json({ resource: SERVER.href, authorization_servers: ["https://as.test"] }),
      );
    expect(await ask(network)).toMatchObject({ resource: SERVER.href });
  });

  test.for(["[".repeat(9000), '{"a":'.repeat(1800), "null", "[]", '"x"', "", "{"])(
    "that is no JSON object counts as none",
    async (body) => {
      const network = new FakeNetwork().on(URL_OF_IT, () => new Response(body));
      expect(await ask(network)).toBeUndefined();
    },
  );
});

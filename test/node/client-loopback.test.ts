/** The listener that a program on somebody's machine signs in with. */
import { afterEach, describe, expect, test } from "vitest";
import type { Visit } from "../../src/client/oauth/interaction.ts";
import { loopbackRedirect } from "../../src/node/loopback-redirect.ts";

const visits: Visit[] = [];

async function open(openUrl: (url: string) => Promise<void> | void): Promise<Visit> {
  const visit = await loopbackRedirect({ openUrl }).open(new AbortController().signal);
  visits.push(visit);
  return visit;
}

afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close?.();
});

const AUTHORIZE = new URL("https://as.test/authorize?state=right");
const { signal } = new AbortController();

describe("A loopback redirect", () => {
  test("takes the response from the browser, whose page shows nothing of it and runs nothing", async () => {
    let page: Response | undefined;
    const visit: Visit = await open(async (url) => {
      expect(url).toBe(AUTHORIZE.href);
      page = await fetch(`${visit.redirectUri}?code=c%20d&state=right&iss=https%3A%2F%2Fas.test`);
    });
    expect(visit.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const callback = new URL(await visit.authorize(AUTHORIZE, signal));
    expect(Object.fromEntries(callback.searchParams)).toEqual({ code: "c d", state: "right", iss: "https://as.test" });
    expect(page?.status).toBe(200);
    expect(page?.headers.get("content-security-policy")).toBe("default-src 'none'");
    expect(page?.headers.get("cache-control")).toBe("no-store");
    expect(await page?.text()).not.toContain("c d");
  });

  test("turns away whatever else knocks, and goes on waiting", async () => {
    const statuses: number[] = [];
    const visit: Visit = await open(async () => {
      const { origin } = new URL(visit.redirectUri);
      for (const path of ["/", "/favicon.ico", "/callback", "/callback?state=wrong&code=x", "/callback/?state=right"]) {
        statuses.push((await fetch(`${origin}${path}`)).status);
      }
      statuses.push((await fetch(`${visit.redirectUri}?state=right`, { method: "POST" })).status);
      statuses.push((await fetch(`${visit.redirectUri}?state=right&code=good`)).status);
    });
    expect(await visit.authorize(AUTHORIZE, signal)).toContain("code=good");
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 200]);
  });

  test("ends with the signal, and frees its port when it is closed", async () => {
    const stop = new AbortController();
    const visit = await open(() => undefined);
    const response = visit.authorize(AUTHORIZE, stop.signal);
    stop.abort(new Error("enough"));
    await expect(response).rejects.toThrow("enough");
    await visit.close?.();
    await expect(fetch(visit.redirectUri)).rejects.toThrow(TypeError);
  });

  test("fails when no browser opens", async () => {
    const visit = await open(() => Promise.reject(new Error("no browser")));
    await expect(visit.authorize(AUTHORIZE, signal)).rejects.toThrow("no browser");
  });

  test("listens on a port and a path of one's choice", async () => {
    const first = await open(() => undefined);
    const { port } = new URL(first.redirectUri);
    await first.close?.();
    const interaction = loopbackRedirect({ port: Number(port), path: "/here", openUrl: () => undefined });
    const visit = await interaction.open(signal);
    visits.push(visit);
    expect(visit.redirectUri).toBe(`http://127.0.0.1:${port}/here`);
  });
});

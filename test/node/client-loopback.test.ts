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
    let asked: Promise<Response> | undefined;
    const visit: Visit = await open((url) => {
      expect(url).toBe(AUTHORIZE.href);
      asked = fetch(`${visit.redirectUri}?code=c%20d&state=right&iss=https%3A%2F%2Fas.test`);
    });
    expect(visit.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const callback = new URL(await visit.authorize(AUTHORIZE, signal));
    expect(Object.fromEntries(callback.searchParams)).toEqual({ code: "c d", state: "right", iss: "https://as.test" });
    const page = await asked;
    expect(page?.status).toBe(200);
    expect(page?.headers.get("content-security-policy")).toBe("default-src 'none'");
    expect(page?.headers.get("cache-control")).toBe("no-store");
    expect(await page?.text()).not.toContain("c d");
  });

  test("turns away whatever else knocks, and goes on waiting", async () => {
    const statuses: number[] = [];
    const done = Promise.withResolvers<void>();
    const visit: Visit = await open(async () => {
      const { origin } = new URL(visit.redirectUri);
      for (const path of ["/", "/favicon.ico", "/callback", "/callback?state=wrong&code=x", "/callback/?state=right"]) {
        statuses.push((await fetch(`${origin}${path}`)).status);
      }
      statuses.push((await fetch(`${visit.redirectUri}?state=right`, { method: "POST" })).status);
      statuses.push((await fetch(`${visit.redirectUri}?state=right&code=good`)).status);
      done.resolve();
    });
    expect(await visit.authorize(AUTHORIZE, signal)).toContain("code=good");
    await done.promise;
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
    const cause = new Error("no browser");
    const openers = [
      () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ];
    for (const openUrl of openers) {
      const visit = await open(openUrl);
      await expect(visit.authorize(AUTHORIZE, signal)).rejects.toBe(cause);
    }
  });

  test("does not wait for what opens the browser, which may run for as long as it does", async () => {
    const visit: Visit = await open(async () => {
      await fetch(`${visit.redirectUri}?code=good&state=right`);
      return new Promise<void>(() => undefined);
    });
    expect(await visit.authorize(AUTHORIZE, signal)).toContain("code=good");
  });

  test("waits for nobody when the signal has aborted before", async () => {
    const visit = await open(() => undefined);
    await expect(visit.authorize(AUTHORIZE, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
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

/** Section K of the field cases, and what other sections say of streams that listen: over the hub, on workerd. */
import { describe, expect, it } from "vitest";
import { gist, listen, type Listening } from "../../kit/listen.ts";
import type { PostOptions } from "../../kit/post.ts";
import { headersFor, META } from "./client.ts";
import type { Field } from "./field.ts";
import { RawRequest } from "./socket.ts";

const LAB = "/lab/mcp";
const ID = "io.modelcontextprotocol/subscriptionId";

export function subscriptionCases(field: Field): void {
  const { client } = field;
  const hear = (filter: object, { path = "/api/mcp", ...options }: PostOptions & { path?: string } = {}) =>
    listen({ fetch: (request) => fetch(request) }, filter, { ...options, url: new URL(path, client.url).href });
  const notify = (args: object, path = "/api/mcp") => client.tool("notify", args, { path });

  describe("subscriptions", () => {
    it("of ids 1 and “1” are two, and closing one leaves the other", async () => {
      const one = await hear({ toolsListChanged: true }, { id: 1 });
      const text = await hear({ toolsListChanged: true }, { id: "1" });
      expect((await one.next())?.["params"]).toMatchObject({ _meta: { [ID]: 1 } });
      expect((await text.next())?.["params"]).toMatchObject({ _meta: { [ID]: "1" } });
      await one.close();
      await notify({ kind: "tools" });
      expect((await text.next())?.["params"]).toMatchObject({ _meta: { [ID]: "1" } });
      await text.close();
    });

    it("hear nothing of another request: no progress, no log, whatever its level", async () => {
      const stream = await hear({ toolsListChanged: true });
      await stream.next();
      const meta = { ...META, progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
      await client.tool("wait", { ms: 40 }, { meta });
      await notify({ kind: "tools" });
      expect(await heard(stream)).toBe("tools/list_changed");
      await stream.close();
    });

    it("keep a quiet stream alive from the start, and end it gracefully at the end of its life", async () => {
      const stream = await hear({ toolsListChanged: true }, { path: LAB });
      expect((await stream.rest()).map(gist)).toEqual(["subscriptions/acknowledged", "result"]);
      expect(stream.comments()).toBeGreaterThan(20);
    });

    // SUB-02
    it("owe a reader that has stopped no more than each thing once, and keep nobody else waiting", async () => {
      const uri = `notes://${"x".repeat(1_000)}`;
      const filter = { resourceSubscriptions: [uri] };
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: "stopped",
        method: "subscriptions/listen",
        params: { notifications: filter, _meta: META },
      });
      const stopped = new RawRequest(client.url);
      const lines = Object.entries(headersFor("subscriptions/listen", {})).map(([name, value]) => `${name}: ${value}`);
      stopped.head("/api/mcp", [...lines, `content-length: ${body.length}`]);
      stopped.pause();
      stopped.write(body);
      const reader = await hear({ resourceSubscriptions: [uri, "notes://round"] });
      expect(await heard(reader)).toBe("subscriptions/acknowledged");
      for (let round = 0; round < 4; round += 1) {
        const published = notify({ kind: "updated", uri, times: 200 }).then(() =>
          notify({ kind: "updated", uri: "notes://round" }),
        );
        const since: string[] = [];
        while (since.at(-1) !== "resources/updated notes://round") since.push(await heard(reader));
        expect(since.length).toBeGreaterThan(1);
        await published;
      }
      stopped.vanish();
      await reader.close();
    });

    // SUB-04
    it("of a token that expires end then, and the old token opens no other", async () => {
      const expiresAt = Math.ceil(Date.now() / 1_000) + 1;
      const headers = { authorization: `Bearer ${expiresAt}` };
      const stream = await hear({ toolsListChanged: true }, { path: LAB, headers });
      expect(await heard(stream)).toBe("subscriptions/acknowledged");
      await notify({ kind: "tools" }, LAB);
      expect(await heard(stream)).toBe("tools/list_changed");
      expect((await stream.rest()).map(gist)).toEqual(["result"]);
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt * 1_000 - 5);
      await expect.poll(async () => (await hear({ toolsListChanged: true }, { path: LAB, headers })).status).toBe(401);
    });

    it("beyond the limit are refused with 503, a time to come again, and a JSON-RPC error", async () => {
      const streams = await Promise.all([1, 2, 3].map((id) => hear({ toolsListChanged: true }, { path: LAB, id })));
      for (const stream of streams) expect(stream.status).toBe(200);
      const refused = await hear({ toolsListChanged: true }, { path: LAB, id: 4 });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await refused.next()).toMatchObject({ id: 4, error: { code: -32603 } });
      await Promise.all(streams.map((stream) => stream.close()));
      await expect.poll(async () => (await hear({}, { path: LAB })).status).toBe(200);
    });

    it("leave a call with the changes of its tool undisturbed when nobody listens", async () => {
      for (const kind of ["tools", "prompts", "resources", "updated"]) {
        expect((await notify({ kind })).result).toMatchObject({ resultType: "complete" });
      }
    });
  });
}

async function heard(stream: Listening): Promise<string> {
  return gist(await stream.next());
}

/**
 * The official packages and the hub: their client listens to the pinboard on workerd, and to a server behind `node:http`.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { serve } from "../../src/node/serve.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

interface Ear {
  readonly client: Client;
  /** What notifications said, oldest first. */
  readonly heard: string[];
}

async function connect(url: string): Promise<Ear> {
  const client = new Client(
    { name: "official", version: "2.4.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("resources"));
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  clients.push(client);
  return { client, heard };
}

describe("the official client", () => {
  let worker: RunningWorker | undefined;
  beforeAll(async () => {
    worker = await startWrangler("wrangler.toml", { vars: { STATE_KEY: "7c".repeat(32) } });
  });
  afterAll(() => worker?.stop());
  const url = (): string => worker?.url ?? "";

  test("learns that the pinboard tells of changes", async () => {
    const { client } = await connect(url());
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
  });

  test("hears of a board that another client creates, changes and empties", async () => {
    const { client, heard } = await connect(url());
    const subscription = await client.listen({
      resourcesListChanged: true,
      resourceSubscriptions: ["board://ears", "note://ears/1"],
    });
    expect(subscription.honoredFilter).toEqual({
      resourcesListChanged: true,
      resourceSubscriptions: ["board://ears", "note://ears/1"],
    });
    const { client: other } = await connect(url());
    await other.callTool({ name: "add_note", arguments: { board: "ears", text: "one" } });
    await expect.poll(() => heard.toSorted()).toEqual(["board://ears", "note://ears/1", "resources"]);
    heard.length = 0;
    await other.callTool({ name: "edit_note", arguments: { board: "ears", id: 1, text: "two" } });
    await expect.poll(() => heard.toSorted()).toEqual(["board://ears", "note://ears/1"]);
    heard.length = 0;
    await other.callTool({ name: "add_note", arguments: { board: "other", text: "not for these ears" } });
    await expect.poll(() => heard).toEqual(["resources"]);
    await subscription.close();
    expect(await subscription.closed).toBe("local");
  });

  test("keeps several subscriptions apart", async () => {
    const { client, heard } = await connect(url());
    const lists = await client.listen({ resourcesListChanged: true });
    const notes = await client.listen({ resourceSubscriptions: ["board://apart"] });
    await lists.close();
    const { client: other } = await connect(url());
    await other.callTool({ name: "add_note", arguments: { board: "apart", text: "one" } });
    await expect.poll(() => heard).toEqual(["board://apart"]);
    await notes.close();
  });

  test("is told of a graceful end, and finds a server behind node:http no different", async () => {
    const subscriptions = new Subscriptions({ maxLifetimeMs: 300 });
    const server = new McpServer({ name: "node", version: "1.0.0" }, { subscriptions });
    server.tool("touch", {}, async (_args, { notify }) => {
      await notify.toolsChanged();
      return "touched";
    });
    const running = await serve(createFetchHandler(server));
    try {
      const { client, heard } = await connect(running.url);
      const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true });
      expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
      await client.callTool({ name: "touch" });
      await expect.poll(() => heard).toEqual(["tools"]);
      expect(await subscription.closed).toBe("graceful");
    } finally {
      await running.close();
    }
  });
});

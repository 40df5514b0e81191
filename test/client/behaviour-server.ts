/** The server that the client's behaviour is shown with: whatever a client can be asked to do, as tools of few words. */
import type { FetchHandlerOptions, McpServer } from "../../src/core.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { type Served, serverWith } from "../kit/serve.ts";

/** Small, so that the few tools make several pages. */
const PAGE_SIZE = 3;
export const LARGE = 3_000_000;

export function behaviourServer(options: FetchHandlerOptions = {}): Served<unknown> {
  const subscriptions = new Subscriptions();
  return serverWith(register, { server: { subscriptions, pageSize: PAGE_SIZE }, keepAliveMs: 50, ...options });
}

const complete = (value: string): string[] => ["Ada", "Alan", "Grace"].filter((name) => name.startsWith(value));

function register(server: McpServer): void {
  addAnswers(server);
  addReports(server);
  server.tool(
    "touch",
    { inputSchema: { type: "object", properties: { uri: { type: "string" } } } },
    async (args, ctx) => {
      if (args.uri === undefined) await ctx.notify.toolsChanged();
      else await ctx.notify.resourceUpdated(args.uri);
      return "touched";
    },
  );
  server.prompt("greet", { arguments: [{ name: "name", complete }] }, ({ name = "you" }) => `Greet ${name}`);
  server.resource("note://a", { name: "a", ttlMs: 60_000, cacheScope: "private" }, () => "søk 🔔");
  server.resource("note://large", { name: "large" }, () => "é".repeat(LARGE));
}

function addAnswers(server: McpServer): void {
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
  server.tool("echo", { inputSchema: text, outputSchema: text }, ({ text }) => ({ text }));
  server.tool("fail", {}, () => ({ content: [{ type: "text", text: "no" }], isError: true }));
  server.tool(
    "mirrored",
    {
      inputSchema: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          count: { type: "integer", "x-mcp-header": "Count" },
        },
      },
    },
    (_args, ctx) => {
      const headers = ["mcp-name", "mcp-param-region", "mcp-param-count"].map((name) => ctx.request?.headers.get(name));
      return { content: [], structuredContent: headers };
    },
  );
  server.tool("ask", {}, async (_args, ctx) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
    const answer = await ctx.elicit("who", { message: "Who?", schema });
    return answer.action === "accept" ? `Hello ${answer.content?.name}` : answer.action;
  });
}

function addReports(server: McpServer): void {
  const times = { type: "object", properties: { times: { type: "integer" } }, required: ["times"] } as const;
  server.tool("report", { inputSchema: times }, async ({ times }, ctx) => {
    for (let time = 1; time <= times; time++) ctx.progress(time, times, `Schritt ${time} ✓`);
    return "reported";
  });
  server.tool("tell", {}, (_args, ctx) => {
    for (const level of ["debug", "warning", "error"] as const) ctx.log(level, { level });
    return "told";
  });
  server.tool("hang", {}, async (_args, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    return "gone";
  });
}

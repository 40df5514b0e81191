/** The tools of the open endpoint. Each counts its calls. */
import type { McpServer } from "../../src/index.ts";
import { probe } from "./probe.ts";
import { wait } from "./wait.ts";

export function addTools(server: McpServer): void {
  addPlainTools(server);
  addReportingTools(server);
  addAskingTools(server);
  addNotify(server);
  addProbe(server);
}

function addPlainTools(server: McpServer): void {
  server.tool(
    "echo",
    {
      description: "Returns its text",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      },
    },
    ({ text }) => {
      probe.called("echo");
      return { content: [{ type: "text", text }], structuredContent: { text } };
    },
  );
  server.tool("who", { description: "Says who calls" }, (_args, ctx) => {
    probe.called("who");
    const who = { subject: ctx.auth?.subject ?? null, probe: ctx.request?.headers.get("x-probe") ?? null };
    return { content: [{ type: "text", text: JSON.stringify(who) }], structuredContent: who };
  });
  server.tool(
    "geo",
    {
      description: "Mirrors its arguments into headers",
      inputSchema: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          n: { type: "integer", "x-mcp-header": "N" },
          b: { type: "boolean", "x-mcp-header": "B" },
          opt: { type: "string", "x-mcp-header": "Opt" },
          loc: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
        },
        required: ["region", "n", "b"],
      },
    },
    (args) => {
      probe.called("geo");
      return { content: [{ type: "text", text: JSON.stringify(args) }], structuredContent: args };
    },
  );
  server.tool("fail", { description: "Fails unexpectedly" }, () => {
    probe.called("fail");
    throw new Error("ENOENT: no such file or directory, open '/home/u/secret.txt'");
  });
}

/** After the reply to a call that took no time at all. */
const LATE_MS = 20;

function addReportingTools(server: McpServer): void {
  server.tool(
    "wait",
    {
      description: "Waits, reporting progress",
      inputSchema: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
    },
    async ({ ms }, ctx) => {
      probe.called("wait");
      return wait(ms, ctx);
    },
  );
  server.tool(
    "report",
    {
      description: "Reports each value as progress, and once more when it is over",
      inputSchema: {
        type: "object",
        properties: { values: { type: "array", items: { type: "number" } } },
        required: ["values"],
      },
    },
    ({ values }, ctx) => {
      probe.called("report");
      for (const value of values) ctx.progress(value);
      setTimeout(() => ctx.progress(Number.MAX_SAFE_INTEGER), LATE_MS);
      return `Reported ${values.length} values.`;
    },
  );
}

function addAskingTools(server: McpServer): void {
  server.tool(
    "ask",
    {
      description: "Asks for an answer",
      inputSchema: { type: "object", properties: { topic: { type: "string" } } },
    },
    async ({ topic = "anything" }, ctx) => {
      probe.called("ask");
      const answer = await ctx.elicit("answer", {
        message: `What about ${topic}?`,
        schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      });
      return `${topic}: ${answer.action === "accept" ? answer.content?.text : answer.action}`;
    },
  );
  server.tool("ask_url", { description: "Asks to visit a page" }, async (_args, ctx) => {
    probe.called("ask_url");
    const { action } = await ctx.elicit("visit", { message: "Please sign in", url: "https://app.test/sign-in" });
    return action;
  });
}

/** Also of the second endpoint, whose streams are short. */
export function addNotify(server: McpServer): void {
  server.tool(
    "notify",
    {
      description: "Says that something changed",
      inputSchema: {
        type: "object",
        properties: {
          kind: { type: "string", enum: ["tools", "prompts", "resources", "updated"] },
          uri: { type: "string" },
          times: { type: "integer", minimum: 1, maximum: 100_000 },
        },
        required: ["kind"],
      },
    },
    async ({ kind, uri = "notes://a", times = 1 }, { notify }) => {
      probe.called("notify");
      for (let time = 0; time < times; time += 1) {
        if (kind === "tools") await notify.toolsChanged();
        else if (kind === "prompts") await notify.promptsChanged();
        else if (kind === "resources") await notify.resourcesChanged();
        else await notify.resourceUpdated(uri);
      }
      return `Published ${kind}.`;
    },
  );
}

function addProbe(server: McpServer): void {
  server.tool(
    "probe",
    {
      description: "Counts what this isolate did",
      inputSchema: { type: "object", properties: { reset: { type: "boolean" } } },
    },
    ({ reset = false }) => {
      if (reset) probe.reset();
      const counters = probe.read();
      return { content: [{ type: "text", text: JSON.stringify(counters) }], structuredContent: counters };
    },
  );
}

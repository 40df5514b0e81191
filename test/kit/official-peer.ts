/**
 * A server written with the official package, for clients to meet: in the modern era, and in the legacy one with all that
 * its sessions have.
 */
import {
  acceptedContent,
  completable,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { serve } from "../../src/node/serve.ts";

export interface OfficialPeer {
  /** The endpoint. */
  readonly url: string;
  /** Says to whoever listens that a resource changed, and then that the list of tools did. */
  change(uri: string): Promise<void>;
  close(): Promise<void>;
}

/** `modern` refuses everything older; `legacy` has never heard of anything newer. */
export async function officialPeer(era: "modern" | "legacy"): Promise<OfficialPeer> {
  const behind = era === "modern" ? modern() : legacy();
  const running = await serve(behind);
  return { url: `${running.url}/mcp`, change: (uri) => behind.change(uri), close: () => running.close() };
}

type Behind = Pick<OfficialPeer, "change"> & { fetch(request: Request): Promise<Response> };

function modern(): Behind {
  const handler = createMcpHandler(officialServer, { legacy: "reject" });
  return {
    fetch: (request) => handler.fetch(request),
    async change(uri) {
      handler.notify.resourceUpdated(uri);
      handler.notify.toolsChanged();
    },
  };
}

function legacy(): Behind {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers: McpServer[] = [];
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    const server = officialServer();
    const subscribed = new Set<string>();
    server.server.setRequestHandler("resources/subscribe", ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
    servers.push(server);
    await server.connect(transport);
    return transport;
  };
  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await begin() : transports.get(id);
      return transport?.handleRequest(request) ?? new Response(null, { status: 404 });
    },
    async change(uri) {
      for (const server of servers.filter((one) => one.isConnected())) {
        await server.server.sendResourceUpdated({ uri });
        await server.server.sendToolListChanged();
      }
    },
  };
}

const text = (said: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: said }],
});

function officialServer(): McpServer {
  const server = new McpServer(
    { name: "official", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
      instructions: "Be brief.",
    },
  );
  addTools(server);
  addQuestions(server);
  server.registerResource("first", "memo://first", { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "the first memo" }],
  }));
  const memos = new ResourceTemplate("memo://by/{author}", {
    list: undefined,
    complete: { author: (value) => ["Ada", "Alan", "Grace"].filter((name) => name.startsWith(value)) },
  });
  server.registerResource("memos", memos, {}, ({ href }, { author }) => ({
    contents: [{ uri: href, text: `by ${String(author)}` }],
  }));
  const team = completable(z.string(), (value) => ["red", "green"].filter((name) => name.startsWith(value)));
  const member = completable(z.string(), (_value, context) => [`${context?.arguments?.["team"]} one`]);
  server.registerPrompt("cheer", { argsSchema: z.object({ team, member }) }, (args) => ({
    messages: [{ role: "user", content: { type: "text", text: `Go, ${args.team}, go, ${args.member}!` } }],
  }));
  return server;
}

function addTools(server: McpServer): void {
  const numbers = z.object({ a: z.number(), b: z.number() });
  const sum = z.object({ sum: z.number() });
  const readOnly = { readOnlyHint: true };
  server.registerTool("add", { inputSchema: numbers, outputSchema: sum, annotations: readOnly }, ({ a, b }) => ({
    ...text(String(a + b)),
    structuredContent: { sum: a + b },
  }));
  server.registerTool("letters", { outputSchema: z.array(z.string()) }, () => ({
    ...text("a b"),
    structuredContent: ["a", "b"],
  }));
  server.registerTool("count", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return text("nobody counts");
    for (let progress = 1; progress <= 3; progress += 1) {
      const params = { progressToken, progress, total: 3, message: `step ${progress}` };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return text("counted");
  });
  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.log("debug", "quiet");
    await mcpReq.log("error", "loud");
    return text("logged");
  });
  server.registerTool("fail", {}, () => {
    throw new Error("out of paper");
  });
  const region = { type: "string" as const, "x-mcp-header": "Region" };
  const place = fromJsonSchema<{ region: string }>({ type: "object", properties: { region }, required: ["region"] });
  server.registerTool("where", { inputSchema: place }, ({ region }) => text(region));
}

function addQuestions(server: McpServer): void {
  const confirmation = {
    type: "object" as const,
    properties: { sure: { type: "boolean" as const } },
    required: ["sure"],
  };
  server.registerTool("confirm", {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "sure");
    if (answer.kind === "missing") {
      const sure = inputRequired.elicit({ message: "Sure?", requestedSchema: confirmation });
      return inputRequired({ inputRequests: { sure }, requestState: "asked" });
    }
    const said = acceptedContent(mcpReq.inputResponses, "sure");
    return text(said === undefined ? (answer.kind === "elicit" ? answer.action : answer.kind) : JSON.stringify(said));
  });
  server.registerTool("everything", {}, ({ mcpReq }) => {
    const visit = inputResponse(mcpReq.inputResponses, "visit");
    const model = inputResponse(mcpReq.inputResponses, "model");
    const roots = inputResponse(mcpReq.inputResponses, "roots");
    if (visit.kind === "elicit" && model.kind === "sampling" && roots.kind === "roots") {
      return text([visit.action, model.result.model, ...roots.roots.map(({ uri }) => uri)].join(" "));
    }
    return inputRequired({
      inputRequests: {
        visit: inputRequired.elicitUrl({ message: "Sign in", url: "https://sign.test/in" }),
        model: inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
          maxTokens: 10,
        }),
        roots: inputRequired.listRoots(),
      },
    });
  });
}

/**
 * The floor: what a skilled engineer writes for this one server and no other. It reads the body once, checks the three
 * headers and the arguments, and writes a correct result. No limits, no CORS, no cancelling, no second feature.
 *
 * The checks are passed in, since Ajv may have compiled them now or at build time.
 */
import { type BenchTool, type Report, SERVER_INFO } from "./tools.ts";

export type Check = (args: unknown) => boolean;

interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
    readonly _meta: Record<string, unknown>;
  };
}

const VERSION = "2026-07-28";
const JSON_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const META = { "io.modelcontextprotocol/serverInfo": SERVER_INFO };
const UTF8 = new TextEncoder();

export function serve(
  tools: readonly BenchTool[],
  checks: ReadonlyMap<string, Check>,
): (request: Request) => Promise<Response> {
  const byName = new Map(tools.map((tool) => [tool.name, { tool, check: checks.get(tool.name) }]));

  return async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    let message: RpcRequest;
    try {
      message = await request.json<RpcRequest>(); // A floor trusts the envelope, beyond what it reads of it.
    } catch {
      return failure(undefined, -32700, "Parse error");
    }
    const { id, method, params } = message;
    const { headers } = request;
    if (headers.get("mcp-method") !== method) return failure(id, -32020, "Mcp-Method does not match");
    if (
      headers.get("mcp-protocol-version") !== VERSION ||
      params._meta["io.modelcontextprotocol/protocolVersion"] !== VERSION
    ) {
      return failure(id, -32022, "Unsupported version");
    }
    switch (method) {
      case "server/discover":
        return success(id, {
          supportedVersions: [VERSION],
          capabilities: { tools: {} },
          ttlMs: 300_000,
          cacheScope: "public",
        });
      case "tools/list":
        return success(id, { tools: tools.map(describe), ttlMs: 300_000, cacheScope: "public" });
      case "tools/call": {
        const { name, arguments: args } = params;
        if (headers.get("mcp-name") !== name) return failure(id, -32020, "Mcp-Name does not match");
        const entry = byName.get(name);
        if (entry === undefined) return failure(id, -32602, "Unknown tool");
        if (entry.check?.(args) === false) return success(id, textResult("Invalid arguments", true));
        const token = params._meta["progressToken"];
        if (token !== undefined) return stream(id, token, (report) => entry.tool.run(args, report));
        return success(id, textResult(await entry.tool.run(args, ignore)));
      }
      default:
        return failure(id, -32601, "Method not found", 404);
    }
  };
}

function stream(id: string | number, progressToken: unknown, run: (report: Report) => Promise<string>): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (message: object): void => controller.enqueue(UTF8.encode(`data: ${JSON.stringify(message)}\n\n`));
      const text = await run((progress, total) =>
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress, total } }),
      );
      send({ jsonrpc: "2.0", id, result: complete(textResult(text)) });
      controller.close();
    },
  });
  return new Response(body, { headers: STREAM_HEADERS });
}

function describe({ name, description, inputSchema }: BenchTool): object {
  return { name, description, inputSchema };
}

function textResult(text: string, isError?: boolean): object {
  return { content: [{ type: "text", text }], isError };
}

function complete(result: object): object {
  return { resultType: "complete", ...result, _meta: META };
}

function success(id: string | number, result: object): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: complete(result) }), { headers: JSON_HEADERS });
}

function failure(id: string | number | undefined, code: number, message: string, status = 400): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }), {
    status,
    headers: JSON_HEADERS,
  });
}

function ignore(): void {
  // Nobody asked for progress.
}

/** mcp-edge without a schema engine: the entry `mcp-edge/client`. */
import { McpClient, type McpClientOptions } from "../../src/client.ts";
import type { BenchClient } from "./client-wire.ts";
import { SERVER_INFO } from "./tools.ts";

export async function connect(
  url: string,
  fetch: typeof globalThis.fetch,
  options: Partial<McpClientOptions> = {},
): Promise<BenchClient> {
  const client = new McpClient(url, { info: SERVER_INFO, fetch, ...options });
  return {
    listTools: () => client.listTools(),
    async callTool(name, args, onProgress) {
      const { content } = await client.callTool(name, args, onProgress && { onProgress });
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    },
  };
}

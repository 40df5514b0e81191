/** The official client in the revision that is measured. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { BenchClient } from "./client-wire.ts";
import { SERVER_INFO } from "./tools.ts";

export async function connect(url: string, fetch: typeof globalThis.fetch): Promise<BenchClient> {
  const client = new Client(SERVER_INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
  return {
    listTools: async () => (await client.listTools()).tools,
    async callTool(name, args, onProgress) {
      const { content } = await client.callTool(
        { name, arguments: args },
        onProgress && { onprogress: onProgress, maxTotalTimeout: 600_000, resetTimeoutOnProgress: true },
      );
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    },
  };
}

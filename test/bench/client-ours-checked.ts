/** mcp-edge with the interpreter, which checks `structuredContent` without generating code. */
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { connect as connectWith } from "./client-ours.ts";
import type { BenchClient } from "./client-wire.ts";

export async function connect(url: string, fetch: typeof globalThis.fetch): Promise<BenchClient> {
  return connectWith(url, fetch, { schemas: interpreterEngine() });
}

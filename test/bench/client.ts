/** The client beside the official one and a floor written by hand: bytes that a page loads, and CPU per call. */
import { bundleForBrowser } from "./bundle.ts";
import { benchClientCpu } from "./client-cpu.ts";
import { sizeCells } from "./sizes.ts";
import { printTable } from "./table.ts";

interface Bundle {
  readonly title: string;
  /** A module, and what stays of it. */
  readonly source: string;
  /** In KB of 1,000 bytes, compressed. */
  readonly limit?: number;
}

const BUNDLES: readonly Bundle[] = [
  { title: "floor", source: `export * from "./client-floor.ts";` },
  { title: "mcp-edge/client, no schema engine", source: `export * from "./client-ours.ts";`, limit: 12 },
  { title: "mcp-edge/client, interpreter", source: `export * from "./client-ours-checked.ts";`, limit: 20 },
  { title: "official", source: `export * from "./client-official.ts";` },
  { title: "mcp-edge/client/oauth, all of it", source: `export * from "../../src/client-oauth.ts";` },
  { title: "mcp-edge/client/legacy, all of it", source: `export * from "../../src/client-legacy.ts";` },
];

export async function benchClient(options: { quick: boolean }): Promise<void> {
  const table = [["a page that lists tools and calls one", "minified", "gzip -9", "target", ""]];
  for (const { title, source, limit } of BUNDLES) {
    table.push([title, ...sizeCells(await bundleForBrowser(source), limit)]);
  }
  printTable("Size of a client bundle", table);
  await benchClientCpu(options);
}

/** Bytes of a one-tool server, minified and compressed as hard as gzip goes. */
import { gzipSync } from "node:zlib";
import { bundleWorker, CONTESTANTS, type Kind, TITLES } from "./bundle.ts";
import { atMost, printTable, type Verdict, verdictCells } from "./table.ts";

/** In KB of 1,000 bytes, as networks count. */
const LIMITS: Partial<Record<Kind, number>> = { "ours-core": 12, "ours-ajv": 55 };

export async function benchSizes(): Promise<void> {
  const table = [["a server with one tool of two arguments", "minified", "gzip -9", "target", ""]];
  for (const kind of CONTESTANTS) {
    table.push([TITLES[kind], ...sizeCells(await bundleWorker(kind, "echo"), LIMITS[kind])]);
  }
  printTable("Size of a server bundle", table);
}

/** Minified, compressed, and whether that is within so many KB. */
export function sizeCells(bundle: string, limit?: number): string[] {
  const source = Buffer.from(bundle);
  const compressed = gzipSync(source, { level: 9 }).length / 1_000;
  const verdict: Verdict | undefined = limit === undefined ? undefined : atMost(compressed, limit, " KB");
  return [kilobytes(source.length / 1_000), kilobytes(compressed), ...verdictCells(verdict)];
}

function kilobytes(value: number): string {
  return `${value.toFixed(1)} KB`;
}

/**
 * From starting workerd to the first reply, over what a trivial Worker takes; and the CPU spent on it.
 *
 * The port is known beforehand and workerd says when it listens, so nothing is polled.
 */
import { bundleWorker, CONTESTANTS, type Kind, TITLES } from "./bundle.ts";
import { median, rotate, short } from "./stats.ts";
import { printTable } from "./table.ts";
import { assertReply, type WireRequest, wireRequest } from "./wire.ts";
import { cpuMicroseconds, FIRST_PORT, startWorker, withWorkerFiles } from "./workerd.ts";

const TOOLS = [1, 50] as const;
/** After the ports that other groups use, so that no connection of theirs lingers on it. */
const PORT = FIRST_PORT + 8;

interface Entrant {
  readonly title: string;
  readonly name: string;
  readonly kind: Kind;
  readonly milliseconds: number[];
  readonly cpu: number[];
}

export async function benchColdStart({ quick }: { quick: boolean }): Promise<void> {
  const rounds = quick ? 3 : 11;
  const sources = new Map([["trivial", await bundleWorker("trivial", 1)]]);
  const entrants = [entrant("trivial", "trivial", TITLES.trivial)];
  for (const tools of TOOLS) {
    for (const kind of CONTESTANTS) {
      const name = `${kind}-${tools}`;
      sources.set(name, await bundleWorker(kind, tools));
      entrants.push(entrant(name, kind, `${TITLES[kind]}, ${tools} ${tools === 1 ? "tool" : "tools"}`));
    }
  }
  await withWorkerFiles(sources, async (folder) => {
    await startOnce(folder, entrant("trivial", "trivial", "")); // Brings the binary into the page cache.
    for (let round = 0; round < rounds; round += 1) {
      for (const each of rotate(entrants, round)) await startOnce(folder, each);
    }
  });
  print(entrants, rounds);
}

function entrant(name: string, kind: Kind, title: string): Entrant {
  return { name, kind, title, milliseconds: [], cpu: [] };
}

async function startOnce(folder: string, { name, kind, milliseconds, cpu }: Entrant): Promise<void> {
  const request = firstRequest(kind);
  const start = performance.now();
  const worker = await startWorker(folder, name, PORT);
  try {
    const response = await fetch(`http://127.0.0.1:${PORT}/mcp`, { method: "POST", ...request });
    const text = await response.text();
    milliseconds.push(performance.now() - start);
    cpu.push((await cpuMicroseconds(worker.pid)) / 1_000);
    if (kind === "trivial") return;
    const type = response.headers.get("content-type") ?? "";
    assertReply(response.status, type, text, { id: 1, era: eraOf(kind), text: "harbour, page 3", notifications: 0 });
  } finally {
    await worker.stop();
  }
}

function firstRequest(kind: Kind): WireRequest {
  const { body, headers } = wireRequest(
    { method: "tools/call", params: { name: "search_0", arguments: { query: "harbour", page: 3 } } },
    eraOf(kind),
  );
  // One connection for one reply: the next process on this port must not be sent to a dead one.
  return { body, headers: { ...headers, connection: "close" } };
}

function eraOf(kind: Kind): "modern" | "legacy" {
  return kind === "mcp-lite" ? "legacy" : "modern";
}

function print(entrants: readonly Entrant[], rounds: number): void {
  const [trivial] = entrants;
  const table = [["spawn to first reply", "ms", "over trivial", "CPU ms", "over trivial"]];
  for (const { title, milliseconds, cpu } of entrants) {
    table.push([
      title,
      short(median(milliseconds)),
      over(milliseconds, trivial?.milliseconds ?? []),
      short(median(cpu)),
      over(cpu, trivial?.cpu ?? []),
    ]);
  }
  printTable(
    `Cold start of workerd, median of ${rounds} interleaved rounds (target for precompiled checks: <= +5 ms)`,
    table,
  );
}

/** The median over rounds of the difference to the trivial Worker of the same round. */
function over(values: readonly number[], trivial: readonly number[]): string {
  const difference = median(values.map((value, round) => value - (trivial[round] ?? Number.NaN)));
  return `${difference < 0 ? "" : "+"}${difference.toFixed(1)}`;
}

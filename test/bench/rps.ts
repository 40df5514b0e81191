/**
 * Requests per second on workerd with 16 connections, and the CPU that workerd spent on each.
 *
 * One process per contestant and number of tools, all up at once and loaded in turns.
 */
import { bundleWorker, type Kind, TITLES } from "./bundle.ts";
import { load } from "./load.ts";
import { median, medianRatio, ratio, rotate, short } from "./stats.ts";
import { atLeast, printTable, verdictCells } from "./table.ts";
import { type WireRequest, wireRequest } from "./wire.ts";
import { cpuMicroseconds, FIRST_PORT, startWorker, withWorkerFiles, type Worker } from "./workerd.ts";

const KINDS = ["floor-built", "ours-ajv", "official", "mcp-lite"] as const satisfies readonly Kind[];
const TOOLS = [1, 50] as const;
const CONNECTIONS = 16;
const TO_REACH = 0.9;

interface Target {
  readonly kind: Kind;
  readonly tools: number;
  readonly worker: Worker;
  readonly request: WireRequest;
  readonly rates: number[];
  readonly costs: number[];
}

export async function benchRps({ quick }: { quick: boolean }): Promise<void> {
  const rounds = quick ? 4 : 9;
  const sources = new Map<string, string>();
  for (const kind of KINDS) for (const tools of TOOLS) sources.set(`${kind}-${tools}`, await bundleWorker(kind, tools));
  await withWorkerFiles(sources, async (folder) => {
    const targets: Target[] = [];
    try {
      for (const tools of TOOLS)
        for (const kind of KINDS) targets.push(await start(folder, kind, { tools, port: FIRST_PORT + targets.length }));
      for (const target of targets) await slice(target, quick ? 400 : 1_000);
      for (const { rates, costs } of targets) rates.length = costs.length = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const target of rotate(targets, round)) await slice(target, quick ? 300 : 600);
      }
    } finally {
      for (const { worker } of targets) await worker.stop();
    }
    print(targets, rounds);
  });
}

async function start(folder: string, kind: Kind, { tools, port }: { tools: number; port: number }): Promise<Target> {
  const params = { name: `search_${tools - 1}`, arguments: { query: "harbour", page: 3, order: "newest" } };
  const request = wireRequest({ method: "tools/call", params }, kind === "mcp-lite" ? "legacy" : "modern");
  return { kind, tools, worker: await startWorker(folder, `${kind}-${tools}`, port), request, rates: [], costs: [] };
}

async function slice({ worker: { port, pid }, request, rates, costs }: Target, milliseconds: number): Promise<void> {
  const before = await cpuMicroseconds(pid);
  const { answered, perSecond } = await load({
    port,
    connections: CONNECTIONS,
    milliseconds,
    request,
    expected: "harbour, page 3",
  });
  costs.push(((await cpuMicroseconds(pid)) - before) / answered);
  rates.push(perSecond);
}

function print(targets: readonly Target[], rounds: number): void {
  const table = [["tools/call", "requests/s", "of floor", "CPU µs each", "to floor", "target", ""]];
  for (const { kind, tools, rates, costs } of targets) {
    const floor = targets.find((target) => target.kind === "floor-built" && target.tools === tools);
    const achieved = medianRatio(rates, floor?.rates ?? []);
    const verdict = kind === "ours-ajv" ? atLeast(Number(achieved.toFixed(2)), TO_REACH, "") : undefined;
    table.push([
      `${TITLES[kind]}, ${tools} ${tools === 1 ? "tool" : "tools"}`,
      short(median(rates)),
      achieved.toFixed(2),
      short(median(costs)),
      ratio(medianRatio(costs, floor?.costs ?? [])),
      ...verdictCells(verdict),
    ]);
  }
  printTable(`workerd, ${CONNECTIONS} connections, median of ${rounds} interleaved rounds`, table);
}

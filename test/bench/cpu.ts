/**
 * CPU per request in Node: handler and reading the whole reply, without making the `Request`.
 *
 * Contestants take turns in short slices, each in its own process; a row compares slices of the same round.
 */
import { type ChildProcess, fork } from "node:child_process";
import { CASES, type Case } from "./cpu-cases.ts";
import type { SliceRequest } from "./cpu-contestant.ts";
import { median, medianRatio, ratio, rotate, short } from "./stats.ts";
import { atMost, printTable, verdictCells } from "./table.ts";
import type { Era } from "./wire.ts";

interface Contestant {
  readonly name: string;
  /** The module that serves. */
  readonly file: string;
  readonly era: Era;
}

const CONTESTANTS: readonly Contestant[] = [
  { name: "floor", file: "floor-ajv", era: "modern" },
  { name: "mcp-edge", file: "ours-ajv", era: "modern" },
  { name: "official (JSON Schema)", file: "official", era: "modern" },
  { name: "official (zod)", file: "official-zod", era: "modern" },
  { name: "mcp-lite (2025-06-18)", file: "mcp-lite", era: "legacy" },
];

/** Collectors on several threads wait for each other by spinning, which on a busy machine costs more than the work itself. */
const EXEC_ARGV = ["--single-threaded-gc"];
export async function benchCpu({ quick }: { quick: boolean }): Promise<void> {
  const rounds = quick ? 7 : 21;
  const table = [
    ["µs of CPU per request (ratio to the floor)", ...CONTESTANTS.map(({ name }) => name), "mcp-edge target", ""],
  ];
  const entrants = CONTESTANTS.map(start);
  try {
    for (const [index, benchCase] of CASES.entries())
      table.push(await measureCase(entrants, { index, rounds, ...benchCase }));
  } finally {
    for (const { process } of entrants) process.kill();
  }
  printTable(`CPU per request, Node ${process.versions.node}, median of ${rounds} interleaved rounds`, table);
}

interface Entrant extends Contestant {
  readonly process: ChildProcess;
}

function start({ name, file, era }: Contestant): Entrant {
  // Should this process die, the channel closes, and with it what keeps the other alive.
  return {
    name,
    file,
    era,
    process: fork(`${import.meta.dirname}/cpu-contestant.ts`, [file, era], { execArgv: EXEC_ARGV }),
  };
}

interface Measure extends Case {
  readonly index: number;
  readonly rounds: number;
}

async function measureCase(
  all: readonly Entrant[],
  { index, rounds, title, limit, modernOnly }: Measure,
): Promise<string[]> {
  const entrants = all.filter(({ era }) => era === "modern" || modernOnly !== true);
  for (const { process } of entrants) await slice(process, index); // The first one warms up.
  const costs = new Map(all.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, process } of rotate(entrants, round)) costs.get(name)?.push(await slice(process, index));
  }
  const floor = costs.get("floor") ?? [];
  const cells = [...costs.values()].map((values) =>
    values.length === 0 ? "–" : `${short(median(values))}  ${ratio(medianRatio(values, floor)).padStart(7)}`,
  );
  const achieved = Number(medianRatio(costs.get("mcp-edge") ?? [], floor).toFixed(2));
  return [title, ...cells, ...verdictCells(atMost(achieved, limit, "x"))];
}

/** Microseconds of CPU per request. @throws {Error} when the contestant's process has ended */
function slice(process: ChildProcess, index: number): Promise<number> {
  const request: SliceRequest = { index };
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error("a contestant's process ended"));
    process.once("exit", onExit);
    process.once("message", (cost: number) => {
      process.off("exit", onExit);
      resolve(cost);
    });
    process.send(request, (error) => error !== null && reject(error));
  });
}

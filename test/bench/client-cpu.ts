/**
 * CPU per call of a client in Node, with a `fetch` that returns a reply made before: the client's own work, and what the
 * runtime's `Response` and streams cost everybody.
 *
 * Contestants take turns in short slices, each in its own process; a row compares slices of the same round.
 */
import { type ChildProcess, fork } from "node:child_process";
import type { ClientSliceRequest } from "./client-contestant.ts";
import { CLIENT_CASES, type ClientCase } from "./client-wire.ts";
import { median, medianRatio, ratio, rotate, short } from "./stats.ts";
import { atMost, printTable, verdictCells } from "./table.ts";

const FILES = { floor: "client-floor", "mcp-edge": "client-ours", official: "client-official" } as const;
type Name = keyof typeof FILES;

interface Entrant {
  readonly name: Name;
  readonly process: ChildProcess;
}

export async function benchClientCpu({ quick }: { quick: boolean }): Promise<void> {
  const entrants = (Object.keys(FILES) as Name[]).map(start); // Its own keys.
  const table = [["µs of CPU per call (ratio to the floor)", ...Object.keys(FILES), "mcp-edge target", ""]];
  const rounds = quick ? 7 : 21;
  const longRounds = quick ? 3 : 7;
  try {
    for (const [index, benchCase] of CLIENT_CASES.entries()) {
      table.push(
        await measure(entrants, { index, rounds: benchCase.isLong === true ? longRounds : rounds, benchCase }),
      );
    }
  } finally {
    for (const { process } of entrants) process.kill();
  }
  const title = `CPU per client call, Node ${process.versions.node}, median of ${rounds} interleaved rounds (50 MB: ${longRounds})`;
  printTable(title, table);
}

function start(name: Name): Entrant {
  // As in cpu.ts: collectors on several threads would wait for each other by spinning.
  const execArgv = ["--single-threaded-gc"];
  return { name, process: fork(`${import.meta.dirname}/client-contestant.ts`, [FILES[name]], { execArgv }) };
}

interface Measure {
  readonly index: number;
  readonly rounds: number;
  readonly benchCase: ClientCase;
}

async function measure(entrants: readonly Entrant[], { index, rounds, benchCase }: Measure): Promise<string[]> {
  for (const { process } of entrants) await slice(process, index); // The first one warms up.
  const costs: Record<Name, number[]> = { floor: [], "mcp-edge": [], official: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, process } of rotate(entrants, round)) costs[name].push(await slice(process, index));
  }
  const cells = entrants.map(({ name }) => {
    return `${short(median(costs[name]))}  ${ratio(medianRatio(costs[name], costs.floor)).padStart(7)}`;
  });
  const achieved = Number(medianRatio(costs["mcp-edge"], costs.floor).toFixed(2));
  return [benchCase.title, ...cells, ...verdictCells(atMost(achieved, benchCase.limit, "x"))];
}

/** Microseconds of CPU per call. @throws {Error} when the contestant's process has ended */
function slice(process: ChildProcess, index: number): Promise<number> {
  const request: ClientSliceRequest = { index };
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

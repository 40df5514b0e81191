/**
 * One publication to many `subscriptions/listen` streams on workerd: first, median and last arrival, and what a stream
 * costs in resident memory.
 *
 * One process per contestant, all up at once and published to in turns, as long as file descriptors allow. The listening
 * side is this process, and its share of the time is the same for all.
 */
import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { bundleModule } from "./bundle.ts";
import { Ears } from "./listen-ears.ts";
import { median, medianRatio, ratio, rotate, short } from "./stats.ts";
import { atMost, printTable, verdictCells } from "./table.ts";
import {
  cpuMicroseconds,
  FIRST_PORT,
  residentMegabytes,
  startWorker,
  withWorkerFiles,
  type Worker,
} from "./workerd.ts";

interface Entrant {
  readonly module: string;
  readonly title: string;
}

const FLOOR: Entrant = { module: "listen-floor", title: "floor, one isolate" };
const HUB: Entrant = { module: "listen-hub", title: "mcp-edge, one hub" };
const ENTRANTS: readonly Entrant[] = [
  FLOOR,
  { module: "listen-memory", title: "mcp-edge, memory bus, one isolate" },
  HUB,
  { module: "listen-leaves", title: "mcp-edge, root and 4 leaves" },
  { module: "listen-official", title: "official, own bus, one isolate" },
];

/** The Durable Object classes of those that have one. */
const OBJECTS = new Map([HUB.module, "listen-leaves"].map((module) => [module, "SubscriptionHub"]));

const STREAMS = [100, 1_000, 5_000] as const;
/** The number of streams that the targets are set for. What V8 and workerd need once weighs more on each of a few. */
const JUDGED = 1_000;
const MAX_LAST_TO_FLOOR = 2;
const MAX_KILOBYTES = 140;

/** Above it, contestants are up one after the other, for the sake of descriptors and memory. */
const MAX_TOGETHER = 1_000;
/** Descriptors for all but streams. */
const SPARE_DESCRIPTORS = 500;
/**
 * Opened before memory is first read, and closed before anything is timed, so that what workerd needs once does not count
 * as what each stream needs. The target was set beside a floor of 64 KB, which is what the floor takes when measured so.
 */
const WARM_STREAMS = 500;
const WARM_PUBLICATIONS = 3;
const SETTLE_MS = 800;

interface Target {
  readonly entrant: Entrant;
  readonly worker: Worker;
  readonly ears: Ears;
  readonly kilobytes: number;
  readonly first: number[];
  readonly middle: number[];
  readonly last: number[];
  readonly cpu: number[];
}

interface Plan {
  readonly sources: ReadonlyMap<string, string>;
  readonly streams: number;
  readonly rounds: number;
}

export async function benchListen({ quick }: { quick: boolean }): Promise<void> {
  const sources = new Map<string, string>();
  for (const { module } of ENTRANTS) sources.set(module, await bundleModule(`${module}.ts`));
  const most = descriptors() - SPARE_DESCRIPTORS;
  for (const streams of STREAMS.filter((count) => !quick || count <= MAX_TOGETHER)) {
    const areTogether = streams <= MAX_TOGETHER && streams * ENTRANTS.length <= most;
    const groups = areTogether ? [ENTRANTS] : ENTRANTS.map((entrant) => [entrant]);
    if (streams > most) console.log(`\n${streams} streams: skipped, too few file descriptors (see ulimit -n)`);
    else await benchStreams(groups, { sources, streams, rounds: quick ? 3 : 11 });
  }
}

async function benchStreams(groups: readonly (readonly Entrant[])[], plan: Plan): Promise<void> {
  const measured: Target[] = [];
  for (const group of groups) {
    const run = (folder: string): Promise<Target[]> => benchGroup(group, folder, plan);
    measured.push(...(await withWorkerFiles(plan.sources, run, OBJECTS))); // With nothing that others left in objects.
  }
  print(measured, plan);
}

/** All of a group are up at once. */
async function benchGroup(
  group: readonly Entrant[],
  folder: string,
  { streams, rounds }: Pick<Plan, "streams" | "rounds">,
): Promise<Target[]> {
  const workers: Worker[] = [];
  const targets: Target[] = [];
  try {
    for (const entrant of group) {
      const worker = await startWorker(folder, entrant.module, FIRST_PORT + workers.length);
      workers.push(worker);
      targets.push(await open(entrant, worker, streams));
    }
    for (const target of targets) await target.ears.hear(); // Compiles what publishing runs, on both sides.
    for (let round = 0; round < rounds; round += 1) {
      for (const target of rotate(targets, round)) await publish(target);
    }
    for (const { ears } of targets) await ears.close();
  } finally {
    for (const worker of workers) await worker.stop();
  }
  return targets;
}

async function open(entrant: Entrant, worker: Worker, count: number): Promise<Target> {
  const { port, pid } = worker;
  const { title } = entrant;
  const warm = new Ears({ title, port, count: WARM_STREAMS, uri: "test://warm" });
  const ears = new Ears({ title, port, count, uri: "test://bench" });
  await warm.open();
  for (let done = 0; done < WARM_PUBLICATIONS; done += 1) await warm.hear();
  await pause(SETTLE_MS);
  const before = await residentMegabytes(pid);
  await ears.open();
  await pause(SETTLE_MS);
  const kilobytes = (((await residentMegabytes(pid)) - before) * 1_024) / count;
  await warm.close();
  return { entrant, worker, ears, kilobytes, first: [], middle: [], last: [], cpu: [] };
}

async function publish({ worker: { pid }, ears, first, middle, last, cpu }: Target): Promise<void> {
  const before = await cpuMicroseconds(pid);
  const arrivals = await ears.hear();
  cpu.push(((await cpuMicroseconds(pid)) - before) / 1_000);
  first.push(arrivals[0] ?? Number.NaN);
  middle.push(median(arrivals));
  last.push(arrivals.at(-1) ?? Number.NaN);
}

function print(targets: readonly Target[], { streams, rounds }: Plan): void {
  const floor = targets.find(({ entrant }) => entrant === FLOOR);
  const table = [["", "first ms", "median", "last", "to floor", "target", "", "CPU ms", "KB a stream", "target", ""]];
  for (const { entrant, first, middle, last, cpu, kilobytes } of targets) {
    const toFloor = medianRatio(last, floor?.last ?? []);
    const isHub = entrant === HUB;
    const inTime = isHub && streams === JUDGED ? atMost(Number(toFloor.toFixed(2)), MAX_LAST_TO_FLOOR, "x") : undefined;
    const inMemory = isHub && streams >= JUDGED ? atMost(Math.round(kilobytes), MAX_KILOBYTES, "") : undefined;
    const arrivals = [first, middle, last].map((values) => short(median(values)));
    const costs = [short(median(cpu)), short(kilobytes)];
    table.push([
      entrant.title,
      ...arrivals,
      ratio(toFloor),
      ...verdictCells(inTime),
      ...costs,
      ...verdictCells(inMemory),
    ]);
  }
  printTable(`One publication to ${streams} streams, median of ${rounds} rounds, 0 lost`, table);
}

/** How many this process may have open; workerd inherits the limit. */
function descriptors(): number {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}

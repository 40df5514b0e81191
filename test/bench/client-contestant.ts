/** One client in a process of its own. Started by client-cpu.ts, which asks for one slice at a time. */
import { ANSWER, ARGUMENTS, type BenchClient, CLIENT_CASES, type ClientCase, type Connect } from "./client-wire.ts";
import { createPreparedServer, TOOL_NAME } from "./client-wire.ts";
import { collectGarbage } from "./collect.ts";

/** A case by its place in the list. Sent by the parent; answered with microseconds of CPU per call. */
export interface ClientSliceRequest {
  readonly index: number;
}

const SLICE_MICROSECONDS = 30_000;
const WARM_UP_MS = 1_500;
/** Their replies all exist before the clock starts. */
const MAX_CALLS = 1_000;
/** Of the case that takes seconds, enough for the compilers to be done. */
const WARM_UP_EVENTS = 25_000;

const URL = "http://127.0.0.1/mcp";

type Prepare = (calls: number, benchCase: ClientCase) => void;

class Runner {
  readonly #client: BenchClient;
  readonly #prepare: Prepare;
  readonly #case: ClientCase;
  #calls = 50;
  #quickest = Number.POSITIVE_INFINITY;

  /** Warmed up. @throws {Error} when the client does not return what it was sent */
  static async create(connect: Connect, benchCase: ClientCase): Promise<Runner> {
    const server = createPreparedServer();
    const client = await connect(URL, server.fetch);
    if ((await client.listTools()).length !== 1) throw new Error("not the tools");
    const runner = new Runner(client, server.prepare, benchCase);
    if (benchCase.isLong === true) {
      for (let run = 0; run < 2; run += 1) await runner.#run(1, { ...benchCase, events: WARM_UP_EVENTS });
    } else {
      const end = performance.now() + WARM_UP_MS;
      while (performance.now() < end) await runner.slice();
    }
    return runner;
  }

  private constructor(client: BenchClient, prepare: Prepare, benchCase: ClientCase) {
    this.#client = client;
    this.#prepare = prepare;
    this.#case = benchCase;
  }

  /** Microseconds of CPU, of all threads of this process, per call. */
  async slice(): Promise<number> {
    if (this.#case.isLong === true) return this.#run(1, this.#case);
    const cost = await this.#run(this.#calls, this.#case);
    // As in cpu-contestant.ts: everybody gets about the same time.
    this.#quickest = Math.min(this.#quickest, cost);
    this.#calls = Math.min(MAX_CALLS, Math.max(5, Math.round(SLICE_MICROSECONDS / this.#quickest)));
    return cost;
  }

  async #run(calls: number, benchCase: ClientCase): Promise<number> {
    this.#prepare(calls, benchCase);
    if (benchCase.isLong === true) collectGarbage(); // Making 50 MB of events leaves a lot behind.
    let heard = 0;
    const onProgress = benchCase.events === 0 ? undefined : () => void (heard += 1);
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) {
      const text = await this.#client.callTool(TOOL_NAME, ARGUMENTS, onProgress);
      if (text !== ANSWER) throw new Error(`another answer: ${text}`);
    }
    const { user, system } = process.cpuUsage(before);
    if (heard !== calls * benchCase.events) throw new Error(`${heard} progress notifications`);
    return (user + system) / calls;
  }
}

const [, , file = ""] = process.argv;
const { connect } = (await import(`./${file}.ts`)) as { connect: Connect }; // Every contestant's module exports one.
const runners = new Map<number, Runner>();

async function slice(index: number): Promise<number> {
  let runner = runners.get(index);
  if (runner === undefined) {
    const benchCase = CLIENT_CASES[index];
    if (benchCase === undefined) throw new RangeError(`no case ${index}`);
    runner = await Runner.create(connect, benchCase);
    runners.set(index, runner);
  }
  return runner.slice();
}

process.on("message", ({ index }: ClientSliceRequest) => {
  void slice(index).then(
    (cost) => process.send?.(cost),
    (error: unknown) => {
      console.error(file, error);
      process.exit(1); // The parent notices.
    },
  );
});

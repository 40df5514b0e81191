/**
 * One contestant in a process of its own, so that nobody pays for what another leaves on the heap. Started by cpu.ts,
 * which asks for one slice at a time.
 */
import { CASES, type Case } from "./cpu-cases.ts";
import type { BenchTool } from "./tools.ts";
import { assertReply, type Era, toRequest, wireRequest } from "./wire.ts";

type Fetch = (request: Request) => Promise<Response>;

/** A case by its place in the list. Sent by the parent; answered with microseconds of CPU per request. */
export interface SliceRequest {
  readonly index: number;
}

const SLICE_MICROSECONDS = 30_000;
/** With less, a contestant that others left little time is measured before the compilers are done with it. */
const WARM_UP_MS = 1_500;
/** All of them exist before the clock starts, so that more would be a test of the heap. */
const MAX_REQUESTS = 1_000;

class Runner {
  readonly #fetch: Fetch;
  readonly #makeRequest: () => Request;
  #requests = 50;
  #quickest = Number.POSITIVE_INFINITY;

  /** Warmed up. @throws {Error} when the contestant's reply is not the right one */
  static async create(
    serve: Serve,
    era: Era,
    { tools, call, expected: text, notifications = 0 }: Case,
  ): Promise<Runner> {
    const request = wireRequest(call, era);
    const runner = new Runner(serve(tools), () => toRequest(request));
    const response = await runner.#fetch(runner.#makeRequest());
    const type = response.headers.get("content-type") ?? "";
    assertReply(response.status, type, await response.text(), { id: 1, era, text, notifications });
    const end = performance.now() + WARM_UP_MS;
    while (performance.now() < end) await runner.slice();
    return runner;
  }

  private constructor(fetch: Fetch, makeRequest: () => Request) {
    this.#fetch = fetch;
    this.#makeRequest = makeRequest;
  }

  /** Microseconds of CPU, of all threads of this process, per request. */
  async slice(): Promise<number> {
    const requests = Array.from({ length: this.#requests }, this.#makeRequest);
    const before = process.cpuUsage();
    for (const request of requests) {
      const response = await this.#fetch(request);
      await response.arrayBuffer();
    }
    const { user, system } = process.cpuUsage(before);
    const cost = (user + system) / requests.length;
    // Everybody gets about the same time, by the quickest slice so far: one that a collection fell into would make the next
    // too short to level out another.
    this.#quickest = Math.min(this.#quickest, cost);
    this.#requests = Math.min(MAX_REQUESTS, Math.max(5, Math.round(SLICE_MICROSECONDS / this.#quickest)));
    return cost;
  }
}

type Serve = (tools: readonly BenchTool[]) => Fetch;

const [, , file = "", era = ""] = process.argv;
const { serve } = (await import(`./${file}.ts`)) as { serve: Serve }; // Every contestant's module exports one.
const runners = new Map<number, Runner>();

async function slice(index: number): Promise<number> {
  let runner = runners.get(index);
  if (runner === undefined) {
    const benchCase = CASES[index];
    if (benchCase === undefined) throw new RangeError(`no case ${index}`);
    runner = await Runner.create(serve, era === "legacy" ? "legacy" : "modern", benchCase);
    runners.set(index, runner);
  }
  return runner.slice();
}

process.on("message", ({ index }: SliceRequest) => {
  void slice(index).then(
    (cost) => process.send?.(cost),
    (error: unknown) => {
      console.error(file, error);
      process.exit(1); // The parent notices.
    },
  );
});

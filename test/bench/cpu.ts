/**
 * CPU per request in one Node process: handler and reading the whole reply, without making the `Request`.
 *
 * Contestants take turns in short slices; each row compares slices of the same round.
 */
import { serve as floor } from "./floor-ajv.ts";
import { serve as mcpLite } from "./mcp-lite.ts";
import { serve as officialZod } from "./official-zod.ts";
import { serve as official } from "./official.ts";
import { serve as ours } from "./ours-ajv.ts";
import { median, medianRatio, ratio, rotate, short } from "./stats.ts";
import { atMost, printTable, verdictCells } from "./table.ts";
import { blobTool, rowsTool, searchTools, stepsTool, type BenchTool } from "./tools.ts";
import { assertReply, type Call, type Era, toRequest, wireRequest } from "./wire.ts";

type Fetch = (request: Request) => Promise<Response>;

interface Contestant {
  readonly name: string;
  readonly era: Era;
  readonly serve: (tools: readonly BenchTool[]) => Fetch;
}

const CONTESTANTS: readonly Contestant[] = [
  { name: "floor", era: "modern", serve: floor },
  { name: "mcp-edge", era: "modern", serve: ours },
  { name: "official (JSON Schema)", era: "modern", serve: official },
  { name: "official (zod)", era: "modern", serve: officialZod },
  { name: "mcp-lite (2025-06-18)", era: "legacy", serve: mcpLite },
];

interface Case {
  readonly title: string;
  readonly tools: readonly BenchTool[];
  readonly call: Call;
  readonly expected: string;
  readonly notifications?: number;
  readonly limit: number;
  readonly modernOnly?: boolean;
}

const ROWS = Array.from({ length: 1_000 }, (_, id) => ({
  id,
  name: `Row ${id}`,
  amount: id / 4,
  state: id % 3 === 0 ? "open" : "paid",
}));
const PROGRESS = 10;

const CASES: readonly Case[] = [
  ...[1, 50, 200].map((count) => searchCase(count)),
  {
    title: "tools/list, 50 tools",
    tools: searchTools(50),
    call: { method: "tools/list" },
    expected: "search_49",
    limit: 0.6,
  },
  {
    title: "server/discover",
    tools: searchTools(1),
    call: { method: "server/discover" },
    expected: '"tools"',
    limit: 1.3,
    modernOnly: true,
  },
  callCase(
    "tools/call, 100 KB argument",
    blobTool,
    { text: "lorem ipsum ".repeat(8_334) },
    { expected: "100008", limit: 1.2 },
  ),
  callCase("tools/call, 1,000 rows", rowsTool, { rows: ROWS }, { expected: "1000", limit: 1.2 }),
  {
    ...callCase(
      "tools/call, 10 progress",
      stepsTool,
      { steps: PROGRESS },
      { expected: `walked ${PROGRESS}`, limit: 1.8 },
    ),
    call: {
      method: "tools/call",
      params: { name: stepsTool.name, arguments: { steps: PROGRESS } },
      progressToken: "p",
    },
    notifications: PROGRESS,
  },
];

function searchCase(count: number): Case {
  const name = `search_${count - 1}`;
  const params = {
    name,
    arguments: { query: "harbour", page: 3, pageSize: 20, order: "newest", tags: ["a", "b"], within: { from: "2026" } },
  };
  const call: Call = { method: "tools/call", params };
  return {
    title: `tools/call, ${count} ${count === 1 ? "tool" : "tools"}`,
    tools: searchTools(count),
    call,
    expected: "harbour, page 3",
    limit: 1.5,
  };
}

function callCase(title: string, tool: BenchTool, args: object, aim: { expected: string; limit: number }): Case {
  return { title, tools: [tool], call: { method: "tools/call", params: { name: tool.name, arguments: args } }, ...aim };
}

/** What one slice of one contestant takes, so that all of them get equal time. */
const SLICE_MICROSECONDS = 40_000;
const WARM_UP_SLICES = 6;
const MAX_REQUESTS = 2_000;

export async function benchCpu({ quick }: { quick: boolean }): Promise<void> {
  const rounds = quick ? 5 : 15;
  const table = [
    ["µs of CPU per request (ratio to the floor)", ...CONTESTANTS.map(({ name }) => name), "mcp-edge target", ""],
  ];
  for (const benchCase of CASES) table.push(await measureCase(benchCase, rounds));
  printTable(
    `CPU per request, Node ${process.versions.node}, in-process, median of ${rounds} interleaved rounds`,
    table,
  );
}

async function measureCase(benchCase: Case, rounds: number): Promise<string[]> {
  const { title, limit, modernOnly = false } = benchCase;
  const entered = CONTESTANTS.filter(({ era }) => era === "modern" || !modernOnly);
  const runners = await Promise.all(entered.map((contestant) => Runner.create(contestant, benchCase)));
  for (const runner of runners) await runner.warmUp();
  const costs = new Map(CONTESTANTS.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const runner of rotate(runners, round)) costs.get(runner.name)?.push(await runner.slice());
  }
  const floorCosts = costs.get("floor") ?? [];
  const cells = [...costs.values()].map((values) =>
    values.length === 0 ? "–" : `${short(median(values))}  ${ratio(medianRatio(values, floorCosts)).padStart(7)}`,
  );
  const achieved = medianRatio(costs.get("mcp-edge") ?? [], floorCosts);
  return [title, ...cells, ...verdictCells(atMost(Number(achieved.toFixed(2)), limit, "x"))];
}

class Runner {
  readonly name: string;
  readonly #fetch: Fetch;
  readonly #makeRequest: () => Request;
  #requests = 20;

  /** @throws {Error} when the contestant's reply is not the right one */
  static async create(
    contestant: Contestant,
    { tools, call, expected: text, notifications = 0 }: Case,
  ): Promise<Runner> {
    const { era, name, serve } = contestant;
    const request = wireRequest(call, era);
    const runner = new Runner(name, serve(tools), () => toRequest(request));
    const response = await runner.#fetch(runner.#makeRequest());
    const type = response.headers.get("content-type") ?? "";
    assertReply(response.status, type, await response.text(), { id: 1, era, text, notifications });
    return runner;
  }

  private constructor(name: string, fetch: Fetch, makeRequest: () => Request) {
    this.name = name;
    this.#fetch = fetch;
    this.#makeRequest = makeRequest;
  }

  async warmUp(): Promise<void> {
    for (let slice = 0; slice < WARM_UP_SLICES; slice += 1) {
      const cost = await this.slice();
      this.#requests = Math.min(MAX_REQUESTS, Math.max(5, Math.round(SLICE_MICROSECONDS / cost)));
    }
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
    return (user + system) / requests.length;
  }
}

/** What is measured in process: tools, the request, what the reply must say, and how far mcp-edge may be from the floor. */
import { type BenchTool, blobTool, rowsTool, searchTools, stepsTool } from "./tools.ts";
import type { Call } from "./wire.ts";

export interface Case {
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

export const CASES: readonly Case[] = [
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

/**
 * One isolate under many calls: does every reply carry its own id and argument, and is the memory flat afterwards?
 */
import { bundleWorker, type Kind, TITLES } from "./bundle.ts";
import { collectGarbage } from "./collect.ts";
import { serve } from "./ours-ajv.ts";
import { printTable } from "./table.ts";
import { echoTool } from "./tools.ts";
import { toRequest, wireRequest } from "./wire.ts";
import { FIRST_PORT, residentMegabytes, startWorker, withWorkerFiles } from "./workerd.ts";

const CONCURRENT = 200;
const SEQUENTIAL = 10_000;
const HANDLER_MS = 50;
const MAX_GROWTH = 1.05;
/** Before the first reading: enough calls for the compilers to have settled. */
const WARM_UP = 2_000;

type Send = (request: Request) => Promise<Response>;

interface Findings {
  readonly crossed: number;
  readonly concurrentMs: number;
  readonly memory: readonly number[];
}

export async function benchIsolate({ quick }: { quick: boolean }): Promise<void> {
  const sequential = quick ? SEQUENTIAL / 10 : SEQUENTIAL;
  const inProcess = await drive(serve([echoTool]), { sequential, memory: heapMegabytes });
  const onWorkerd = await driveWorkerd("ours-ajv", sequential);
  const floor = await driveWorkerd("floor-built", sequential);
  const table = [
    [
      "",
      "cross-talk",
      `${CONCURRENT} x ${HANDLER_MS} ms took`,
      "memory MB: start",
      "after concurrent",
      `after ${sequential} more`,
    ],
    row("mcp-edge in Node, heap after collection", inProcess),
    row("mcp-edge on workerd, resident", onWorkerd),
    row(`${TITLES["floor-built"]}, on workerd, resident`, floor),
  ];
  printTable(`${CONCURRENT} concurrent and ${sequential} sequential calls against one isolate`, table);
  // workerd collects late and its allocator gives little back, so resident memory is to be read beside the floor's.
  const crossed = inProcess.crossed + onWorkerd.crossed;
  const [start = Number.NaN] = inProcess.memory;
  const growth = (inProcess.memory.at(-1) ?? Number.NaN) / start;
  console.log(`target: 0 cross-talk   ${crossed === 0 ? "ok" : "MISS"}`);
  console.log(`target: heap grown by at most 5 %   ${growth <= MAX_GROWTH ? "ok" : "MISS"}`);
}

function row(title: string, { crossed, concurrentMs, memory }: Findings): string[] {
  return [title, String(crossed), `${concurrentMs.toFixed(0)} ms`, ...memory.map((value) => value.toFixed(1))];
}

async function driveWorkerd(kind: Kind, sequential: number): Promise<Findings> {
  const sources = new Map([["echo", await bundleWorker(kind, "echo")]]);
  return withWorkerFiles(sources, async (folder) => {
    const worker = await startWorker(folder, "echo", FIRST_PORT);
    try {
      const send: Send = async (request) => fetch(new Request(`http://127.0.0.1:${worker.port}/mcp`, request));
      return await drive(send, { sequential, memory: () => residentMegabytes(worker.pid) });
    } finally {
      await worker.stop();
    }
  });
}

interface Plan {
  readonly sequential: number;
  readonly memory: () => number | Promise<number>;
}

async function drive(send: Send, { sequential, memory }: Plan): Promise<Findings> {
  let crossed = 0;
  let id = 0;
  const call = async (waitMs: number): Promise<void> => {
    id += 1;
    if (!(await isOwnReply(send, id, waitMs))) crossed += 1;
  };
  for (let warm = 0; warm < WARM_UP; warm += 1) await call(0);
  const readings = [await memory()];
  const start = performance.now();
  await Promise.all(Array.from({ length: CONCURRENT }, () => call(HANDLER_MS)));
  const concurrentMs = performance.now() - start;
  readings.push(await memory());
  for (let done = 0; done < sequential; done += 1) await call(0);
  readings.push(await memory());
  return { crossed, concurrentMs, memory: readings };
}

/** What matters of a reply; compared, not trusted. */
interface EchoReply {
  readonly id?: unknown;
  readonly result?: { readonly content?: readonly { readonly text?: unknown }[] };
}

/** The argument differs from the id, so that neither can stand in for the other. */
async function isOwnReply(send: Send, id: number, waitMs: number): Promise<boolean> {
  const value = id * 7 + 3;
  const params = { name: echoTool.name, arguments: { value, waitMs } };
  const response = await send(toRequest(wireRequest({ method: "tools/call", params, id }, "modern")));
  const reply = await response.json<EchoReply>();
  return reply.id === id && reply.result?.content?.[0]?.text === String(value);
}

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_048_576;
}

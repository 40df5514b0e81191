/**
 * `npm run bench [-- cpu|size|client|cold|rps|isolate|listen …] [--quick]`: mcp-edge beside a hand-written floor and its peers.
 *
 * Everything runs on loopback and ends by itself. Figures are for comparing within one run: the floor tells how fast the
 * machine was at that time.
 */
import { benchClient } from "./client.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchCpu } from "./cpu.ts";
import { benchIsolate } from "./isolate.ts";
import { benchListen } from "./listen.ts";
import { benchRps } from "./rps.ts";
import { benchSizes } from "./sizes.ts";

const GROUPS = {
  cpu: benchCpu,
  size: benchSizes,
  client: benchClient,
  rps: benchRps,
  cold: benchColdStart,
  isolate: benchIsolate,
  listen: benchListen,
};
type Group = keyof typeof GROUPS;

const [...args] = process.argv.slice(2);
const quick = args.includes("--quick");
const asked = args.filter((arg) => arg !== "--quick");
const unknown = asked.filter((arg) => !Object.hasOwn(GROUPS, arg));

if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(" ")}. Choose from ${Object.keys(GROUPS).join(", ")} and --quick.`);
  process.exitCode = 2;
} else {
  const start = performance.now();
  for (const [name, run] of Object.entries(GROUPS) as [Group, (options: { quick: boolean }) => Promise<void>][]) {
    if (asked.length === 0 || asked.includes(name)) await run({ quick });
  }
  console.log(`\ntook ${((performance.now() - start) / 1_000).toFixed(0)} s`);
}

/**
 * What changed between two texts, by lines. Where they part, they meet again at the nearest line that both have: not always
 * the shortest account of what changed, but one that reads well.
 */

/** Between where they part and where they meet, on both sides together: the cost is its square. */
export const MAX_LINES = 4_000;

export type Run = readonly [sign: " " | "-" | "+", lines: readonly string[]];

/** All lines, in runs, of which some are empty. Undefined when a change is longer than that. */
export function diffLines(before: string, after: string): Run[] | undefined {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const runs: Run[] = [];
  for (let x = 0, y = 0; x < old.length || y < fresh.length;) {
    let gone = 0;
    let apart = 0;
    // Behind their last lines both are undefined, so they meet there at the latest.
    while (old[x + gone] !== fresh[y + apart - gone]) {
      if (gone-- === 0) gone = ++apart;
      if (apart > MAX_LINES) return undefined;
    }
    runs.push(["-", old.slice(x, (x += gone))], ["+", fresh.slice(y, (y += apart - gone))]);
    const met = x;
    while (x < old.length && old[x] === fresh[y]) {
      x++;
      y++;
    }
    runs.push([" ", old.slice(met, x)]);
  }
  return runs;
}

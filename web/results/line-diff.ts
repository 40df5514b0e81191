/**
 * What changed between two texts, by lines: the longest common subsequence of what is between their common ends, whose cost
 * is the product of both, and so is bounded.
 */

/** On each side. */
export const MAX_LINES = 2_000;

/** All lines, each behind `+ `, `- ` or two spaces. Undefined when there is more between the first change and the last. */
export function diffLines(before: string, after: string): string[] | undefined {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  let end = 0;
  while (start < most && old[start] === fresh[start]) start++;
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const height = old.length - end;
  const width = fresh.length - end;
  if (Math.max(height, width) - start > MAX_LINES) return undefined;
  /** How many lines are common from here on, by lines of the old and of the fresh that are behind. */
  const common = new Uint16Array((height - start + 1) * (width - start + 1));
  const index = (x: number, y: number): number => (x - start) * (width - start + 1) + y - start;
  const at = (x: number, y: number): number => common[index(x, y)] ?? 0;
  for (let x = height; x-- > start;) {
    for (let y = width; y-- > start;) {
      common[index(x, y)] = old[x] === fresh[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
    }
  }
  const lines: string[] = [];
  for (let x = 0, y = 0; x < old.length || y < fresh.length;) {
    if (old[x] === fresh[y] && x < height === y < width) {
      lines.push(`  ${old[x++]}`);
      y++;
    } else if (x < height && (y === width || at(x + 1, y) >= at(x, y + 1))) lines.push(`- ${old[x++]}`);
    else lines.push(`+ ${fresh[y++]}`);
  }
  return lines;
}

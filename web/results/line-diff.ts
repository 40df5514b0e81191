/**
 * What changed between two texts, by lines: the longest common subsequence of what is between their common ends, whose cost
 * is the product of both, and so is bounded.
 */
export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** On each side. */
export const MAX_LINES = 2_000;

/** Undefined when there is more between the first line that changed and the last. */
export function diffLines(before: string, after: string): DiffLine[] | undefined {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  let end = 0;
  while (start < most && old[start] === fresh[start]) start++;
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const height = old.length - start - end;
  const width = fresh.length - start - end;
  if (Math.max(height, width) > MAX_LINES) return undefined;
  /** How many lines are common from here on, by lines of the old and of the fresh that are behind. */
  const common = new Uint16Array((height + 1) * (width + 1));
  const at = (x: number, y: number): number => common[x * (width + 1) + y] ?? 0;
  const isSame = (x: number, y: number): boolean => old[start + x] === fresh[start + y];
  for (let x = height - 1; x >= 0; x--) {
    for (let y = width - 1; y >= 0; y--) {
      common[x * (width + 1) + y] = isSame(x, y) ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
    }
  }
  const lines: DiffLine[] = [];
  const put = (sign: DiffLine["sign"], texts: readonly string[]): void => {
    for (const text of texts) lines.push({ sign, text });
  };
  put(" ", old.slice(0, start));
  for (let x = 0, y = 0; x < height || y < width;) {
    if (x < height && y < width && isSame(x, y)) {
      put(" ", [old[start + x++] ?? ""]);
      y++;
    } else if (x < height && (y === width || at(x + 1, y) >= at(x, y + 1))) put("-", [old[start + x++] ?? ""]);
    else put("+", [fresh[start + y++] ?? ""]);
  }
  put(" ", old.slice(start + height));
  return lines;
}

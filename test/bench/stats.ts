/** Numbers out of noisy rounds, and how to write them. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return (low + high) / 2;
}

/**
 * The median over rounds of a figure against the same round's floor: what slows the whole machine down for a while slows
 * down both.
 */
export function medianRatio(values: readonly number[], floor: readonly number[]): number {
  return median(values.map((value, round) => value / (floor[round] ?? Number.NaN)));
}

/** `items`, starting elsewhere each round, so that nobody always runs first or after the same neighbour. */
export function rotate<T>(items: readonly T[], round: number): T[] {
  const start = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

export function ratio(value: number): string {
  return Number.isNaN(value) ? "–" : `${value.toFixed(2)}x`;
}

/** Three digits are all that such a machine gives. */
export function short(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

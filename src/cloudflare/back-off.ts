/** How long to wait before trying again: longer each time, and never in step with others that failed at the same moment. Pure. */

const FIRST_MS = 100;
/** Long enough for a thousand peers to be bearable for one object, short enough for a recovery to be noticed soon. */
export const LONGEST_BACK_OFF_MS = 10_000;

/**
 * The wait after `failures` failures in a row: up to 100 ms with none, then between half and all of 200 ms, 400 ms, and
 * so on.
 *
 * @param random yields 0 (included) to 1 (excluded), as `Math.random` does
 */
export function backOffMs(failures: number, random: () => number): number {
  if (failures === 0) return random() * FIRST_MS;
  // An exponent without bound would reach Infinity, which timers take for 0.
  const longest = Math.min(FIRST_MS * 2 ** Math.min(failures, 20), LONGEST_BACK_OFF_MS);
  return longest * (0.5 + random() / 2);
}

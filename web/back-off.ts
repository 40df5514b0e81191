/**
 * How long to wait before asking again. Pure: the clock and the dice come from outside.
 */

const FIRST_MS = 2_000;
const MAX_BACK_OFF_MS = 30_000;
/** Our choice: a server that asks for more is asked again after an hour all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Doubles with each failure from the first on, between half of it and all of it, so that pages which lost the same server do
 * not come back at the same moment: 1 to 2 s, then 2 to 4 s, in the end 15 to 30 s.
 *
 * @param failures in a row, 1 or more @param random from 0 to 1
 */
export function backOffMs(failures: number, random: number): number {
  const most = Math.min(MAX_BACK_OFF_MS, FIRST_MS * 2 ** (failures - 1));
  return most * (0.5 + random / 2);
}

/** `Retry-After`, which is seconds or a date. @returns 0 when there is none, or none that can be read */
export function retryAfterMs(header: string | undefined, now: number): number {
  const value = header?.trim() ?? "";
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return wait > 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : 0; // NaN is not above 0.
}

/** The refusal of a listener that may well be served a little later. */
import { UnavailableError } from "../protocol/errors.ts";

/** When to come again, in milliseconds. */
export const RETRY_AFTER_MS = 5_000;

export function unavailable(): UnavailableError {
  return new UnavailableError("busy", "Subscriptions are not available right now", RETRY_AFTER_MS);
}

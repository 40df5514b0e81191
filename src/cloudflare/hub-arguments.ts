/**
 * Judges what the methods of a hub are called with. Each function throws a TypeError that names the member. Pure.
 */
import type { Change } from "../protocol/subscription.ts";
import { assertChange, type NumberedChange, type Position } from "./frames.ts";
import { isLeaf } from "./hub-name.ts";

const MAX_CHANGES = 1_000;
const MAX_PUBLICATION_LENGTH = 64;
const MAX_EPOCH_LENGTH = 64;

export function assertChanges(value: unknown): Change[] {
  return assertArray(value).map(assertChange);
}

/** Numbered changes that must follow, without a gap, on a number. */
export function assertFollowing(value: unknown, previousSeq: number): NumberedChange[] {
  return assertArray(value).map((entry, index) => {
    const { seq, change } = Object(entry) as { seq?: unknown; change?: unknown }; // Any object may have them.
    if (seq !== previousSeq + 1 + index) throw new TypeError(`changes[${index}].seq: must follow`);
    return { seq, change: assertChange(change) };
  });
}

export function assertPublication(value: unknown): void {
  if (typeof value !== "string" || value === "" || value.length > MAX_PUBLICATION_LENGTH) {
    throw new TypeError(`publication: must be of 1 to ${MAX_PUBLICATION_LENGTH} characters`);
  }
}

export function assertLeaf(value: unknown): void {
  if (!isLeaf(value)) throw new TypeError("leaf: must be of 1 to 64 characters, without a colon");
}

export function assertPosition(value: unknown): Position {
  const { epoch, seq } = Object(value) as { epoch?: unknown; seq?: unknown }; // Any object may have them.
  if (typeof epoch !== "string" || epoch === "" || epoch.length > MAX_EPOCH_LENGTH) {
    throw new TypeError(`epoch: must be of 1 to ${MAX_EPOCH_LENGTH} characters`);
  }
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) throw new TypeError("seq: must be a number of 0 or more"); // As judged.
  return { epoch, seq: seq as number }; // A safe integer is a number.
}

function assertArray(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError("changes: must be an array");
  if (value.length > MAX_CHANGES) throw new TypeError(`changes: at most ${MAX_CHANGES} at a time`);
  return value;
}

/**
 * Cursors over an ordered list. A cursor names the last entry seen, so it survives entries being added around it, means
 * the same on every instance, and is refused on another list.
 *
 * @see spec 2026-07-28 server/utilities/pagination
 */
import { decodeBase64Url, encodeBase64Url } from "../protocol/base64.ts";
import { invalidParams } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/types.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/** A longer cursor is no cursor of ours: names are at most a few hundred characters. */
const MAX_CURSOR_CHARS = 16_384;

/** The page that starts at `start`. */
export function pageAt<T>(list: NamedList<T>, start: number, pageSize: number): Page<T> {
  const { name, items, keyOf } = list;
  const end = Math.min(start + pageSize, items.length);
  const last = items[end - 1];
  const nextCursor = end < items.length && last !== undefined ? encodeCursor(name, end - 1, keyOf(last)) : undefined;
  return { items: start === 0 && end === items.length ? items : items.slice(start, end), nextCursor };
}

export interface NamedList<T> {
  /** Part of every cursor, so that one list does not take another's. */
  readonly name: string;
  readonly items: readonly T[];
  /** A name that is unique in the list. */
  readonly keyOf: (item: T) => string;
}

/** Where the page behind a cursor starts. @throws {ProtocolError} −32602 unless this list handed the cursor out and still has the entry */
export function startOf<T>({ name, items, keyOf }: NamedList<T>, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const decoded = decodeCursor(cursor);
  if (decoded?.[0] === name) {
    const [, index, key] = decoded;
    const there = items[index];
    if (there !== undefined && keyOf(there) === key) return index + 1;
    const moved = items.findIndex((item) => keyOf(item) === key);
    if (moved >= 0) return moved + 1;
  }
  throw invalidParams("Invalid params: cursor is not one of this list, or its entry is gone; start again without it");
}

/** @throws {ProtocolError} −32602 unless `cursor` is absent or a string */
export function cursorOf(params: JsonObject): string | undefined {
  const cursor = params["cursor"];
  if (cursor === undefined || typeof cursor === "string") return cursor;
  throw invalidParams("Invalid params: cursor must be a string");
}

function encodeCursor(list: string, index: number, key: string): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify([list, index, key])));
}

function decodeCursor(cursor: string): [string, number, string] | undefined {
  const bytes = cursor.length > MAX_CURSOR_CHARS ? undefined : decodeBase64Url(cursor);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // Nothing at all is no JSON either.
  }
  if (!Array.isArray(value)) return undefined;
  const [list, index, key] = value as unknown[]; // An array from JSON holds unknowns, not `any`.
  if (typeof list !== "string" || typeof index !== "number" || typeof key !== "string") return undefined;
  return [list, index, key];
}

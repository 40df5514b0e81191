/**
 * What a Worker and a hub object say to each other, and its versions. Pure.
 *
 * The Worker asks to join with an upgrade request that carries one header; the hub answers over the WebSocket with text
 * frames. After a deployment the two may be of different versions for some minutes, so the one that joins lists what it
 * speaks, the hub chooses, and both ignore members and frame types that they do not know.
 */
import { decodeBase64, encodeBase64 } from "../protocol/base64.ts";
import { isObject } from "../protocol/json-rpc.ts";
import { type Change, type SubscriptionFilter, uriFault } from "../protocol/subscription.ts";
import type { JsonObject } from "../protocol/types.ts";

/** What this code speaks, best first. */
export const FRAME_VERSIONS: readonly number[] = [1];

export const JOIN_HEADER = "mcp-edge-join";
/** Sent by the Worker, and answered by the runtime with `PONG` without waking the hub. */
export const PING = "ping";
export const PONG = "pong";
/** Close code of a hub that has no version in common with its peer any more. */
export const CLOSE_VERSION = 4_426;
/** Close code of a hub that wants the Worker to join anew, and wishes it well. */
export const CLOSE_REJOIN = 4_000;

/**
 * What a hub needs to know of a filter: its flags, and a hash for each URI. Two URIs may share a hash, so what arrives
 * must be matched once more where the filter itself is known.
 */
export interface Interest {
  readonly lists: readonly Change["type"][];
  /** Sorted; or all there are. */
  readonly uris: Uint32Array | "all";
}

const LISTS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const;

export const EVERYTHING: Interest = { lists: LISTS, uris: "all" };

export interface Join {
  readonly versions: readonly number[];
  readonly interest: Interest;
  /** Where to go on: the last number seen, of a log that is recognised by its epoch. */
  readonly resume: Position | undefined;
  /** For who has no number yet: from when on, in milliseconds since the epoch, changes are wanted that are in the log. */
  readonly after?: number | undefined;
}

export interface Position {
  readonly epoch: string;
  readonly seq: number;
}

export interface NumberedChange {
  /** Counts up by one for each change of a hub, from 1. */
  readonly seq: number;
  readonly change: Change;
}

export type HubFrame =
  /**
   * The first frame on a socket. `missed` says that the log does not reach back to what was asked for: everything may
   * have changed up to the position, and numbers go on from there. Otherwise what was asked for follows, if there is any,
   * and then the position is where that begins: a socket that is cut in between must not seem to have brought it.
   */
  | { readonly type: "joined"; readonly version: number; readonly position: Position; readonly missed: boolean }
  | { readonly type: "changes"; readonly changes: readonly NumberedChange[] };

/** FNV-1a, 32 bits, over UTF-16 code units. */
export function hashUri(uri: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < uri.length; index += 1) {
    hash = Math.imul(hash ^ uri.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function interestOf(filter: SubscriptionFilter): Interest {
  const lists = LISTS.filter((type) => filter[type] === true);
  const hashes = new Set((filter.resourceSubscriptions ?? []).map(hashUri));
  return { lists, uris: Uint32Array.from(hashes).toSorted() };
}

export function isOfInterest(interest: Interest, change: Change): boolean {
  return coversTopic(interest, topicOf(change));
}

/** A change as interests see it, for when there are many of them. */
export interface Topic {
  readonly type: Change["type"];
  readonly hash: number;
}

export function topicOf(change: Change): Topic {
  return { type: change.type, hash: change.type === "resourceUpdated" ? hashUri(change.uri) : 0 };
}

export function coversTopic({ lists, uris }: Interest, { type, hash }: Topic): boolean {
  if (type !== "resourceUpdated") return lists.includes(type);
  return uris === "all" || includesSorted(uris, hash);
}

/** The value of `JOIN_HEADER`: ASCII. */
export function encodeJoin({ versions, interest: { lists, uris }, resume, after }: Join): string {
  return JSON.stringify({ versions, lists, uris: uris === "all" ? ALL_URIS : encodeHashes(uris), resume, after });
}

/** Little-endian, as all that runs this is. */
function encodeHashes({ buffer, byteOffset, byteLength }: Uint32Array): string {
  return encodeBase64(new Uint8Array(buffer, byteOffset, byteLength));
}

/** Not in the alphabet of Base64. */
const ALL_URIS = "*";

/** Undefined when it is not a join of any version. */
export function decodeJoin(header: string): Join | undefined {
  const value = parseObject(header);
  if (value === undefined) return undefined;
  const { versions, lists, uris, resume, after } = value;
  if (!Array.isArray(versions) || !versions.every(Number.isSafeInteger)) return undefined;
  if (!Array.isArray(lists) || typeof uris !== "string") return undefined;
  const hashes: Interest["uris"] | undefined = uris === ALL_URIS ? "all" : decodeHashes(uris);
  if (hashes === undefined) return undefined;
  if (resume !== undefined && !isPosition(resume)) return undefined;
  if (after !== undefined && typeof after !== "number") return undefined;
  const interest = { lists: LISTS.filter((type) => lists.includes(type)), uris: hashes };
  return { versions: versions as number[], interest, resume, after }; // Judged above.
}

function decodeHashes(uris: string): Uint32Array | undefined {
  const bytes = decodeBase64(uris);
  if (bytes === undefined || bytes.length % 4 !== 0 || bytes.length > MAX_INTEREST_BYTES) return undefined;
  return new Uint32Array(bytes.slice().buffer);
}

/** The best version that both speak, or undefined. */
export function commonVersion(theirs: readonly number[], ours: readonly number[] = FRAME_VERSIONS): number | undefined {
  return ours.find((version) => theirs.includes(version));
}

export function encodeFrame(frame: HubFrame): string {
  if (frame.type === "joined") return JSON.stringify(frame);
  const changes = frame.changes.map(({ seq, change }) =>
    change.type === "resourceUpdated" ? [seq, change.type, change.uri] : [seq, change.type],
  );
  return JSON.stringify({ type: "changes", changes });
}

/** Undefined for a frame of a type that a later version may have. @throws {TypeError} for what no version sends */
export function decodeFrame(text: unknown): HubFrame | undefined {
  const value = typeof text === "string" ? parseObject(text) : undefined;
  if (value === undefined || typeof value["type"] !== "string") throw new TypeError("not a frame");
  if (value["type"] === "joined") {
    const { version, position, missed } = value;
    if (!Number.isSafeInteger(version) || !isPosition(position) || typeof missed !== "boolean") {
      throw new TypeError("not a joined frame");
    }
    return { type: "joined", version: version as number, position, missed }; // A safe integer is a number.
  }
  if (value["type"] !== "changes") return undefined;
  if (!Array.isArray(value["changes"])) throw new TypeError("not a changes frame");
  return { type: "changes", changes: value["changes"].flatMap(decodeChange) };
}

/** Nothing for a kind of change that a later version may have. */
function decodeChange(entry: unknown): NumberedChange[] {
  if (!Array.isArray(entry)) throw new TypeError("not a numbered change");
  const [seq, type, uri] = entry as unknown[];
  if (!Number.isSafeInteger(seq) || typeof type !== "string") throw new TypeError("not a numbered change");
  const number = seq as number; // As judged.
  if (type === "resourceUpdated") {
    if (typeof uri !== "string") throw new TypeError("a change without its URI");
    return [{ seq: number, change: { type, uri } }];
  }
  const list = LISTS.find((known) => known === type);
  return list === undefined ? [] : [{ seq: number, change: { type: list } }];
}

/** Judges what somebody wants published. @throws {TypeError} naming the member */
export function assertChange(value: unknown): Change {
  if (!isObject(value)) throw new TypeError("change: must be an object");
  const { type, uri } = value;
  const list = LISTS.find((known) => known === type);
  if (list !== undefined) return { type: list };
  if (type !== "resourceUpdated") throw new TypeError("change.type: not a kind of change");
  const fault = uriFault(uri);
  if (fault !== undefined) throw new TypeError(`change.uri: ${fault}`);
  return { type, uri: String(uri) };
}

/** A hibernating socket keeps 16 KB beside it; this leaves room for the rest. */
const MAX_INTEREST_BYTES = 12_288;

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPosition(value: unknown): value is Position {
  return isObject(value) && typeof value["epoch"] === "string" && Number.isSafeInteger(value["seq"]);
}

function includesSorted(sorted: Uint32Array, wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? 0;
    if (found === wanted) return true;
    if (found < wanted) low = middle + 1;
    else high = middle;
  }
  return false;
}

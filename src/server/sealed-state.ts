/**
 * `requestState`: AES-256-GCM over what a half-finished call must remember, since it travels through the caller.
 *
 * A sealed state opens only at the server, and for the principal, method, target and arguments it was made for, with one
 * of the configured keys, before it expires. Layout, base64url after the prefix: key hint (4 bytes), IV (12 bytes), ciphertext with tag.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow
 */
import { decodeBase64Url, encodeBase64, encodeBase64Url } from "../protocol/base64.ts";
import type { JsonObject } from "../protocol/types.ts";

/** The request a state belongs to. Every field is compared on the way back. */
export interface StateBinding {
  /** The server's name: several may share a key. */
  readonly server: string;
  /** The authenticated subject, or null for anonymous callers. */
  readonly principal: string | null;
  readonly method: string;
  /** The tool or prompt name, or the resource URI. */
  readonly target: string;
  readonly args: JsonObject;
}

export interface StateSealer {
  /** @throws {RangeError} when the payload is larger than a client can be expected to carry. */
  seal(payload: JsonObject, binding: StateBinding): Promise<string>;
  /** Undefined when the state is forged, foreign, expired or damaged; the caller learns no more than that. */
  open(state: string, binding: StateBinding): Promise<JsonObject | undefined>;
}

export interface SealerOptions {
  /** 32-byte keys. The first seals, all open: rotate by putting a new one in front. */
  keys: readonly Uint8Array<ArrayBuffer>[];
  /** How long a caller may take to answer, in milliseconds. */
  ttlMs: number;
  now: () => number;
  /** Where the server is reached: a state opens only at the place it was made at. Default "". */
  context?: string;
}

/** Version of the layout; a state from another version is refused like a forged one. */
const PREFIX = "s1.";
const HINT_BYTES = 4;
const IV_BYTES = 12;
/** A retry carries the state in its body, next to arguments within the 4 MiB limit; this leaves them most of it. */
const MAX_PAYLOAD_CHARS = 262_144;

interface Key {
  readonly hint: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/** Keys are imported on first use: workerd allows no cryptography at module scope. */
export function createSealer({ keys, ttlMs, now, context = "" }: SealerOptions): StateSealer {
  let imported: Promise<Key[]> | undefined;
  const load = (): Promise<Key[]> => (imported ??= Promise.all(keys.map(importKey)));
  return {
    async seal(payload, binding) {
      const text = JSON.stringify({ exp: now() + ttlMs, data: payload });
      if (text.length > MAX_PAYLOAD_CHARS) {
        throw new RangeError(`the state to carry is ${text.length} characters, more than ${MAX_PAYLOAD_CHARS}`);
      }
      const [first] = await load();
      if (first === undefined) throw new TypeError("stateKeys: at least one key is needed");
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData: await associatedData(binding, context) },
        first.key,
        new TextEncoder().encode(text),
      );
      const bytes = new Uint8Array(HINT_BYTES + IV_BYTES + sealed.byteLength);
      bytes.set(first.hint);
      bytes.set(iv, HINT_BYTES);
      bytes.set(new Uint8Array(sealed), HINT_BYTES + IV_BYTES);
      return PREFIX + encodeBase64Url(bytes);
    },
    async open(state, binding) {
      const bytes = state.startsWith(PREFIX) ? decodeBase64Url(state.slice(PREFIX.length)) : undefined;
      if (bytes === undefined || bytes.length <= HINT_BYTES + IV_BYTES) return undefined;
      const key = (await load()).find(({ hint }) => hint.every((byte, index) => byte === bytes[index]));
      if (key === undefined) return undefined;
      const iv = bytes.subarray(HINT_BYTES, HINT_BYTES + IV_BYTES);
      const additionalData = await associatedData(binding, context);
      let text: string;
      try {
        const opened = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData },
          key.key,
          bytes.subarray(HINT_BYTES + IV_BYTES),
        );
        text = new TextDecoder().decode(opened);
      } catch {
        return undefined; // The tag does not match: another binding, or tampered with.
      }
      // Whatever authenticated under our key is what seal() wrote.
      const { exp, data } = JSON.parse(text) as { exp: number; data: JsonObject };
      return now() < exp ? data : undefined;
    },
  };
}

/**
 * A 32-byte key from its configured form: raw bytes, 64 hex digits, or Base64 (either alphabet).
 *
 * @throws {TypeError} naming the entry
 */
export function parseStateKey(key: string | Uint8Array, index: number): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === "string" ? keyBytes(key.trim()) : key;
  if (bytes?.length !== 32) {
    throw new TypeError(`stateKeys[${index}]: must be 32 bytes, as a Uint8Array, 64 hex digits or Base64`);
  }
  return new Uint8Array(bytes);
}

function keyBytes(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<Key> {
  const [digest, key] = await Promise.all([
    crypto.subtle.digest("SHA-256", bytes),
    crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
  ]);
  return { hint: new Uint8Array(digest, 0, HINT_BYTES), key };
}

/** Length-free framing would let fields run into each other; JSON keeps them apart. */
async function associatedData(binding: StateBinding, context: string): Promise<Uint8Array> {
  const { server, principal, method, target, args } = binding;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(args)));
  const fields = [PREFIX, context, server, principal, method, target, encodeBase64(new Uint8Array(digest))];
  return new TextEncoder().encode(JSON.stringify(fields));
}

/** JSON with sorted keys, so that a client may re-serialise its arguments in another order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * From the configured keys to the sealer of a request.
 *
 * Keys may come from `env`, so they are looked up when a call first needs them: a mistake in them then fails that call,
 * with its id, and no other.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow
 */
import { encodeBase64 } from "../protocol/base64.ts";
import { createSealer, parseStateKey, type StateSealer } from "../server/sealed-state.ts";
import { type FromEnv, fromEnv } from "./from-env.ts";

/** Undefined entries are left out, so that a key which is not there yet, or no longer, needs no special case. */
export type StateKeys = readonly (string | Uint8Array | undefined)[] | undefined;

export interface StateKeyOptions<Env> {
  readonly keys: FromEnv<StateKeys, Env>;
  readonly ttlMs: number;
  readonly now: () => number;
  /** What the state is good for, beside what the server binds it to: the endpoint. */
  readonly context: string;
  readonly onWarning: (message: string) => void;
}

/** Sets of keys remembered: one, and the next while a deployment rotates them. More are a mistake, and are read anew. */
const MAX_SEALERS = 8;

export class Sealers<Env> {
  readonly #options: StateKeyOptions<Env>;
  /** By the keys themselves, since some runtimes pass another `env` with each request. */
  readonly #sealers: Map<string, StateSealer> = new Map();
  #ownKey: StateSealer | undefined;

  constructor(options: StateKeyOptions<Env>) {
    this.#options = options;
    if (Array.isArray(options.keys)) definedKeys(options.keys).forEach(parseStateKey);
  }

  /** @throws {TypeError} naming the key that is malformed */
  for(env: Env): StateSealer {
    const keys = definedKeys(fromEnv(this.#options.keys, env));
    if (keys.length === 0) return (this.#ownKey ??= this.#withOwnKey());
    const id = keys.map((key) => (typeof key === "string" ? key : encodeBase64(key))).join(" ");
    let sealer = this.#sealers.get(id);
    if (sealer === undefined) {
      sealer = createSealer({ ...this.#options, keys: keys.map(parseStateKey) });
      if (this.#sealers.size >= MAX_SEALERS) this.#sealers.clear();
      this.#sealers.set(id, sealer);
    }
    return sealer;
  }

  #withOwnKey(): StateSealer {
    this.#options.onWarning("no stateKeys: questions asked by this instance can only be answered at this instance");
    return createSealer({ ...this.#options, keys: [crypto.getRandomValues(new Uint8Array(32))] });
  }
}

function definedKeys(keys: StateKeys): (string | Uint8Array)[] {
  return (keys ?? []).filter((key) => key !== undefined);
}

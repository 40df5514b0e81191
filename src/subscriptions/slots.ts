/**
 * How many streams may be open at once: in this process, and for one principal in it.
 */
import { UnavailableError } from "../protocol/errors.ts";

export interface SlotLimits {
  readonly total: number;
  readonly perPrincipal: number;
  /** When to come again, in milliseconds. */
  readonly retryAfterMs: number;
}

export class Slots {
  readonly #limits: SlotLimits;
  readonly #byPrincipal: Map<string, number> = new Map();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * @param principal undefined without authentication: then nobody can be told apart, and only the total counts
   * @returns what gives the slot back; calling it again does nothing
   * @throws {UnavailableError}
   */
  take(principal: string | undefined): () => void {
    const { total, perPrincipal, retryAfterMs } = this.#limits;
    if (principal !== undefined && this.#of(principal) >= perPrincipal) {
      throw new UnavailableError(
        "too-many",
        `You have ${perPrincipal} subscriptions open, which is the limit`,
        retryAfterMs,
      );
    }
    if (this.#taken >= total) {
      throw new UnavailableError("busy", "No more subscriptions can be opened here right now", retryAfterMs);
    }
    this.#count(principal, 1);
    let held = true;
    return () => {
      if (held) this.#count(principal, -1);
      held = false;
    };
  }

  #of(principal: string): number {
    return this.#byPrincipal.get(principal) ?? 0;
  }

  #count(principal: string | undefined, step: 1 | -1): void {
    this.#taken += step;
    if (principal === undefined) return;
    const open = this.#of(principal) + step;
    if (open === 0) this.#byPrincipal.delete(principal);
    else this.#byPrincipal.set(principal, open);
  }
}

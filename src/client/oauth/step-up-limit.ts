/**
 * Keeps a server from asking for more scopes without end, since each time may bother a person.
 *
 * @see spec 2026-07-28 basic/authorization#step-up-authorization-flow
 */
import { McpError } from "../../protocol/errors.ts";

/** How long a step-up counts. */
const WINDOW_MS = 300_000;
/** Of all scope sets together. */
const MAX_STEP_UPS = 5;

export class StepUpLimit {
  #recent: { readonly scopes: string; readonly at: number }[] = [];

  /** @throws {McpError} `forbidden` for scopes that were asked for already, or after too many */
  spend(scopes: readonly string[], now: number): void {
    const key = scopes.toSorted().join(" ");
    this.#recent = this.#recent.filter(({ at }) => now - at < WINDOW_MS);
    if (this.#recent.some((stepUp) => stepUp.scopes === key)) {
      throw new McpError("forbidden", "The server asks for the same scopes again");
    }
    if (this.#recent.length >= MAX_STEP_UPS) throw new McpError("forbidden", "The server asks for scopes too often");
    this.#recent.push({ scopes: key, at: now });
  }
}

/**
 * How much a hub holds, and for how long.
 */
import type { LogLimits } from "./event-log.ts";
import type { RelayLimits } from "./relay.ts";

export interface HubLimits {
  /** The runtime takes 32,768. */
  readonly sockets: number;
  readonly log: LogLimits;
  readonly relay: RelayLimits;
  /** How long a hub that nobody listens to stays attached, or keeps an empty log. */
  readonly lingerMs: number;
  /** When the alarm looks after leaves that lack something. */
  readonly retryMs: number;
}

export const DEFAULT_LIMITS: HubLimits = {
  sockets: 30_000,
  log: { changes: 1_000, retentionMs: 3_600_000 },
  relay: { backoffMs: [250, 1_000, 4_000], dropMs: 3_600_000 },
  lingerMs: 60_000,
  retryMs: 10_000,
};

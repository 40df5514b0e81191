/** What the case files share: the running Worker as they see it. */
import type { FieldClient } from "./client.ts";

export interface Field {
  readonly client: FieldClient;
  /** What wrangler and the Worker printed so far. */
  output(): string;
}

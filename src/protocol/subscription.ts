/**
 * What can be listened for, and what can change: the words of `subscriptions/listen`, before any transport or bus.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */

/** `params.notifications` of a listen request, and of its acknowledgment. Absent means "not asked for". */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** Something that listeners may want to hear of. */
export type Change =
  | { readonly type: "toolsListChanged" | "promptsListChanged" | "resourcesListChanged" }
  | { readonly type: "resourceUpdated"; readonly uri: string };

/** Longest URI that can be listened for or published, in UTF-16 code units. */
export const MAX_SUBSCRIPTION_URI_LENGTH = 2_048;

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

/** The same for changes of the same thing, and different for all others. */
export function subjectOf(change: Change): string {
  return change.type === "resourceUpdated" ? `${change.type} ${change.uri}` : change.type;
}

/** Why a string cannot be listened for or published, or undefined when it can. */
export function uriFault(uri: unknown): string | undefined {
  if (typeof uri !== "string" || uri === "") return "must be a URI";
  if (uri.length > MAX_SUBSCRIPTION_URI_LENGTH) return `is longer than ${MAX_SUBSCRIPTION_URI_LENGTH} characters`;
  // What is not Unicode is stored and sent as something else, which nobody listens for.
  return uri.isWellFormed() ? undefined : "is not valid Unicode";
}

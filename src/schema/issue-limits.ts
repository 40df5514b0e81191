/**
 * How many issues are reported, and how much of each.
 *
 * Contract: a reply stays small, whatever the caller sent: names in a path or message are the caller's and may be megabytes long.
 */

/** Enough to mend a call, and a bound on what a hostile value can make of it. */
export const MAX_ISSUES = 10;

const MAX_ISSUE_CHARACTERS = 300;

/** For the path and the message of an issue. */
export function clip(text: string): string {
  return text.length > MAX_ISSUE_CHARACTERS ? `${text.slice(0, MAX_ISSUE_CHARACTERS)}…` : text;
}

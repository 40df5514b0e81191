/**
 * Notifications of a subscription as JSON text. The subscription's id is text already, since it may have more digits
 * than a number has.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import type { Change, SubscriptionFilter } from "../protocol/subscription.ts";
import { META_SUBSCRIPTION_ID } from "../protocol/versions.ts";

const METHODS: Readonly<Record<Change["type"], string>> = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
  resourcesListChanged: "notifications/resources/list_changed",
  resourceUpdated: "notifications/resources/updated",
};

/** MUST — #acknowledgment: the first message, with what was granted. */
export function encodeAcknowledgment(id: string, granted: SubscriptionFilter): string {
  return encode("notifications/subscriptions/acknowledged", id, `,"notifications":${JSON.stringify(granted)}`);
}

export function encodeChange(id: string, change: Change): string {
  const uri = change.type === "resourceUpdated" ? `,"uri":${JSON.stringify(change.uri)}` : "";
  return encode(METHODS[change.type], id, uri);
}

function encode(method: string, id: string, members: string): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":{"_meta":{"${META_SUBSCRIPTION_ID}":${id}}${members}}}`;
}

/**
 * What a server says of a subscription: what it grants, and what changed. Pure.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions
 */
import { isObject } from "../protocol/json-rpc.ts";
import { type Change, MAX_SUBSCRIPTION_URI_LENGTH, type SubscriptionFilter } from "../protocol/subscription.ts";
import type { JsonObject } from "../protocol/types.ts";

const LISTS = ["tools", "prompts", "resources"] as const;
const UPDATED = "notifications/resources/updated";

/** What was granted of what was asked for. A server has no say in more than that. */
export function grantedPart(asked: SubscriptionFilter, granted: unknown): SubscriptionFilter {
  const given: JsonObject = isObject(granted) ? granted : {};
  const uris: unknown[] = Array.isArray(given["resourceSubscriptions"]) ? given["resourceSubscriptions"] : [];
  const known = new Set(uris);
  const both = asked.resourceSubscriptions?.filter((uri) => known.has(uri)) ?? [];
  const kinds = LISTS.map((list) => `${list}ListChanged` as const);
  const flags = kinds.filter((kind) => asked[kind] === true && given[kind] === true).map((kind) => [kind, true]);
  return { ...Object.fromEntries(flags), ...(both.length > 0 && { resourceSubscriptions: both }) };
}

/** What a notification says, if it was granted. */
export function changeOf(method: string, { uri }: JsonObject, granted: SubscriptionFilter): Change | undefined {
  const list = LISTS.find((name) => method === `notifications/${name}/list_changed`);
  if (list !== undefined) {
    const type = `${list}ListChanged` as const;
    return granted[type] === true ? { type } : undefined;
  }
  if (method !== UPDATED || typeof uri !== "string" || uri.length > MAX_SUBSCRIPTION_URI_LENGTH) return undefined;
  // Whatever URI it names: that may be a part of the resource that is listened for.
  return granted.resourceSubscriptions === undefined ? undefined : { type: "resourceUpdated", uri };
}

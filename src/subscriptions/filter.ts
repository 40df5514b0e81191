/**
 * The filter of a listen request: judged, narrowed, and asked what it covers. Pure.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions#notification-filter
 */
import { invalidParams } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { SupportedKinds } from "../server/subscription-service.ts";
import { type Change, type SubscriptionFilter, uriFault } from "../protocol/subscription.ts";

/** Our choice: as many URIs as fit, as hashes, beside a hibernating socket; see docs/subscriptions.md. */
export const MAX_SUBSCRIPTION_URIS = 2_000;
/** Our choice: of all URIs together, since an isolate holds the filters of hundreds of streams in its 128 MB. */
export const MAX_SUBSCRIPTION_LENGTH = 65_536;

const KINDS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const;
const WHERE = "Invalid params: notifications";

/** Unknown members are left out, as what a server does not support. @throws {ProtocolError} −32602 naming the member */
export function parseFilter(notifications: unknown): SubscriptionFilter {
  if (!isObject(notifications)) throw invalidParams(`${WHERE} must be an object`);
  const filter: { -readonly [K in keyof SubscriptionFilter]: SubscriptionFilter[K] } = {};
  for (const kind of KINDS) {
    const asked = notifications[kind];
    if (asked !== undefined && typeof asked !== "boolean") throw invalidParams(`${WHERE}.${kind} must be a boolean`);
    if (asked === true) filter[kind] = true;
  }
  const uris = notifications["resourceSubscriptions"];
  if (uris !== undefined) filter.resourceSubscriptions = parseUris(uris);
  return filter;
}

function parseUris(uris: unknown): readonly string[] {
  const where = `${WHERE}.resourceSubscriptions`;
  if (!Array.isArray(uris)) throw invalidParams(`${where} must be an array of URIs`);
  if (uris.length > MAX_SUBSCRIPTION_URIS) {
    throw invalidParams(
      `${where} holds ${uris.length} URIs, and at most ${MAX_SUBSCRIPTION_URIS} fit in one subscription`,
    );
  }
  let length = 0;
  for (const [index, uri] of uris.entries()) {
    const fault = uriFault(uri);
    if (fault !== undefined) throw invalidParams(`${where}[${index}] ${fault}`);
    length += String(uri).length;
  }
  if (length > MAX_SUBSCRIPTION_LENGTH) {
    throw invalidParams(
      `${where} holds ${length} characters, and at most ${MAX_SUBSCRIPTION_LENGTH} fit in one subscription`,
    );
  }
  return [...new Set<string>(uris)];
}

/** What is in both: what was asked for, as far as the server has it. */
export function supportedPart(asked: SubscriptionFilter, supported: SupportedKinds): SubscriptionFilter {
  return intersect(asked, {
    toolsListChanged: supported.tools,
    promptsListChanged: supported.prompts,
    resourcesListChanged: supported.resources,
    resourceSubscriptions: supported.resources ? (asked.resourceSubscriptions ?? []).filter(supported.isVisible) : [],
  });
}

/** What is in both filters. Parts that come out empty are absent. */
export function intersect(one: SubscriptionFilter, other: SubscriptionFilter): SubscriptionFilter {
  const uris = new Set(other.resourceSubscriptions);
  const both = one.resourceSubscriptions?.filter((uri) => uris.has(uri)) ?? [];
  const flags = KINDS.filter((kind) => one[kind] === true && other[kind] === true).map((kind) => [kind, true]);
  return { ...Object.fromEntries(flags), ...(both.length > 0 && { resourceSubscriptions: both }) };
}

export function isEmpty(filter: SubscriptionFilter): boolean {
  return !KINDS.some((kind) => filter[kind] === true) && (filter.resourceSubscriptions ?? []).length === 0;
}

/** Answers whether a change is covered, for many changes. */
export function createMatcher(filter: SubscriptionFilter): (change: Change) => boolean {
  const uris = new Set(filter.resourceSubscriptions);
  return (change) => (change.type === "resourceUpdated" ? uris.has(change.uri) : filter[change.type] === true);
}

/** Everything that a filter covers, as changes: what to tell a listener that may have missed some. */
export function allChanges(filter: SubscriptionFilter): Change[] {
  const lists = KINDS.filter((kind) => filter[kind] === true).map((type) => ({ type }));
  const uris = (filter.resourceSubscriptions ?? []).map((uri) => ({ type: "resourceUpdated", uri }) as const);
  return [...lists, ...uris];
}

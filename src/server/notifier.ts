/**
 * The hand of an author for saying that something changed: in a handler `ctx.notify`, elsewhere a publisher.
 *
 * @see spec 2026-07-28 basic/patterns/subscriptions#receiving-notifications
 */
import { type Change, subjectOf, uriFault } from "../protocol/subscription.ts";

/**
 * Each method resolves once the change can no longer get lost. In a handler there is no need to wait for it: the request
 * is kept alive until then, and a failure goes to `onError`.
 */
export interface Notifier {
  /** `notifications/tools/list_changed` */
  toolsChanged(): Promise<void>;
  /** `notifications/prompts/list_changed` */
  promptsChanged(): Promise<void>;
  /** `notifications/resources/list_changed` */
  resourcesChanged(): Promise<void>;
  /** `notifications/resources/updated`, to those who listen for exactly this URI. @throws {TypeError} when it is none */
  resourceUpdated(uri: string): Promise<void>;
}

type Publish = (changes: readonly Change[]) => Promise<void>;

/**
 * What is said in one go, before anything is awaited, is published in one piece.
 *
 * @param keep takes care of the work, and of its failure, whether or not anybody waits for it
 */
export function createNotifier(publish: Publish, keep?: (work: Promise<void>) => void): Notifier {
  let batch: { changes: Map<string, Change>; work: Promise<void> } | undefined;
  const add = (change: Change): Promise<void> => {
    if (batch === undefined) {
      const changes = new Map<string, Change>();
      const work = Promise.resolve().then(() => {
        batch = undefined;
        return publish([...changes.values()]);
      });
      batch = { changes, work };
      keep?.(work);
    }
    batch.changes.set(subjectOf(change), change);
    return batch.work;
  };
  return {
    toolsChanged: () => add({ type: "toolsListChanged" }),
    promptsChanged: () => add({ type: "promptsListChanged" }),
    resourcesChanged: () => add({ type: "resourcesListChanged" }),
    resourceUpdated: (uri) => add({ type: "resourceUpdated", uri: assertUri(uri) }),
  };
}

function assertUri(uri: string): string {
  const fault = uriFault(uri);
  if (fault !== undefined) throw new TypeError(`uri: ${fault}`);
  return uri;
}

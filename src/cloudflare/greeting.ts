/**
 * What a listener is sent first when it joins a hub: where the hub is, and what it missed.
 */
import type { EventLog } from "./event-log.ts";
import { type HubFrame, isOfInterest, type Join } from "./frames.ts";

/** The log must be open. */
export function greeting(log: EventLog, { resume, interest, after }: Join, version: number): HubFrame[] {
  const now = log.position();
  if (now === undefined) throw new Error("a hub that is joined has a log");
  const from = resume ?? (after === undefined ? undefined : { ...now, seq: log.numberBefore(after) });
  const since = from?.epoch === now.epoch ? log.since(from.seq) : undefined;
  const changes = since?.filter(({ change }) => isOfInterest(interest, change)) ?? [];
  // With a replay to come, the listener is not yet where the hub is: the socket may be cut before it arrives.
  const position = from !== undefined && changes.length > 0 ? from : now;
  const joined: HubFrame = { type: "joined", version, position, missed: resume !== undefined && since === undefined };
  return changes.length > 0 ? [joined, { type: "changes", changes }] : [joined];
}

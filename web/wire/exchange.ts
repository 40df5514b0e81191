/**
 * One HTTP exchange as it is kept: masked when it is noted, bounded, and growing until it ends.
 */
export type Field = readonly [name: string, value: string];

export interface WireMessage {
  /** Milliseconds after the request went out. */
  readonly at: number;
  readonly text: string;
  /** What it is, in a word or two. */
  readonly label: string;
  readonly event?: string | undefined;
  readonly id?: string | undefined;
}

/** Where the rest of the story is. */
export interface WireLink {
  readonly number: number;
  readonly what: string;
}

export interface WireExchange {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly method: string;
  readonly url: string;
  /** As given: the browser adds its own. */
  readonly requestHeaders: readonly Field[];
  readonly requestBody: string;
  /** How much of it there was, in UTF-16 code units. */
  readonly requestSize: number;
  /** The method of the message, or how HTTP calls it. */
  title: string;
  /** Of the tool, prompt or resource. */
  name: string;
  status?: number;
  statusText: string;
  /** Those that the browser shows. */
  responseHeaders: readonly Field[];
  isStream: boolean;
  /** The events of a stream, or the one body. */
  readonly received: WireMessage[];
  /** Events that had to make room. */
  dropped: number;
  /** Of the body, in bytes. */
  size: number;
  /** Milliseconds after the start, as the next two. */
  headersAt?: number;
  firstByteAt?: number;
  endedAt?: number;
  end?: WireEnd;
  /** Why it ended so, or why the stream is not read on. */
  reason: string;
  /** One call that takes several requests: the number of the first, and which this is. */
  round?: { readonly first: number; readonly round: number };
  links: readonly WireLink[];
}

/** `cancelled` is this side's doing, often because it has what it wanted. */
export type WireEnd = "complete" | "cancelled" | "broken" | "failed";

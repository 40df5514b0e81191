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

export interface WireExchange {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly method: string;
  readonly url: string;
  /** As given: the browser adds its own. */
  readonly requestHeaders: readonly Field[];
  readonly requestBody: string;
  /** The method of the message, or of HTTP. */
  title: string;
  /** Of the tool, prompt or resource. */
  name: string;
  /** The number of the exchange that began the call: rounds and answers to the server's questions belong to it. */
  call: number;
  status?: number;
  statusText: string;
  /** Those that the browser shows. */
  responseHeaders: readonly Field[];
  isStream: boolean;
  /** The events of a stream, or the one body. */
  readonly received: WireMessage[];
  /** Events that had to make room. */
  dropped: number;
  /** Milliseconds after the start. */
  endedAt?: number;
  end?: WireEnd;
  /** Why this side closed it, why the stream is not read on, or that not all of it is kept. */
  note: string;
  /** What went wrong: what the message said, or what became of the request. */
  failure?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/** `closed` is this side's doing, often because it has what it wanted. The others that are not `complete` are codes of errors. */
export type WireEnd = "complete" | "closed" | "stream_ended" | "connection_failed";

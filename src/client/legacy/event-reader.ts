/**
 * The events of one HTTP body, read to its end, with what legacy streams have and modern ones have not: ids to resume after,
 * and the time to wait first.
 */
import { McpError } from "../../protocol/errors.ts";
import { createSseDecoder, type SseEvent } from "../../sse/decode.ts";
import { consume, feed } from "../message-stream.ts";
import type { ReadLimits } from "../session.ts";

export interface EventSink {
  event(event: SseEvent): void;
  retry(milliseconds: number): void;
}

/**
 * Reads to the end of the body, or until the signal aborts, which is an end like any other.
 *
 * @param options `count` goes on from earlier bodies of the same stream
 * @throws {McpError} `too_large` or `invalid_response`: such a stream is not to be read on
 * @throws whatever the body fails with
 */
export async function readEvents(
  body: ReadableStream<Uint8Array> | null,
  sink: EventSink,
  {
    limits,
    signal,
    count = { bytes: 0 },
  }: { readonly limits: ReadLimits; readonly signal: AbortSignal; readonly count?: { bytes: number } },
): Promise<void> {
  const decoder = createSseDecoder({
    maxEventLength: limits.maxMessageBytes,
    // A piece may hold events for somebody who has heard enough in the meantime.
    onEvent: (event) => signal.aborted || sink.event(event),
    onRetry: (milliseconds) => sink.retry(milliseconds),
  });
  try {
    await consume(body, signal, (piece) => {
      count.bytes += piece.length;
      if (count.bytes > limits.maxStreamBytes) throw new McpError("too_large", "The stream is too large");
      feed(decoder, piece);
      return false;
    });
  } catch (error) {
    if (signal.aborted) return;
    // Here it is for the caller to say what it means that a body was cut.
    throw error instanceof McpError && error.code === "stream_ended" ? error.cause : error;
  }
}

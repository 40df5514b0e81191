/**
 * A body that tells what passes through it. Nothing is read ahead of the reader, and who cancels it cancels the original.
 */
import type { WireEnd } from "./exchange.ts";

export interface BodyWatcher {
  piece(bytes: Uint8Array): void;
  end(how: WireEnd, error?: unknown): void;
}

export function passingBody(body: ReadableStream<Uint8Array>, watcher: BodyWatcher): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            watcher.end("complete");
            controller.close();
          } else {
            watcher.piece(value);
            controller.enqueue(value);
          }
        } catch (error) {
          watcher.end("stream_ended", error);
          throw error; // Which is what the reader gets.
        }
      },
      cancel(reason) {
        watcher.end("closed");
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

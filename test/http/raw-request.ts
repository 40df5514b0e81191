/**
 * Requests whose body is given byte by byte, under headers that are otherwise in order: for tests of what strangers send.
 */
import { ENDPOINT, VERSION } from "../kit/post.ts";

export type RawBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

export interface RawOptions {
  method?: string;
  url?: string;
  /** More headers; null takes one away. */
  headers?: Readonly<Record<string, string | null>>;
  signal?: AbortSignal;
  /** `manual` is what workerd gives requests that it took from a connection. */
  redirect?: "follow" | "manual";
}

export function rawRequest(
  body: RawBody,
  { method = "POST", url = ENDPOINT, headers = {}, signal, redirect }: RawOptions = {},
): Request {
  const all = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  });
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  const init = { method, headers: all, body, duplex: "half", ...(signal && { signal }), ...(redirect && { redirect }) };
  return new Request(url, init);
}

/** A body that arrives in the given pieces, and what became of it. */
export function streamOf(chunks: Iterable<Uint8Array>): {
  body: ReadableStream<Uint8Array>;
  read: () => number;
  cancelled: () => boolean;
} {
  const iterator = chunks[Symbol.iterator]();
  let read = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = iterator.next();
        if (done === true) return controller.close();
        read += value.length;
        return controller.enqueue(value);
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read: () => read, cancelled: () => cancelled };
}

export const utf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>; // Never shared memory.

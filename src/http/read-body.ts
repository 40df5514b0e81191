/**
 * A request body as text, with its size counted while it arrives.
 *
 * `Content-Length` only ever makes this stricter: a larger one is refused unread, and no more than it says is taken.
 */

export type Body =
  | { readonly text: string }
  /** 413 too large · 400 not UTF-8, broken off, or not as long as declared · 408 too slow. */
  | {
      readonly text?: undefined;
      readonly status: 400 | 408 | 413;
      readonly reason: string;
      readonly notUtf8?: boolean;
    };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * What usually arrives with the headers, in one piece. Its first piece is waited for without a timer, since a timer costs a
 * Worker more than such a body does; who holds it back holds up nobody else.
 */
const PACKET_BYTES = 65_536;

const IS_WORKERD = typeof navigator === "object" && navigator.userAgent === "Cloudflare-Workers";

// Without `stream: true` a decoder keeps nothing between calls, so requests may share it.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const declared = contentLength(request);
  if (declared !== undefined && declared > limits.maxBytes) {
    void request.body?.cancel().catch(ignore);
    return tooLarge(limits);
  }
  if (declared !== undefined && declared > 0 && declared <= PACKET_BYTES && isFramed(request)) {
    return readWhole(request, declared);
  }
  if (request.body === null) return { text: "" };
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let expired = false;
  const startTimer = (): void => {
    timer ??= setTimeout(() => {
      expired = true;
      void reader.cancel().catch(ignore);
    }, limits.timeoutMs);
  };
  try {
    if (declared === undefined || declared > PACKET_BYTES) startTimer();
    let { done, value } = await reader.read();
    if (done || value === undefined) {
      if (expired) return tooSlow();
      return declared === undefined || declared === 0 ? { text: "" } : brokenOff();
    }
    // The usual case: all of it at once. HTTP framing says that nothing follows.
    if (value.length === declared) return decode(value);
    startTimer();
    const max = declared ?? limits.maxBytes;
    const chunks: Uint8Array[] = [];
    let length = 0;
    while (!done && value !== undefined) {
      if (value.length > 0) chunks.push(value);
      length += value.length;
      if (length > max) {
        void reader.cancel().catch(ignore);
        return declared === undefined ? tooLarge(limits) : tooLong();
      }
      ({ done, value } = await reader.read());
    }
    if (expired) return tooSlow();
    if (declared !== undefined && length < declared) return brokenOff();
    return decode(concat(chunks, length));
  } catch {
    return brokenOff(); // The client went away: nobody's fault here.
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Did workerd take this request from a connection? It gives those alone `redirect: "manual"` of its own accord, and its
 * HTTP parser has held the body to the length declared.
 */
function isFramed(request: Request): boolean {
  return IS_WORKERD && request.redirect === "manual";
}

/**
 * Half the cost of a reader, which is a tenth of a call on workerd. Only a Worker in front that changes a body and leaves
 * its old length in place gets here with more than was declared; the runtime's own limit holds then.
 */
async function readWhole(request: Request, declared: number): Promise<Body> {
  let bytes: ArrayBuffer;
  try {
    bytes = await request.arrayBuffer();
  } catch {
    return brokenOff();
  }
  if (bytes.byteLength < declared) return brokenOff();
  return bytes.byteLength > declared ? tooLong() : decode(bytes);
}

function decode(bytes: Uint8Array | ArrayBuffer): Body {
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { status: 400, reason: "the body is not valid UTF-8", notUtf8: true };
  }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function contentLength(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function tooLarge({ maxBytes }: BodyLimits): Body {
  return { status: 413, reason: `the body is larger than ${maxBytes} bytes` };
}

function tooLong(): Body {
  return { status: 400, reason: "the body is longer than Content-Length" };
}

function tooSlow(): Body {
  return { status: 408, reason: "the body took too long to arrive" };
}

function brokenOff(): Body {
  return { status: 400, reason: "the body broke off" };
}

function ignore(): void {
  // Cancelling a body that has already failed.
}

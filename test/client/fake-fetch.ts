/** A server of few words: answers requests as a test says, and remembers what it was sent. */
import { McpClient, McpError, type McpClientOptions, ProtocolError } from "../../src/client.ts";

export const URL_UNDER_TEST = "https://server.test/mcp";

export interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly signal: AbortSignal | undefined;
  readonly init: RequestInit;
}

type Answer = (sent: Sent, index: number) => Response | Promise<Response>;

export interface FakeServer {
  readonly client: McpClient;
  readonly sent: Sent[];
  readonly warnings: string[];
}

/** A client whose every request is answered by `answer`. Waits between retries are as short as they get. */
export function against(answer: Answer, options: Partial<McpClientOptions> = {}): FakeServer {
  const sent: Sent[] = [];
  const warnings: string[] = [];
  const fake: typeof fetch = async (input, init = {}) => {
    // What the client sends is JSON text.
    const { id, method, params } = JSON.parse(init.body as string) as Omit<Sent, "url">;
    const url = input instanceof Request ? input.url : String(input);
    const { _meta: meta, ...rest } = params;
    sent.push({
      url,
      id,
      method,
      init,
      params: rest,
      headers: new Headers(init.headers),
      meta: meta as Sent["meta"], // Each test looks at what is in it.
      signal: init.signal ?? undefined,
    });
    const last = sent.at(-1);
    if (last === undefined) throw new Error("unreachable");
    return answer(last, sent.length - 1);
  };
  const client = new McpClient(URL_UNDER_TEST, {
    info: { name: "under-test", version: "1.0.0" },
    fetch: fake,
    random: () => 0,
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return { client, sent, warnings };
}

export function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string> | undefined) }, // As tests give it.
  });
}

export function result({ id }: Pick<Sent, "id">, body: Record<string, unknown>): Response {
  return json({ jsonrpc: "2.0", id, result: body });
}

export function error({ id }: Pick<Sent, "id">, code: number, init: ResponseInit & { data?: unknown } = {}): Response {
  const { data, ...rest } = init;
  return json({ jsonrpc: "2.0", id, error: { code, message: "no", data } }, rest);
}

export const text = (value: string): Record<string, unknown> => ({
  resultType: "complete",
  content: [{ type: "text", text: value }],
});

/** A stream of pieces as they are, each in a chunk of its own. It stays open unless `end` says otherwise. */
export function stream(pieces: readonly (string | Uint8Array)[], end: "close" | "open" | "break" = "close"): Response {
  const utf8 = new TextEncoder();
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) return controller.enqueue(typeof piece === "string" ? utf8.encode(piece) : piece);
      if (end === "close") controller.close();
      if (end === "break") controller.error(new Error("the connection broke"));
      return end === "open" ? new Promise<void>(() => {}) : undefined;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export const event = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`;

/** The code of the error that work ends with, whichever kind of error it is. */
export async function codeOf(work: Promise<unknown>): Promise<string | number | undefined> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof McpError || thrown instanceof ProtocolError) return thrown.code;
    throw thrown;
  }
  return undefined;
}

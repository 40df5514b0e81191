/**
 * The floor of `listen`: what a skilled engineer writes who needs nothing but resource updates within one isolate. One
 * timer a stream, without which workerd would end it. No limits, no authorization, no slow readers.
 */
import { KEEP_ALIVE_MS, listenWorker } from "./listen-worker.ts";

interface ListenRequest {
  readonly id: string | number;
  readonly params: { readonly notifications: { readonly resourceSubscriptions?: readonly string[] } };
}

interface Stream {
  readonly id: string;
  readonly uris: ReadonlySet<string>;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

const UTF8 = new TextEncoder();
const KEEP_ALIVE = UTF8.encode(": keep-alive\n\n");
const STREAM_HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" };
const streams = new Set<Stream>();

export default listenWorker({ serve: listen, publish });

async function listen(request: Request): Promise<Response> {
  const { id, params } = await request.json<ListenRequest>(); // A floor trusts the envelope.
  const uris = params.notifications.resourceSubscriptions ?? [];
  let leave: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const stream = { id: JSON.stringify(id), uris: new Set(uris), controller };
      const timer = setInterval(() => controller.enqueue(KEEP_ALIVE), KEEP_ALIVE_MS);
      leave = () => {
        clearInterval(timer);
        streams.delete(stream);
      };
      send(stream, "subscriptions/acknowledged", `,"notifications":{"resourceSubscriptions":${JSON.stringify(uris)}}`);
      streams.add(stream);
    },
    cancel: () => leave?.(),
  });
  return new Response(body, { headers: STREAM_HEADERS });
}

function publish(uri: string): void {
  const members = `,"uri":${JSON.stringify(uri)}`;
  for (const stream of streams) if (stream.uris.has(uri)) send(stream, "resources/updated", members);
}

function send({ id, controller }: Stream, name: string, members: string): void {
  const meta = `{"io.modelcontextprotocol/subscriptionId":${id}}`;
  const json = `{"jsonrpc":"2.0","method":"notifications/${name}","params":{"_meta":${meta}${members}}}`;
  controller.enqueue(UTF8.encode(`data: ${json}\n\n`));
}

/**
 * A listener: `subscriptions/listen` sent to a handler, and what comes back message by message.
 */
import { type Fetcher, type PostOptions, requestFor, send } from "./post.ts";
import type { WireObject } from "./wire.ts";

export interface Listening {
  readonly status: number;
  readonly headers: Headers;
  /** The next message, or undefined once the stream has ended. Rejects when it breaks off. */
  next(): Promise<WireObject | undefined>;
  /** What follows, as far as it is there before the stream ends. */
  rest(): Promise<WireObject[]>;
  /** Keep-alives that came so far. */
  comments(): number;
  /** Closes the stream, as a client does that has heard enough. */
  close(): Promise<void>;
}

/** @param notifications the filter, or whatever a test wants to pass for one */
export async function listen(handler: Fetcher, notifications: unknown, options: PostOptions = {}): Promise<Listening> {
  const params = notifications === undefined ? {} : { notifications };
  const response = await send(handler, requestFor("subscriptions/listen", params, options), options);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let comments = 0;
  const next = async (): Promise<WireObject | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const frame = text.slice(0, end);
        text = text.slice(end + 2);
        const line = frame.split("\n").find((field) => field.startsWith("data: "));
        if (line !== undefined) return JSON.parse(line.slice("data: ".length)) as WireObject; // As the server wrote it.
        comments += 1;
        continue;
      }
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) {
        const whole = text;
        text = "";
        return whole === "" ? undefined : (JSON.parse(whole) as WireObject); // A plain JSON reply.
      }
      text += chunk.value;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    comments: () => comments,
    async rest() {
      const messages: WireObject[] = [];
      for (let message = await next(); message !== undefined; message = await next()) messages.push(message);
      return messages;
    },
    close: async () => reader?.cancel(),
  };
}

/** In short what a notification says: its method's last parts, and its URI. */
export function gist(message: WireObject | undefined): string {
  if (message === undefined) return "end";
  if (message["result"] !== undefined) return "result";
  const { uri } = message["params"] as { uri?: string }; // Notifications have params.
  return String(message["method"]).replace("notifications/", "") + (uri === undefined ? "" : ` ${uri}`);
}

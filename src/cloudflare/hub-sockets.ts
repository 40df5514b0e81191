/**
 * The WebSockets of a hub. They outlive the hub's instance: while it sleeps, the runtime keeps them, and beside each its
 * attachment, which says what its listener wants to hear of.
 */
import {
  CLOSE_REJOIN,
  CLOSE_VERSION,
  encodeFrame,
  FRAME_VERSIONS,
  type HubFrame,
  type Interest,
  coversTopic,
  type Join,
  type NumberedChange,
  topicOf,
} from "./frames.ts";

/** Of what this code keeps beside a socket. Code of another version may meet it, after a deployment or its undoing. */
const ATTACHMENT_VERSION = 1;

interface Attachment {
  readonly a: typeof ATTACHMENT_VERSION;
  readonly version: number;
  readonly lists: Interest["lists"];
  readonly uris: Interest["uris"];
}

export class HubSockets {
  readonly #ctx: DurableObjectState;
  readonly #limit: number;
  /** Sockets that surely fit still. Those that left are noticed when it is used up, as counting them all is slow. */
  #room = 0;

  constructor(ctx: DurableObjectState, limit: number) {
    this.#ctx = ctx;
    this.#limit = limit;
  }

  hasRoom(): boolean {
    if (this.#room <= 0) this.#room = this.#limit - this.#open().length;
    return this.#room > 0;
  }

  /** Accepts a socket and sends it its first frames, before anything else can happen. @returns the answer to the upgrade */
  join({ interest }: Join, version: number, frames: readonly HubFrame[]): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    this.#room -= 1;
    const attachment: Attachment = { a: ATTACHMENT_VERSION, version, ...interest };
    server.serializeAttachment(attachment);
    for (const frame of frames) server.send(encodeFrame(frame));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends each socket what it is interested in, in one frame. What goes to many is encoded once. */
  send(changes: readonly NumberedChange[]): void {
    const encoded = new Map<string, string>();
    const hashed = changes.map((numbered) => ({ numbered, topic: topicOf(numbered.change) })); // Once for all sockets.
    for (const socket of this.#ctx.getWebSockets()) {
      const attachment = readAttachment(socket);
      if (typeof attachment === "number") {
        close(socket, attachment);
        continue;
      }
      const wanted = hashed.filter(({ topic }) => coversTopic(attachment, topic)).map(({ numbered }) => numbered);
      if (wanted.length === 0) continue;
      const key = wanted.map(({ seq }) => seq).join();
      const frame = encoded.get(key) ?? encodeFrame({ type: "changes", changes: wanted });
      encoded.set(key, frame);
      trySend(socket, frame);
    }
  }

  closeAll(code: number): void {
    for (const socket of this.#ctx.getWebSockets()) close(socket, code);
  }

  isEmpty(): boolean {
    return this.#open().length === 0;
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

/** @returns a close code when this code cannot serve the socket */
function readAttachment(socket: WebSocket): Attachment | number {
  const value: unknown = socket.deserializeAttachment();
  if (typeof value !== "object" || value === null || !("a" in value) || value.a !== ATTACHMENT_VERSION) {
    return CLOSE_REJOIN;
  }
  const attachment = value as Attachment; // Only this code writes attachments of this version.
  return FRAME_VERSIONS.includes(attachment.version) ? attachment : CLOSE_VERSION;
}

/** A socket that fails must not keep the others waiting. Its listener comes back, and gets what it missed. */
function trySend(socket: WebSocket, frame: string): void {
  try {
    socket.send(frame);
  } catch {
    close(socket, CLOSE_REJOIN);
  }
}

/** Closes our side, also where the other side has gone, or the runtime has closed it before. */
export function close(socket: WebSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // It is closed, which is what was asked for.
  }
}
